/* How children end, as child_wait tells it, and that nothing of their group is left. */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum deed { RETURNS, ABORTS, HANGS, LEAVES_A_GRANDCHILD };

static struct child_outcome outcome_of(enum deed deed, double seconds, pid_t *group)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        child_isolate(parent);
        if (deed == ABORTS)
            abort();
        if (deed == LEAVES_A_GRANDCHILD && fork() == 0)
            pause();
        if (deed == HANGS)
            pause();
        _exit(7);
    }
    *group = child;
    return child_wait(child, seconds);
}

int main(void)
{
    pid_t group;
    char text[64];
    struct child_outcome outcome = outcome_of(RETURNS, 60, &group);
    CHECK(outcome.end == CHILD_EXITED && outcome.code == 7);
    outcome = outcome_of(ABORTS, 60, &group);
    CHECK(outcome.end == CHILD_SIGNALLED && outcome.code == SIGABRT);
    CHECK_TEXT(child_signal_name(outcome.code, text, sizeof text), "signal 6 (SIGABRT)");
    outcome = outcome_of(HANGS, 0.05, &group);
    CHECK(outcome.end == CHILD_TIMED_OUT);
    CHECK(kill(group, 0) != 0 && errno == ESRCH); /* reaped */

    /* The grandchild inherits the pipe: its end is the pipe's end. */
    int ends[2];
    char byte;
    CHECK(pipe(ends) == 0);
    outcome = outcome_of(LEAVES_A_GRANDCHILD, 60, &group);
    CHECK(outcome.end == CHILD_EXITED);
    close(ends[1]);
    CHECK(read(ends[0], &byte, 1) == 0);
    CHECK_TEXT(child_signal_name(SIGRTMIN + 1, text, sizeof text), "signal 35");
    return failures != 0;
}
