/* Processes that run candidate code: started, watched, killed with all that they started, and explained. */
#ifndef NGCC_CHILD_H
#define NGCC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Asks the kernel to SIGKILL the caller when its parent dies; exits at once if the parent (pid `parent`) is
 * already gone. */
void child_dies_with(pid_t parent);

/* Once, at the start of a program that starts such processes: their orphans become its own children, ends of children
 * are told to it, and descriptors 0 to 2 are taken. False where orphans can't be had, as under some emulators. */
bool child_supervise(void);

struct child {
    pid_t pid;
    int ready; /* end of a pipe: holds a byte once the process called child_ready */
};

/* Forks. Returns 0 in the new process, which has its own process group, dies with its parent, has standard output and
 * error on /dev/null, default signal handling and no core file; its standard input is child_ready's. Else like fork. */
pid_t child_fork(struct child *child);

/* In the new process, also after an exec, as the last thing before it loads candidate code: from here on its end is
 * that code's doing. Code that comes later can't take it back. Standard input is on /dev/null then. */
void child_ready(void);

enum { CHILD_NOT_EXECUTED = 127 }; /* exit status of a process that could not exec */

enum child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT };

struct child_outcome {
    enum child_end end;
    int code;   /* exit status or signal number */
    bool ready; /* false: no candidate code ran */
    /* As the kernel counted, of all its threads and of children that it waited for. */
    int64_t cpu_ns, peak_rss_kib;
};

/* Waits until the child ends, or kills it after `seconds` (CLOCK_MONOTONIC). Always reaps, always kills and reaps
 * whatever descends from it, in whichever group and session; of orphans that can't be had, those in its group. */
struct child_outcome child_wait(const struct child *child, double seconds);

/* "signal 11 (SIGSEGV)"; for statuses that stand in evidence. */
const char *child_signal_name(int signal_number, char *text, size_t capacity);

#endif
