#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void child_dies_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

void child_isolate(pid_t parent)
{
    setpgid(0, 0);
    child_dies_with(parent);
    int null = open("/dev/null", O_RDWR);
    if (null < 0)
        _exit(1);
    for (int stream = 0; stream <= 2; stream++)
        dup2(null, stream);
    if (null > 2)
        close(null);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* True once the child has ended; it stays a zombie, so that its number and its group's can't pass to another. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    int answer = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
    return answer < 0 || info.si_pid != 0;
}

static bool wait_until_end(pid_t child, double seconds)
{
    sigset_t child_signal, before;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    /* Blocked before the first look, an end between look and wait is kept for sigtimedwait. */
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    bool ended;
    while (!(ended = has_ended(child))) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        double left = seconds - (double)(now.tv_sec - start.tv_sec) - (double)(now.tv_nsec - start.tv_nsec) / 1e9;
        if (left <= 0)
            break;
        struct timespec limit = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        sigtimedwait(&child_signal, NULL, &limit);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ended;
}

struct child_outcome child_wait(pid_t child, double seconds)
{
    bool ended = wait_until_end(child, seconds);
    kill(-child, SIGKILL);
    if (!ended)
        kill(child, SIGKILL); /* it may not have got as far as its own group */
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!ended)
        return (struct child_outcome){CHILD_TIMED_OUT, 0};
    if (WIFSIGNALED(status))
        return (struct child_outcome){CHILD_SIGNALLED, WTERMSIG(status)};
    return (struct child_outcome){CHILD_EXITED, WEXITSTATUS(status)};
}

const char *child_signal_name(int signal_number, char *text, size_t capacity)
{
    /* glibc has sigabbrev_np since 2.32 only; these are the signals that end a process in practice. */
    static const struct {
        int number;
        const char *name;
    } known[] = {
        {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},
        {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"}, {SIGQUIT, "SIGQUIT"},
        {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"},
        {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == signal_number) {
            snprintf(text, capacity, "signal %d (%s)", signal_number, known[i].name);
            return text;
        }
    snprintf(text, capacity, "signal %d", signal_number);
    return text;
}
