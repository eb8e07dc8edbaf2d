/* How children end, as child_wait tells it, and that nothing that descends from them is left. */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum deed {
    RETURNS, ABORTS, HANGS, COMPUTES, LEAVES_A_GRANDCHILD, LEAVES_A_DAEMON, LEAVES_A_CHAIN, LEAVES_MANY_ENDED
};

static void leave_a_daemon(void)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() == 0)
        for (alarm(60);;)
            ;
    _exit(0);
}

/* Each lets another go on and ends. */
static void leave_a_chain(void)
{
    if (fork() == 0)
        for (setsid();;)
            if (fork() > 0)
                _exit(0);
}

static void leave_many_ended(void)
{
    for (int i = 0; i < 300; i++)
        if (fork() == 0)
            _exit(fork() == 0 ? 1 : 0);
}

/* For 20 ms. */
static void compute(void)
{
    struct timespec used;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_nsec < 20000000);
}

static struct child_outcome outcome_of(enum deed deed, double seconds, pid_t *group)
{
    struct child child;
    *group = child_fork(&child);
    if (*group == 0) {
        if (deed == ABORTS)
            abort();
        child_ready();
        if (deed == LEAVES_A_GRANDCHILD && fork() == 0)
            pause();
        if (deed == LEAVES_A_DAEMON)
            leave_a_daemon();
        if (deed == LEAVES_A_CHAIN)
            leave_a_chain();
        if (deed == LEAVES_MANY_ENDED)
            leave_many_ended();
        if (deed == COMPUTES)
            compute();
        if (deed == HANGS)
            pause();
        _exit(7);
    }
    return child_wait(&child, seconds);
}

/* What descends from the child inherits the pipe: its end is the pipe's end. */
static void nothing_is_left(enum deed deed)
{
    pid_t group;
    int ends[2];
    char byte;
    CHECK(pipe(ends) == 0);
    struct child_outcome outcome = outcome_of(deed, 60, &group);
    CHECK(outcome.end == CHILD_EXITED && outcome.code == 7);
    close(ends[1]);
    CHECK(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
}

static void ends_are_told(void)
{
    pid_t group;
    char text[64];
    struct child_outcome outcome = outcome_of(RETURNS, 60, &group);
    CHECK(outcome.end == CHILD_EXITED && outcome.code == 7 && outcome.ready);
    outcome = outcome_of(ABORTS, 60, &group);
    CHECK(outcome.end == CHILD_SIGNALLED && outcome.code == SIGABRT && !outcome.ready);
    CHECK_TEXT(child_signal_name(outcome.code, text, sizeof text), "signal 6 (SIGABRT)");
    outcome = outcome_of(HANGS, 0.05, &group);
    CHECK(outcome.end == CHILD_TIMED_OUT);
    CHECK(kill(group, 0) != 0 && errno == ESRCH); /* reaped */
    CHECK_TEXT(child_signal_name(SIGRTMIN + 1, text, sizeof text), "signal 35");
}

static void cpu_time_is_counted(void)
{
    pid_t group;
    struct child_outcome outcome = outcome_of(COMPUTES, 60, &group);
    CHECK(outcome.cpu_ns >= 20000000 && outcome.cpu_ns < INT64_C(10000000000) && outcome.peak_rss_kib > 0);
    CHECK(outcome_of(HANGS, 0.05, &group).cpu_ns < 20000000);
}

int main(void)
{
    pid_t older = fork();
    if (older == 0)
        for (;;)
            pause();
    bool has_orphans = child_supervise();
    ends_are_told();
    cpu_time_is_counted();
    nothing_is_left(LEAVES_A_GRANDCHILD);
    nothing_is_left(LEAVES_MANY_ENDED);
    if (has_orphans) {
        nothing_is_left(LEAVES_A_DAEMON);
        nothing_is_left(LEAVES_A_CHAIN);
    } else {
        puts("nothing is known of daemons: no orphans can be had");
    }

    /* A child from before is nobody's business. */
    CHECK(waitpid(older, NULL, WNOHANG) == 0);
    kill(older, SIGKILL);
    CHECK(waitpid(older, NULL, 0) == older && waitpid(-1, NULL, 0) < 0);
    return failures != 0;
}
