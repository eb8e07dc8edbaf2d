/* The side of a trial that supervises. */
#include "trial.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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
        if (task->use_counter && (batch->counted.cycles == 0 || batch->counted.running_ns == 0))
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

/* Replaces a forked process by a fresh image of this program. */
_Noreturn static void become_trial(pid_t parent, int exchange, int input)
{
    char exchange_text[16], input_text[16];
    child_isolate(parent);
    fcntl(exchange, F_SETFD, 0);
    fcntl(input, F_SETFD, 0);
    snprintf(exchange_text, sizeof exchange_text, "%d", exchange);
    snprintf(input_text, sizeof input_text, "%d", input);
    execv("/proc/self/exe", (char *[]){"ngcc_perf", TRIAL_OPTION, exchange_text, input_text, NULL});
    _exit(127);
}

static int cannot_start(struct trial_result *result, const char *why)
{
    snprintf(result->reason, sizeof result->reason, "a trial process could not be started: %s%s", why,
             errno == EFBIG ? "; raise the file size limit (ulimit -f)" : "");
    return -1;
}

static int judge(const struct trial_task *task, struct child_outcome end, int64_t wall_ns, double limit_seconds,
                 const char *where, struct trial_result *result)
{
    struct trial_report *report = &result->report;
    report->counter_reason[TRIAL_TEXT - 1] = '\0';
    if (end.end == CHILD_EXITED && !report->pinned) {
        if (end.code != TRIAL_NOT_PINNED)
            return cannot_start(result, "/proc/self/exe did not run as expected");
        snprintf(result->reason, sizeof result->reason, "the trial process could not be pinned to CPU %d", task->cpu);
        return -1;
    }
    result->outcome =
        progress_judge(&report->progress, end, limit_seconds, where, result->reason, sizeof result->reason);
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
    pid_t parent = getpid();
    int64_t start = clock_now_ns();
    pid_t child = fork();
    if (child == 0)
        become_trial(parent, exchange, input);
    if (child < 0) {
        int error = errno;
        close(exchange);
        return cannot_start(result, strerror(error));
    }
    struct child_outcome end = child_wait(child, limit_seconds);
    int64_t wall_ns = clock_now_ns() - start;
    ssize_t got = pread(exchange, &result->report, sizeof result->report, offsetof(struct trial_exchange, report));
    close(exchange);
    if (got != (ssize_t)sizeof result->report)
        return cannot_start(result, "its report could not be read");
    return judge(task, end, wall_ns, limit_seconds, where, result);
}
