/* The side of a trial that supervises. */
#include "trial.h"

#include "clock.h"
#include "cpu.h"
#include "self.h"
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* No thread has that many switches or faults in a batch; sums of them fit. */
static const int64_t MOST_EVENTS = INT64_C(1) << 50;

static bool within(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

static bool is_cpu(int cpu)
{
    return within(cpu, 0, CPU_LIMIT - 1);
}

/* A batch that lasted no longer than left_ns. */
static bool is_batch_plausible(const struct trial_task *task, const struct trial_batch *batch, int64_t left_ns)
{
    enum { TICK_NS = 20000000 }; /* kernels may count a thread's time in ticks of up to 10 ms */
    const struct trial_events *events = &batch->events;
    if (!within(batch->elapsed_ns, 0, left_ns) || !within(batch->cpu_ns, 0, batch->elapsed_ns + TICK_NS))
        return false;
    if (task->kind == TRIAL_CALIBRATION ? batch->calls == 0 : batch->calls != task->plan.calls_per_batch)
        return false;
    if (task->use_counter && (batch->counted.enabled_ns > (uint64_t)left_ns ||
                              counter_fault(&batch->counted, batch->elapsed_ns) != NULL))
        return false;
    return is_cpu(batch->cpu) && within(events->voluntary_switches, 0, MOST_EVENTS) &&
           within(events->involuntary_switches, 0, MOST_EVENTS) && within(events->minor_faults, 0, MOST_EVENTS) &&
           within(events->major_faults, 0, MOST_EVENTS);
}

bool trial_is_plausible(const struct trial_task *task, const struct trial_report *report, int64_t wall_ns)
{
    int64_t left_ns = wall_ns;
    bool timing = task->kind == TRIAL_TIMING;
    int batches = timing ? task->plan.batches_per_trial : 1;
    for (int i = 0; i < batches; i++) {
        if (!is_batch_plausible(task, &report->batches[i], left_ns))
            return false;
        left_ns -= report->batches[i].elapsed_ns;
    }
    if (!timing)
        return within(report->clock_step_ns, 1, wall_ns);
    for (int i = 0; i <= batches && task->least_canary_ns > 0; i++) {
        if (!within(report->canaries_ns[i], 1, left_ns))
            return false;
        left_ns -= report->canaries_ns[i];
    }
    if (task->use_chain &&
        (!within(report->chain_before_ns, 1, left_ns) || !within(report->chain_after_ns, 1, left_ns)))
        return false;
    return is_cpu(report->cpu_before) && is_cpu(report->cpu_after) && report->frequency_khz >= -1;
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
_Noreturn static void become_trial(const struct trial_task *task, int exchange, int input)
{
    char exchange_text[16], input_text[16];
    limit_stack();
    layout_pad_environment(&task->layout);
    fcntl(exchange, F_SETFD, 0);
    fcntl(input, F_SETFD, 0);
    sandbox_hand_on(&task->sandbox);
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

static int judge(const struct trial_task *task, struct child_outcome end, int64_t wall_ns, const char *where, struct trial_result *result)
{
    struct trial_report *report = &result->report;
    report->counter_reason[TRIAL_TEXT - 1] = '\0';
    char reason[TRIAL_TEXT];
    result->outcome = progress_judge(&report->progress, end, task->limit_seconds, where, reason, sizeof reason);
    if (end.end == CHILD_EXITED && !end.ready && report->progress.outcome == OUTCOME_DONE)
        return cannot_start(result, end.code == TRIAL_NOT_PINNED ? "it could not be pinned to its CPU" : reason);
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    bool counter_lost = task->use_counter && !report->counter_works;
    if (result->outcome == OUTCOME_DONE && !counter_lost && !trial_is_plausible(task, report, wall_ns)) {
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

int trial_run(const struct trial_task *task, int input, const char *where, struct trial_result *result)
{
    memset(result, 0, sizeof *result);
    int exchange = open_exchange(task);
    if (exchange < 0)
        return cannot_start(result, strerror(errno));
    int64_t start = clock_now_ns();
    struct child child;
    pid_t pid = child_fork(&child);
    if (pid == 0)
        become_trial(task, exchange, input);
    if (pid < 0) {
        int error = errno;
        close(exchange);
        return cannot_start(result, strerror(error));
    }
    struct child_outcome end = child_wait(&child, task->limit_seconds);
    int64_t wall_ns = clock_now_ns() - start;
    ssize_t got = pread(exchange, &result->report, sizeof result->report, offsetof(struct trial_exchange, report));
    close(exchange);
    if (got != (ssize_t)sizeof result->report)
        return cannot_start(result, "its report could not be read");
    return judge(task, end, wall_ns, where, result);
}
