#include "plausible.h"

#include "cpu.h"

#include <math.h>
#include <stdio.h>

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

static int batch_count(const struct trial_task *task)
{
    return task->kind == TRIAL_TIMING ? task->plan.batches_per_trial : 1;
}

static int64_t wall_ns(const struct trial_truth *truth)
{
    return truth->end_ns - truth->start_ns;
}

/* Whether a counter counted as long as the thread had the CPU; interrupts may be taken off the thread's own time. */
static bool was_enabled(const struct trial_batch *batch)
{
    static const double SHARE = 0.9, READING_NS = 100e3;
    return (double)batch->counted.enabled_ns >= SHARE * (double)trial_cpu_ns(batch) - READING_NS;
}

/* NULL, or what is wrong with a batch that lasted no longer than most_ns. */
static const char *batch_fault(const struct trial_task *task, const struct trial_batch *batch, int64_t most_ns)
{
    enum { TICK_NS = 20000000 }; /* kernels may count a thread's time in ticks of up to 10 ms */
    const struct trial_events *events = &batch->events;
    if (!within(batch->elapsed_ns, 0, most_ns))
        return "a batch took longer than there was time";
    if (!within(batch->cpu_ns, 0, batch->elapsed_ns + TICK_NS))
        return "a batch had the CPU longer than it took";
    if (task->kind == TRIAL_CALIBRATION ? batch->calls == 0 : batch->calls != task->plan.calls_per_batch)
        return "a batch has not the calls that were planned";
    if (task->use_counter &&
        (batch->counted.enabled_ns > (uint64_t)most_ns || !was_enabled(batch) ||
         counter_fault(&batch->counted, batch->elapsed_ns) != NULL))
        return "counted cycles don't fit the time";
    if (!is_cpu(batch->cpu) || !within(events->voluntary_switches, 0, MOST_EVENTS) ||
        !within(events->involuntary_switches, 0, MOST_EVENTS) || !within(events->minor_faults, 0, MOST_EVENTS) ||
        !within(events->major_faults, 0, MOST_EVENTS))
        return "a CPU or a count is out of range";
    return NULL;
}

/* From before its start to after its end, none before the one before it: so that any two can be subtracted. */
static bool moments_fit(const struct trial_task *task, const struct trial_report *report,
                        const struct trial_truth *truth)
{
    bool timing = task->kind == TRIAL_TIMING, fit = report->ready_ns >= truth->start_ns;
    int64_t moment_ns = timing ? report->begun_ns : report->ready_ns;
    fit = fit && moment_ns >= report->ready_ns;
    for (int i = 0; i < batch_count(task); i++) {
        fit = fit && report->batch_moments_ns[i] >= moment_ns;
        moment_ns = report->batch_moments_ns[i];
    }
    return fit && report->end_ns >= moment_ns && report->end_ns <= truth->end_ns;
}

/* One after another, each with time enough for what it reports. */
static const char *batches_fault(const struct trial_task *task, const struct trial_report *report)
{
    bool timing = task->kind == TRIAL_TIMING;
    int64_t moment_ns = timing ? report->begun_ns : report->ready_ns;
    for (int i = 0; i < batch_count(task); i++) {
        int64_t left_ns = report->batch_moments_ns[i] - moment_ns;
        const char *fault = batch_fault(task, &report->batches[i], left_ns);
        if (fault != NULL)
            return fault;
        left_ns -= report->batches[i].elapsed_ns;
        if (timing && task->least_canary_ns > 0 && !within(report->canaries_ns[i + 1], 1, left_ns))
            return "a canary took longer than there was time";
        moment_ns = report->batch_moments_ns[i];
    }
    return NULL;
}

/* What stands before and after the batches of a timing trial. */
static const char *frame_fault(const struct trial_task *task, const struct trial_report *report)
{
    int64_t before_ns = report->begun_ns - report->ready_ns;
    int64_t after_ns = report->end_ns - report->batch_moments_ns[batch_count(task) - 1];
    if (task->least_canary_ns > 0 && !within(report->canaries_ns[0], 1, before_ns))
        return "a canary took longer than there was time";
    if (task->use_chain &&
        (!within(report->chain_before_ns, 1, before_ns) || !within(report->chain_after_ns, 1, after_ns)))
        return "its core clock took longer than there was time";
    if (!is_cpu(report->cpu_before) || !is_cpu(report->cpu_after) || report->frequency_khz < -1)
        return "a CPU or its frequency is out of range";
    return NULL;
}

static const char *calibration_fault(const struct trial_report *report, int64_t most_ns)
{
    const struct trial_repeats *repeats = &report->repeats;
    if (!within(report->clock_step_ns, 1, most_ns))
        return "its clock has an impossible step";
    if (repeats->tries > 0 && (repeats->plain_calls == 0 || repeats->alternating_calls == 0 ||
                               !within(repeats->plain_ns, 1, most_ns) || !within(repeats->alternating_ns, 0, most_ns)))
        return "alternating messages took longer than there was time";
    return NULL;
}

/* Whether the ticks of most of the time that batches took are as many as the supervisor's own clocks have them. */
static bool ticks_fit(const struct trial_task *task, const struct trial_report *report,
                      const struct trial_truth *truth)
{
    static const double TOLERANCE = 0.01, READING_NS = 2000, COARSE = 2;
    if (truth->reference_ticks == 0)
        return true;
    double per_ns = (double)truth->reference_ticks / (double)wall_ns(truth), all_ns = 0, fitting_ns = 0;
    for (int i = 0; i < batch_count(task); i++) {
        const struct trial_batch *batch = &report->batches[i];
        double elapsed_ns = (double)batch->elapsed_ns;
        double apart_ns = fabs((double)batch->reference_ticks / per_ns - elapsed_ns);
        all_ns += elapsed_ns;
        fitting_ns += apart_ns <= TOLERANCE * elapsed_ns + READING_NS + COARSE / per_ns ? elapsed_ns : 0;
    }
    return 2 * fitting_ns >= all_ns;
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

int64_t plausible_untimed_ns(const struct trial_report *report, int batches)
{
    static const double LONGER = 10, MORE_NS = 1e6;
    int64_t last_ns = batches > 0 ? report->batch_moments_ns[batches - 1] : report->ready_ns;
    int64_t sum_ns = least(report->end_untimed_ns, report->end_ns - last_ns);
    if (batches > 0)
        sum_ns += least(report->untimed_ns[0], report->begun_ns - report->ready_ns);
    for (int i = 0; i < batches; i++) {
        const struct trial_batch *batch = &report->batches[i];
        double most_ns = LONGER * (double)batch->elapsed_ns / (double)batch->calls + MORE_NS +
                         (double)report->canaries_ns[i + 1];
        sum_ns += (int64_t)fmin((double)report->untimed_ns[i + 1], most_ns);
    }
    return sum_ns;
}

int64_t plausible_unaccounted_ns(const struct trial_task *task, const struct trial_report *report,
                                 const struct trial_truth *truth)
{
    /* Of a calibration, all is untimed. */
    int batches = task->kind == TRIAL_TIMING ? task->plan.batches_per_trial : 0;
    int64_t left_ns = truth->cpu_ns - report->ready_cpu_ns - plausible_untimed_ns(report, batches);
    for (int i = 0; i < batches; i++)
        left_ns -= trial_cpu_ns(&report->batches[i]);
    return left_ns;
}

/* CPU times that can be summed, and those of canaries behind batches, whether the task asks for them or not. */
static bool are_times(const struct trial_task *task, const struct trial_report *report,
                      const struct trial_truth *truth)
{
    int64_t most_ns = wall_ns(truth);
    bool possible = within(report->ready_cpu_ns, 0, truth->cpu_ns) && within(report->end_untimed_ns, 0, most_ns);
    for (int i = 0; i <= batch_count(task); i++)
        possible = possible && within(report->untimed_ns[i], 0, most_ns);
    for (int i = 1; i <= batch_count(task); i++)
        possible = possible && within(report->canaries_ns[i], 0, most_ns);
    return possible;
}

static const char *cpu_fault(const struct trial_task *task, const struct trial_report *report,
                             const struct trial_truth *truth, char *text, size_t capacity)
{
    if (!are_times(task, report, truth))
        return "untimed calls took longer than there was time";
    if (task->emulated)
        return NULL;
    int64_t unaccounted_ns = plausible_unaccounted_ns(task, report, truth);
    double used_ns = (double)(truth->cpu_ns - report->ready_cpu_ns);
    /* Where a process takes long to begin, as on an emulated machine, it takes long to end. */
    double most_ns = PLAUSIBLE_UNACCOUNTED_NS + (double)report->ready_cpu_ns + PLAUSIBLE_UNACCOUNTED * used_ns +
                     fmin(PLAUSIBLE_NS_PER_KIB * (double)truth->peak_rss_kib, PLAUSIBLE_MEMORY_NS);
    if (fabs((double)unaccounted_ns) <= most_ns)
        return NULL;
    snprintf(text, capacity, "it used %.3g s of CPU time and accounts for %.3g s", used_ns / 1e9,
             (used_ns - (double)unaccounted_ns) / 1e9);
    return text;
}

static const char *any_fault(const struct trial_task *task, const struct trial_report *report,
                             const struct trial_truth *truth, char *text, size_t capacity)
{
    if (!moments_fit(task, report, truth))
        return "its clock went backwards, or ran while it did not";
    const char *fault = batches_fault(task, report);
    if (fault == NULL)
        fault = task->kind == TRIAL_TIMING ? frame_fault(task, report) : calibration_fault(report, wall_ns(truth));
    if (fault == NULL && !ticks_fit(task, report, truth))
        fault = "the ticks of the reference clock don't fit the time";
    return fault != NULL ? fault : cpu_fault(task, report, truth, text, capacity);
}

bool plausible_report(const struct trial_task *task, const struct trial_report *report, const struct trial_truth *truth,
                      char *why, size_t capacity)
{
    char text[128];
    const char *fault = any_fault(task, report, truth, text, sizeof text);
    if (fault != NULL)
        snprintf(why, capacity, "%s", fault);
    return fault == NULL;
}
