/* The side that supervises. */
#include "memory_run.h"

#include "self.h"
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Replaces a forked process by a fresh image of this program. */
static _Noreturn void become_process(const struct memory_task *task, int exchange)
{
    char number[16];
    sandbox_hand_on(&task->sandbox);
    fcntl(exchange, F_SETFD, 0);
    snprintf(number, sizeof number, "%d", exchange);
    self_execute((char *[]){"ngcc_memory", MEMORY_OPTION, number, NULL});
    _exit(CHILD_NOT_EXECUTED);
}

/* Sealed: a file that shrinks under its reader is a trap. */
static int open_exchange(const struct memory_task *task)
{
    int exchange = memfd_create("ngcc_memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (exchange < 0)
        return -1;
    if (ftruncate(exchange, sizeof(struct memory_exchange)) == 0 &&
        fcntl(exchange, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
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

/* A clause for figures that cannot be, NULL where they can. */
static const char *find_fault(const struct memory_task *task, const struct memory_report *report)
{
    enum { LAG_KIB = 1024 }; /* the kernel's counts of pages may be so much behind */
    int64_t most_kib = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1024;
    if (task->kind == MEMORY_RSS) {
        if (report->baseline_kib < 1 || report->peak_kib < 1)
            return "its resident set could not be read";
        if (report->peak_kib > most_kib || report->baseline_kib > report->peak_kib + LAG_KIB)
            return "its resident set cannot have been as reported";
        return NULL;
    }
    if (report->stack_bytes < 0 || report->stack_bytes > (int64_t)STACK_MIB << 20)
        return "its stack cannot have been as reported";
    for (unsigned i = 0; i < task->calls; i++)
        if (report->heap_live_bytes[i] > report->heap_peak_bytes)
            return "its heap cannot have been as reported";
    return report->heap_peak_bytes < 0 ? "its heap cannot have been as reported" : NULL;
}

enum outcome memory_run(const struct memory_task *task, struct memory_report *report, char *reason, size_t capacity)
{
    int exchange = open_exchange(task);
    if (exchange < 0)
        return cannot_start(strerror(errno), reason, capacity);
    struct child child;
    pid_t pid = child_fork(&child);
    if (pid == 0)
        become_process(task, exchange);
    if (pid < 0) {
        int error = errno;
        close(exchange);
        return cannot_start(strerror(error), reason, capacity);
    }
    struct child_outcome end = child_wait(&child, task->seconds);
    ssize_t got = pread(exchange, report, sizeof *report, offsetof(struct memory_exchange, report));
    close(exchange);
    if (got != (ssize_t)sizeof *report)
        return cannot_start("its report could not be read", reason, capacity);

    char where[64];
    unsigned call = report->progress.call < task->calls ? report->progress.call : task->calls - 1;
    snprintf(where, sizeof where, "during call %u of %u", call + 1, task->calls);
    enum outcome outcome = progress_judge(&report->progress, end, task->seconds, where, reason, capacity);
    const char *fault = outcome == OUTCOME_DONE ? find_fault(task, report) : NULL;
    if (fault == NULL)
        return outcome;
    snprintf(reason, capacity, "%s: library code took away the means, or overwrote them", fault);
    return OUTCOME_ERROR;
}
