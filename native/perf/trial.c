/* The side of a trial that supervises. */
#include "trial.h"

#include "clock.h"
#include "plausible.h"
#include "report.h"
#include "self.h"
#include "stack.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

int64_t trial_cpu_ns(const struct trial_batch *batch)
{
    return batch->cpu_ns > 0 && batch->cpu_ns < batch->elapsed_ns ? batch->cpu_ns : batch->elapsed_ns;
}

struct trial_batch trial_total(const struct trial_report *report, int count)
{
    struct trial_batch total = {0};
    for (int i = 0; i < count; i++) {
        const struct trial_batch *batch = &report->batches[i];
        total.calls += batch->calls;
        total.elapsed_ns += batch->elapsed_ns;
        total.cpu_ns += batch->cpu_ns;
        total.reference_ticks += batch->reference_ticks;
        total.counted.cycles += batch->counted.cycles;
        total.counted.enabled_ns += batch->counted.enabled_ns;
        total.counted.running_ns += batch->counted.running_ns;
        total.events.voluntary_switches += batch->events.voluntary_switches;
        total.events.involuntary_switches += batch->events.involuntary_switches;
        total.events.minor_faults += batch->events.minor_faults;
        total.events.major_faults += batch->events.major_faults;
        total.cpu = batch->cpu;
    }
    return total;
}

/* The same for everybody, whatever the user's is: large enough for what the other programs allow a call. */
static void limit_stack(void)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)STACK_MIB << 20;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_STACK, &limit);
}

/* Replaces a forked process by a fresh image of this program. */
_Noreturn static void become_trial(const struct trial_task *task, int exchange, int input, int report)
{
    char texts[3][16];
    const int files[3] = {exchange, input, report};
    limit_stack();
    layout_pad_environment(&task->layout);
    sandbox_hand_on(&task->sandbox);
    for (int i = 0; i < 3; i++) {
        fcntl(files[i], F_SETFD, 0);
        snprintf(texts[i], sizeof texts[i], "%d", files[i]);
    }
    self_execute((char *[]){"ngcc_perf", TRIAL_OPTION, texts[0], texts[1], texts[2], NULL});
    _exit(CHILD_NOT_EXECUTED);
}

static int cannot_start(struct trial_result *result, const char *why)
{
    snprintf(result->reason, sizeof result->reason, "a trial process could not be started: %.400s%s", why,
             errno == EFBIG ? "; raise the file size limit (ulimit -f)" : "");
    return -1;
}

__attribute__((format(printf, 2, 3))) static void call_wrong(struct trial_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->reason, sizeof result->reason, format, arguments);
    va_end(arguments);
    result->outcome = OUTCOME_ERROR;
}

/* Holds what the process reported against what is known. */
static void check_report(const struct trial_task *task, int pipe, const char *where, struct trial_result *result)
{
    const char *fault = report_read(pipe, task, &result->report);
    char why[TRIAL_TEXT / 2];
    if (fault != NULL)
        call_wrong(result, "its report %s cannot be read: %s; library code wrote to it, or closed it", where, fault);
    else if (task->use_counter && !result->report.counter_works)
        return;
    else if (!plausible_report(task, &result->report, &result->truth, why, sizeof why))
        call_wrong(result, "reported figures that cannot be %s: %s; library code changed them, or a clock jumped", where,
                   why);
}

static int judge(const struct trial_task *task, struct child_outcome end, const struct progress *progress, int pipe,
                 const char *where, struct trial_result *result)
{
    result->outcome =
        progress_judge(progress, end, task->limit_seconds, where, result->reason, sizeof result->reason);
    if (end.end == CHILD_EXITED && !end.ready && progress->outcome == OUTCOME_DONE) {
        char why[TRIAL_TEXT];
        snprintf(why, sizeof why, "%s", result->reason);
        return cannot_start(result, end.code == TRIAL_NOT_PINNED ? "it could not be pinned to its CPU" : why);
    }
    if (result->outcome == OUTCOME_DONE)
        check_report(task, pipe, where, result);
    return 0;
}

/* Sealed: a file that shrinks under its reader is a trap. */
static int open_exchange(const struct trial_task *task)
{
    int exchange = memfd_create("ngcc_perf trial", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (exchange < 0)
        return -1;
    if (ftruncate(exchange, sizeof(struct trial_exchange)) == 0 &&
        fcntl(exchange, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 &&
        pwrite(exchange, task, sizeof *task, offsetof(struct trial_exchange, task)) == (ssize_t)sizeof *task)
        return exchange;
    close(exchange);
    return -1;
}

/* Runs the process to its end. */
static int supervise(const struct trial_task *task, int exchange, int input, const int ends[2],
                     const char *where, struct trial_result *result)
{
    struct clock_moment start = clock_moment_now();
    struct child child;
    pid_t pid = child_fork(&child);
    if (pid == 0)
        become_trial(task, exchange, input, ends[1]);
    if (pid < 0)
        return cannot_start(result, strerror(errno));
    watchdog_allow(task->limit_seconds);
    struct child_outcome end = child_wait(&child, task->limit_seconds);
    watchdog_allow(0);
    struct clock_moment after = clock_moment_now();
    result->truth = (struct trial_truth){start.ns, after.ns, after.ticks - start.ticks, end.cpu_ns,
                                         end.peak_rss_kib};
    struct progress progress;
    if (pread(exchange, &progress, sizeof progress, offsetof(struct trial_exchange, progress)) != sizeof progress)
        return cannot_start(result, "its progress could not be read");
    return judge(task, end, &progress, ends[0], where, result);
}

int trial_run(struct trial_task *task, int input, const char *where, struct trial_result *result)
{
    int ends[2];
    char why[TRIAL_TEXT / 2];
    memset(result, 0, sizeof *result);
    if (getrandom(&task->tag, sizeof task->tag, 0) != sizeof task->tag)
        return cannot_start(result, strerror(errno));
    if (report_open(ends, why, sizeof why) != 0)
        return cannot_start(result, why);
    int exchange = open_exchange(task);
    int answer = exchange < 0 ? cannot_start(result, strerror(errno))
                              : supervise(task, exchange, input, ends, where, result);
    close(exchange);
    close(ends[0]);
    close(ends[1]);
    return answer;
}
