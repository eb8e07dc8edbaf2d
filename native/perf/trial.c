/* The side of a trial that supervises. */
#include "trial.h"

#include "clock.h"
#include "self.h"
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static bool within(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

/* Whether figures could have come about: candidate code can overwrite them. */
static bool is_plausible(const struct trial_task *task, const struct trial_report *report, int64_t wall_ns)
{
    int64_t timed_ns = 0;
    int batches = task->kind == TRIAL_CALIBRATION ? 1 : task->plan.batches_per_trial;
    for (int i = 0; i < batches; i++) {
        const struct trial_batch *batch = &report->batches[i];
        if (!within(batch->elapsed_ns, 0, wall_ns - timed_ns))
            return false;
        timed_ns += batch->elapsed_ns;
        if (task->kind == TRIAL_CALIBRATION ? batch->calls == 0 : batch->calls != plan_batch_calls(&task->plan, i))
            return false;
        if (task->use_counter && (batch->counted.enabled_ns > (uint64_t)wall_ns ||
                                  counter_fault(&batch->counted, batch->elapsed_ns) != NULL))
            return false;
    }
    if (task->kind == TRIAL_CALIBRATION)
        return within(report->clock_step_ns, 1, wall_ns);
    if (task->use_chain &&
        (!within(report->chain_before_ns, 1, wall_ns) || !within(report->chain_after_ns, 1, wall_ns)))
        return false;
    return report->cpu_before == task->cpu && report->cpu_after == task->cpu && report->frequency_khz >= -1 &&
           report->voluntary_switches >= 0 && report->involuntary_switches >= 0 && report->minor_faults >= 0 &&
           report->major_faults >= 0;
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
_Noreturn static void become_trial(int exchange, int input)
{
    char exchange_text[16], input_text[16];
    limit_stack();
    fcntl(exchange, F_SETFD, 0);
    fcntl(input, F_SETFD, 0);
    snprintf(exchange_text, sizeof exchange_text, "%d", exchange);
    snprintf(input_text, sizeof input_text, "%d", input);
    self_execute((char *[]){"ngcc_perf", TRIAL_OPTION, exchange_text, input_text, NULL});
    _exit(CHILD_NOT_EXECUTED);
}

static int cannot_start(struct trial_result *result, const char *why)
{
    snprintf(result->reason, sizeof result->reason, "a trial process could not be started: %.400s%s", why,
             errno == EFBIG ? "; raise the file size limit (ulimit -f)" : "");
    return -1;
}

static int judge(const struct trial_task *task, struct child_outcome end, int64_t wall_ns, double limit_seconds,
                 const char *where, struct trial_result *result)
{
    struct trial_report *report = &result->report;
    report->counter_reason[TRIAL_TEXT - 1] = '\0';
    char reason[TRIAL_TEXT];
    result->outcome = progress_judge(&report->progress, end, limit_seconds, where, reason, sizeof reason);
    if (end.end == CHILD_EXITED && !end.ready && report->progress.outcome == OUTCOME_DONE)
        return cannot_start(result, end.code == TRIAL_NOT_PINNED ? "it could not be pinned to its CPU" : reason);
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    bool counter_lost = task->use_counter && !report->counter_works;
    if (result->outcome == OUTCOME_DONE && !counter_lost && !is_plausible(task, report, wall_ns)) {
        result->outcome = OUTCOME_ERROR;
        snprintf(result->reason, sizeof result->reason,
                 "reported figures that cannot be %s: library code overwrote them, or a clock jumped", where);
    }
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

int trial_run(const struct trial_task *task, int input, double limit_seconds, const char *where,
              struct trial_result *result)
{
    memset(result, 0, sizeof *result);
    int exchange = open_exchange(task);
    if (exchange < 0)
        return cannot_start(result, strerror(errno));
    int64_t start = clock_now_ns();
    struct child child;
    pid_t pid = child_fork(&child);
    if (pid == 0)
        become_trial(exchange, input);
    if (pid < 0) {
        int error = errno;
        close(exchange);
        return cannot_start(result, strerror(error));
    }
    struct child_outcome end = child_wait(&child, limit_seconds);
    int64_t wall_ns = clock_now_ns() - start;
    ssize_t got = pread(exchange, &result->report, sizeof result->report, offsetof(struct trial_exchange, report));
    close(exchange);
    if (got != (ssize_t)sizeof result->report)
        return cannot_start(result, "its report could not be read");
    return judge(task, end, wall_ns, limit_seconds, where, result);
}
