#include "measure.h"

#include "clock.h"
#include "disturbance.h"
#include "isolation.h"
#include "self.h"
#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum answer { GOOD, BAD_OUTCOME, COUNTER_LOST, NOT_RUN };

static bool uses(const struct record *record, const char *source)
{
    return strcmp(record->cycle_source, source) == 0;
}

static bool same_digest(const struct record *record, const struct trial_report *report)
{
    return memcmp(record->digest, report->digest, (size_t)(record->digest_bits + 7) / 8) == 0;
}

static enum answer conclude(struct record *record, enum outcome outcome, const char *reason)
{
    record->status = outcome_name(outcome);
    record->retry = outcome == OUTCOME_KILLED;
    snprintf(record->reason, sizeof record->reason, "%s", reason);
    return BAD_OUTCOME;
}

static enum answer run(struct record *record, struct trial_task *task, int input, const char *where,
                       struct trial_result *result)
{
    if (trial_run(task, input, where, result) != 0) {
        snprintf(record->reason, sizeof record->reason, "%s", result->reason);
        return NOT_RUN;
    }
    if (result->outcome != OUTCOME_DONE) {
        if (result->outcome == OUTCOME_UNSTABLE)
            record->digest_same = false;
        return conclude(record, result->outcome, result->reason);
    }
    return task->use_counter && !result->report.counter_works ? COUNTER_LOST : GOOD;
}

/* Without the counter, for the reason given: the chain of additions, or nothing. */
static void do_without_counter(struct record *record, const char *reason)
{
    const char *obstacle = clock_chain_obstacle();
    record->cycle_source = obstacle[0] == '\0' ? "core_clock_estimate" : "none";
    snprintf(record->cycle_source_reason, sizeof record->cycle_source_reason, "%.300s%s%s", reason,
             obstacle[0] == '\0' ? "" : "; ", obstacle);
}

static int64_t least_canary_ns(const struct record *record)
{
    return record->reference.exists ? reference_least_ns(&record->reference) : 0;
}

/* Trying repeats takes a tenth of the planned time at most, or what hardly anybody notices. */
static int64_t repeats_ns(const struct plan_limits *limits)
{
    static const double SHARE = 0.1, LEAST_NS = 10e6;
    return (int64_t)fmax(SHARE * limits->trials * (double)limits->target_ns, LEAST_NS);
}

static enum answer calibrate(struct record *record, const struct options *options, struct trial_task *task, int input)
{
    struct trial_result result;
    double share_seconds = (double)options->limits.budget_ns / 1e9 / options->limits.trials;
    /* A trial makes one call at least, however long it takes. */
    task->limit_seconds = fmax(60, 5 + 2 * share_seconds);
    task->kind = TRIAL_CALIBRATION;
    task->least_canary_ns = least_canary_ns(record);
    task->share_ns = (int64_t)(share_seconds * 1e9);
    task->repeats_ns = repeats_ns(&options->limits);
    enum answer answer = run(record, task, input, "during calibration", &result);
    if (answer != GOOD)
        return answer;
    const struct trial_report *report = &result.report;
    record->calibration = report->batches[0];
    record->repeats = report->repeats;
    record->clock_step_ns = report->clock_step_ns;
    memcpy(record->digest, report->digest, sizeof record->digest);
    record->digest_known = record->digest_same = true;
    if (report->counter_works)
        record->cycle_source = "perf_event";
    else
        do_without_counter(record, report->counter_reason);
    return GOOD;
}

static double call_ns(const struct trial_batch *calibration)
{
    double elapsed = calibration->elapsed_ns > 0 ? (double)calibration->elapsed_ns : 1;
    return elapsed / (double)calibration->calls;
}

/* Judges all batches again: the least canary may have changed. */
static void judge(struct record *record, const struct options *options)
{
    struct expectation expected = {record->cpu, options->clock_hz, least_canary_ns(record), uses(record, "perf_event"),
                                   uses(record, "core_clock_estimate")};
    for (int trial = 0; trial < record->trial_count; trial++)
        for (int batch = 0; batch < record->plan.batches_per_trial; batch++)
            record->trials[trial].disturbed[batch] =
                (unsigned char)disturbance_of(&record->trials[trial].report, batch, &expected);
}

static bool is_precise(const struct record *record, const struct plan_limits *limits)
{
    struct stop_trial trials[PLAN_MAX_TRIALS];
    for (int i = 0; i < record->trial_count; i++) {
        const struct record_trial *trial = &record->trials[i];
        double elapsed_ns = 0, calls = 0;
        trials[i].batches = 0;
        for (int batch = 0; batch < record->plan.batches_per_trial; batch++)
            if (trial->disturbed[batch] == 0) {
                trials[i].batches++;
                elapsed_ns += (double)trial->report.batches[batch].elapsed_ns;
                calls += (double)trial->report.batches[batch].calls;
            }
        trials[i].mean_ns = calls > 0 ? elapsed_ns / calls : 0;
    }
    return stop_is_precise(trials, record->trial_count, &record->plan, limits);
}

/* Why measuring ends after the trials so far, NULL where it goes on. */
static const char *reason_to_stop(const struct record *record, const struct plan_limits *limits, double spent_ns)
{
    bool all = record->trial_count >= limits->trials;
    if (all && is_precise(record, limits))
        return "precision";
    if (record->trial_count == PLAN_MAX_TRIALS)
        return "trials";
    bool out_of_patience = spent_ns >= limits->patience * limits->trials * (double)limits->target_ns;
    return spent_ns >= (double)limits->budget_ns || (all && out_of_patience) ? "budget" : NULL;
}

static enum answer run_trial(struct record *record, struct trial_task *task, int input)
{
    int number = record->trial_count;
    double planned_ns = plan_trial_ns(&record->plan, call_ns(&record->calibration));
    char where[32];
    snprintf(where, sizeof where, "during trial %d", number);
    reference_look(&record->reference, record->cpu);
    task->least_canary_ns = least_canary_ns(record);
    task->layout = layout_of(number);
    task->limit_seconds = 10 + 10 * planned_ns / 1e9;
    struct trial_result result;
    enum answer answer = run(record, task, input, where, &result);
    if (answer == COUNTER_LOST)
        do_without_counter(record, result.report.counter_reason);
    if (answer != GOOD)
        return answer;
    record->trials[record->trial_count].truth = result.truth;
    record->trials[record->trial_count++].report = result.report;
    if (same_digest(record, &result.report))
        return GOOD;
    record->digest_same = false;
    return conclude(record, OUTCOME_UNSTABLE, "gave another digest in another process for the same message");
}

static enum answer run_trials(struct record *record, const struct options *options, struct trial_task *task, int input,
                              int64_t start_ns)
{
    task->use_counter = uses(record, "perf_event");
    task->use_chain = uses(record, "core_clock_estimate");
    record->trial_count = 0;
    record->stopped = NULL;
    enum answer answer = GOOD;
    while (answer == GOOD && record->stopped == NULL) {
        answer = run_trial(record, task, input);
        judge(record, options);
        record->stopped = reason_to_stop(record, &options->limits, (double)(clock_now_ns() - start_ns));
    }
    return answer;
}

static enum answer run_plan(struct record *record, const struct options *options, struct trial_task *task, int input)
{
    double cost_ns = call_ns(&record->calibration);
    record->plan = plan_make(cost_ns, &options->limits);
    record->planned = true;
    task->kind = TRIAL_TIMING;
    task->plan = record->plan;
    bool native = !task->emulated; /* an emulator's own memory is large, and its threads have work to do */
    double batch_ns = (double)record->plan.calls_per_batch * cost_ns;
    task->realtime = native && isolation_suits(batch_ns) && isolation_supervise();
    task->lock_memory = native;
    int64_t start_ns = clock_now_ns();
    enum answer answer = run_trials(record, options, task, input, start_ns);
    if (answer == COUNTER_LOST) /* a record has one source: all trials again */
        answer = run_trials(record, options, task, input, start_ns);
    return answer;
}

int measure(struct record *record, const struct options *options, int input)
{
    static struct trial_task task;
    task = (struct trial_task){
        .cpu = record->cpu, .digest_bits = record->digest_bits, .message_bytes = options->message_bytes,
        .emulated = self_is_emulated(), .sandbox = record->sandbox};
    snprintf(task.library, sizeof task.library, "%s", record->library);
    record->trials = calloc(PLAN_MAX_TRIALS, sizeof *record->trials);
    if (record->trials == NULL) {
        snprintf(record->reason, sizeof record->reason, "no memory for %d trials", PLAN_MAX_TRIALS);
        return -1;
    }
    struct reference_of of = {record->driver_sha256, record->cpu, options_made_from(options, "machine"),
                              options_made_from(options, "fitness")};
    reference_start(&record->reference, options->canary, &of);
    enum answer answer = calibrate(record, options, &task, input);
    if (answer == GOOD)
        answer = run_plan(record, options, &task, input);
    if (answer == GOOD)
        record->status = "MEASURED";
    else
        record->stopped = NULL;
    return answer == NOT_RUN ? -1 : 0;
}
