/* The side that supervises. */
#include "memory_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Replaces a forked process by a fresh image of this program. */
static _Noreturn void become_process(pid_t parent, int exchange)
{
    char number[16];
    child_isolate(parent);
    fcntl(exchange, F_SETFD, 0);
    snprintf(number, sizeof number, "%d", exchange);
    execv("/proc/self/exe", (char *[]){"ngcc_memory", MEMORY_OPTION, number, NULL});
    _exit(127);
}

static int open_exchange(const struct memory_task *task)
{
    int exchange = memfd_create("ngcc_memory", MFD_CLOEXEC);
    if (exchange < 0)
        return -1;
    if (ftruncate(exchange, sizeof(struct memory_exchange)) == 0 &&
        pwrite(exchange, task, sizeof *task, offsetof(struct memory_exchange, task)) == (ssize_t)sizeof *task)
        return exchange;
    close(exchange);
    return -1;
}

static enum outcome cannot_start(const char *why, char *reason, size_t capacity)
{
    snprintf(reason, capacity, "no process could be started: %s", why);
    return OUTCOME_KILLED;
}

enum outcome memory_run(const struct memory_task *task, double seconds, struct memory_report *report, char *reason,
                        size_t capacity)
{
    int exchange = open_exchange(task);
    if (exchange < 0)
        return cannot_start(strerror(errno), reason, capacity);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_process(parent, exchange);
    if (child < 0) {
        int error = errno;
        close(exchange);
        return cannot_start(strerror(error), reason, capacity);
    }
    struct child_outcome end = child_wait(child, seconds);
    ssize_t got = pread(exchange, report, sizeof *report, offsetof(struct memory_exchange, report));
    close(exchange);
    if (got != (ssize_t)sizeof *report || !report->started)
        return cannot_start("/proc/self/exe did not run as expected", reason, capacity);

    char where[64];
    unsigned call = report->progress.call < task->calls ? report->progress.call : task->calls - 1;
    snprintf(where, sizeof where, "during call %u of %u", call + 1, task->calls);
    return progress_judge(&report->progress, end, seconds, where, reason, capacity);
}
