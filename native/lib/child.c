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

/* Children from before child_supervise, as those of a shell that then ran the program in its own place: not ours to
 * end. */
static pid_t older[64];
static size_t older_count;

static size_t list_children(pid_t *children, size_t capacity)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (count < capacity && fscanf(file, "%d", &children[count]) == 1)
        count++;
    fclose(file);
    return count;
}

bool child_supervise(void)
{
    int file;
    while ((file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && file <= STDERR_FILENO)
        ;
    close(file);
    signal(SIGCHLD, SIG_DFL); /* where it came ignored, the ends of children could not be waited for */
    older_count = list_children(older, sizeof older / sizeof *older);
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

static void isolate(pid_t parent, int ready)
{
    setpgid(0, 0);
    child_dies_with(parent);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 || dup2(ready, STDIN_FILENO) < 0)
        _exit(1);
    close(null);
    close(ready);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

pid_t child_fork(struct child *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    pid_t parent = getpid(), pid = fork();
    int error = errno;
    if (pid == 0) {
        close(ends[0]);
        isolate(parent, ends[1]);
        return 0;
    }
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    *child = (struct child){pid, ends[0]};
    errno = error;
    return pid;
}

void child_ready(void)
{
    if (write(STDIN_FILENO, "", 1) != 1 || dup2(STDOUT_FILENO, STDIN_FILENO) < 0)
        _exit(1);
}

/* True once the child has ended; it stays a zombie, so that its number and its group's can't pass to another. Orphans
 * that ended before it are reaped. */
static bool has_ended(pid_t child)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == child)
            return true;
        if (info.si_pid == 0)
            return false;
        waitpid(info.si_pid, NULL, 0);
    }
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

static bool is_older(pid_t child)
{
    for (size_t i = 0; i < older_count; i++)
        if (older[i] == child)
            return true;
    return false;
}

/* A process's children become this program's once it is dead: when no child is left, no descendant is. */
static void end_orphans(void)
{
    pid_t children[256];
    bool found;
    do {
        size_t count = list_children(children, sizeof children / sizeof *children);
        found = false;
        for (size_t i = 0; i < count; i++)
            if (!is_older(children[i]) && kill(children[i], SIGKILL) == 0) {
                waitpid(children[i], NULL, __WALL);
                found = true;
            }
    } while (found);
}

static bool take_ready(int ready)
{
    char byte;
    bool came = read(ready, &byte, 1) == 1;
    close(ready);
    return came;
}

static int64_t cpu_ns(const struct rusage *usage)
{
    return 1000 * (1000000 * ((int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) + usage->ru_utime.tv_usec +
                   usage->ru_stime.tv_usec);
}

struct child_outcome child_wait(const struct child *child, double seconds)
{
    bool ended = wait_until_end(child->pid, seconds);
    kill(-child->pid, SIGKILL);
    if (!ended)
        kill(child->pid, SIGKILL); /* it may not have got as far as its own group */
    int status = 0;
    struct rusage usage = {0};
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    end_orphans();
    struct child_outcome outcome = {CHILD_EXITED, WEXITSTATUS(status), take_ready(child->ready), cpu_ns(&usage),
                                    usage.ru_maxrss};
    if (!ended)
        outcome.end = CHILD_TIMED_OUT, outcome.code = 0;
    else if (WIFSIGNALED(status))
        outcome.end = CHILD_SIGNALLED, outcome.code = WTERMSIG(status);
    return outcome;
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
