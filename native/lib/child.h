/* Processes that run candidate code: started, watched, killed as a group, and explained. */
#ifndef NGCC_CHILD_H
#define NGCC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Asks the kernel to SIGKILL the caller when its parent dies; exits at once if the parent (pid `parent`) is
 * already gone. */
void child_dies_with(pid_t parent);

/* In a new child, before candidate code: own process group, dies with `parent`, standard input, output and error on
 * /dev/null, default signal handling, no core file. */
void child_isolate(pid_t parent);

enum child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT };

struct child_outcome {
    enum child_end end;
    int code; /* exit status or signal number */
};

/* Waits until the child ends, or kills its group after `seconds` (CLOCK_MONOTONIC). Always reaps, always kills
 * what is left of the group. */
struct child_outcome child_wait(pid_t child, double seconds);

/* "signal 11 (SIGSEGV)"; for statuses that stand in evidence. */
const char *child_signal_name(int signal_number, char *text, size_t capacity);

#endif
