#include "measure.h"

#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPETITIONS = 2 };
static const double LOST_CORE = 0.95;

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

static enum answer run(struct record *record, const struct trial_task *task, int input, double limit_seconds,
                       const char *where, struct trial_result *result)
{
    if (trial_run(task, input, limit_seconds, where, result) != 0) {
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

static enum answer calibrate(struct record *record, const struct options *options, struct trial_task *task, int input)
{
    struct trial_result result;
    double share_seconds = (double)options->limits.budget_ns / 1e9 / options->limits.trials;
    /* A trial makes one call at least, however long it takes. */
    double limit_seconds = fmax(60, 5 + 2 * share_seconds);
    task->kind = TRIAL_CALIBRATION;
    task->share_ns = (int64_t)(share_seconds * 1e9);
    enum answer answer = run(record, task, input, limit_seconds, "during calibration", &result);
    if (answer != GOOD)
        return answer;
    const struct trial_report *report = &result.report;
    record->calibration = report->batches[0];
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

/* Share of the fixed clock's cycles that a trial got, multiplexed counts scaled; 1 where that can't be told. */
static double clock_share(const struct record *record, const struct trial_report *report, double clock_hz)
{
    double cycles = 0, seconds = 0;
    if (clock_hz == 0 || !uses(record, "perf_event"))
        return 1;
    for (int i = 0; i < record->plan.batches_per_trial; i++) {
        const struct counter_reading *counted = &report->batches[i].counted;
        cycles += (double)counted->cycles * (double)counted->enabled_ns / (double)counted->running_ns;
        seconds += (double)report->batches[i].elapsed_ns / 1e9;
    }
    return seconds > 0 ? cycles / seconds / clock_hz : 1;
}

/* One trial, and its repetitions. */
static enum answer run_trial(struct record *record, const struct options *options, const struct trial_task *task,
                             int input, int trial)
{
    double planned_ns = (double)(record->plan.calls_per_trial + 3) * call_ns(&record->calibration);
    char where[32];
    snprintf(where, sizeof where, "during trial %d", trial);
    for (int repetition = 0; repetition <= MAX_REPETITIONS; repetition++) {
        struct trial_result result;
        enum answer answer = run(record, task, input, 10 + 10 * planned_ns / 1e9, where, &result);
        if (answer == COUNTER_LOST)
            do_without_counter(record, result.report.counter_reason);
        if (answer != GOOD)
            return answer;
        struct record_trial *done = &record->trials[record->trial_count++];
        *done = (struct record_trial){.trial = trial, .repetition = repetition, .used = true, .report = result.report};
        if (!same_digest(record, &done->report)) {
            record->digest_same = false;
            return conclude(record, OUTCOME_UNSTABLE, "gave another digest in another process for the same message");
        }
        double share = clock_share(record, &done->report, options->clock_hz);
        if (share >= LOST_CORE)
            return GOOD;
        done->used = repetition == MAX_REPETITIONS;
        snprintf(done->reason, sizeof done->reason, "lost its core: got %.1f %% of the clock's cycles", 100 * share);
    }
    return GOOD;
}

static enum answer run_trials(struct record *record, const struct options *options, struct trial_task *task, int input)
{
    task->kind = TRIAL_TIMING;
    task->plan = record->plan;
    task->use_counter = uses(record, "perf_event");
    task->use_chain = uses(record, "core_clock_estimate");
    record->trial_count = 0;
    enum answer answer = GOOD;
    for (int trial = 0; trial < options->limits.trials && answer == GOOD; trial++)
        answer = run_trial(record, options, task, input, trial);
    return answer;
}

int measure(struct record *record, const struct options *options, int input)
{
    static struct trial_task task;
    task = (struct trial_task){
        .cpu = record->cpu, .digest_bits = record->digest_bits, .message_bytes = options->message_bytes};
    snprintf(task.library, sizeof task.library, "%s", record->library);
    record->trials = calloc((size_t)options->limits.trials * (1 + MAX_REPETITIONS), sizeof *record->trials);
    if (record->trials == NULL) {
        snprintf(record->reason, sizeof record->reason, "no memory for %d trials", options->limits.trials);
        return -1;
    }
    enum answer answer = calibrate(record, options, &task, input);
    if (answer == GOOD) {
        record->plan = plan_make(call_ns(&record->calibration), &options->limits);
        record->planned = true;
        answer = run_trials(record, options, &task, input);
        if (answer == COUNTER_LOST) /* a record has one source: all trials again */
            answer = run_trials(record, options, &task, input);
    }
    if (answer == GOOD)
        record->status = "MEASURED";
    return answer == NOT_RUN ? -1 : 0;
}
