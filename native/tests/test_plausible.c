/* Nothing in a report is believed that can't be: one figure at a time of a good report is forged. */
#include "plausible.h"

#include "check.h"

enum { BATCHES = 3, BATCH_NS = 10000000, STEP_NS = 11000000, START_NS = 1000000000, BEGUN_NS = START_NS + 4000000 };

static struct trial_task task;
static struct trial_report report;
static struct trial_truth truth;
static char why[128];

/* Batches of 10 ms, each with a canary in a step of 11 ms; CPU time is 0.5 ms more than what is accounted for. */
static void put_good(enum trial_kind kind)
{
    int64_t end_ns = BEGUN_NS + BATCHES * STEP_NS + 1000000;
    task = (struct trial_task){.kind = kind, .cpu = 1, .use_counter = true, .use_chain = true,
                               .least_canary_ns = 100000, .plan = {3, 1000, BATCHES}};
    report = (struct trial_report){.clock_step_ns = 20, .cpu_before = 1, .cpu_after = 1, .chain_before_ns = 20000,
                                   .chain_after_ns = 20000, .frequency_khz = -1, .repeats = {64, 2, 5000, 9000, 3},
                                   .ready_ns = START_NS + 1000000, .begun_ns = BEGUN_NS, .end_ns = end_ns,
                                   .ready_cpu_ns = 900000, .end_untimed_ns = 500000};
    for (int i = 0; i < BATCHES; i++) {
        report.batches[i] = (struct trial_batch){.calls = 1000, .elapsed_ns = BATCH_NS, .cpu_ns = BATCH_NS + 100,
                                                 .reference_ticks = 3 * BATCH_NS, .events = {1, 2, 3, 4}, .cpu = i,
                                                 .counted = {3 * BATCH_NS, BATCH_NS, BATCH_NS}};
        report.batch_moments_ns[i] = BEGUN_NS + (i + 1) * STEP_NS;
    }
    for (int i = 0; i <= BATCHES; i++)
        report.canaries_ns[i] = 100000, report.untimed_ns[i] = 150000;
    truth = (struct trial_truth){START_NS, end_ns + 1000000, (uint64_t)(end_ns + 1000000 - START_NS) * 3,
                                 32500000, 2048};
    if (kind == TRIAL_CALIBRATION)
        report.end_untimed_ns = 31000000;
}

static bool plausible(void)
{
    why[0] = '\0';
    return plausible_report(&task, &report, &truth, why, sizeof why);
}

/* What the figure must not be, and the words that say so. */
#define FORGED(kind, figure, value, words)                                    \
    do {                                                                      \
        put_good(kind);                                                       \
        figure = value;                                                       \
        CHECK(!plausible());                                                  \
        CHECK(strstr(why, words) != NULL);                                    \
    } while (0)

#define FORGED_EVERYWHERE(figure, value, words)                               \
    do {                                                                      \
        FORGED(TRIAL_CALIBRATION, report.batches[0].figure, value, words);    \
        for (int i = 0; i < BATCHES; i++)                                     \
            FORGED(TRIAL_TIMING, report.batches[i].figure, value, words);     \
    } while (0)

static void batches(void)
{
    FORGED_EVERYWHERE(calls, 0, "calls that were planned");
    FORGED(TRIAL_TIMING, report.batches[1].calls, 999, "calls that were planned");
    FORGED_EVERYWHERE(elapsed_ns, -1, "than there was time");
    FORGED_EVERYWHERE(elapsed_ns, 2 * STEP_NS, "than there was time");
    FORGED_EVERYWHERE(elapsed_ns, INT64_MAX, "than there was time");
    FORGED_EVERYWHERE(cpu_ns, -1, "had the CPU longer");
    FORGED_EVERYWHERE(cpu_ns, BATCH_NS + 20000001, "had the CPU longer");
    FORGED_EVERYWHERE(cpu, -1, "out of range");
    FORGED_EVERYWHERE(cpu, 8192, "out of range");
    FORGED_EVERYWHERE(events.voluntary_switches, -1, "out of range");
    FORGED_EVERYWHERE(events.involuntary_switches, -1, "out of range");
    FORGED_EVERYWHERE(events.minor_faults, INT64_MAX, "out of range");
    FORGED_EVERYWHERE(events.major_faults, INT64_MIN, "out of range");
    FORGED_EVERYWHERE(counted.cycles, 0, "counted cycles");
    FORGED_EVERYWHERE(counted.running_ns, BATCH_NS + 1, "counted cycles");
    FORGED_EVERYWHERE(counted.enabled_ns, 2 * STEP_NS, "counted cycles");
    FORGED_EVERYWHERE(counted.enabled_ns, UINT64_MAX, "counted cycles");
}

static void a_counter_that_was_switched_off(void)
{
    for (int half = 0; half < 2; half++) {
        put_good(TRIAL_TIMING);
        struct counter_reading *counted = &report.batches[1].counted;
        counted->enabled_ns = counted->running_ns = half ? BATCH_NS / 2 : BATCH_NS * 95 / 100;
        CHECK(plausible() == !half);
    }
}

static void around_batches(void)
{
    for (int i = 0; i <= BATCHES; i++) {
        FORGED(TRIAL_TIMING, report.canaries_ns[i], 0, "a canary");
        FORGED(TRIAL_TIMING, report.canaries_ns[i], STEP_NS, "a canary");
        FORGED(TRIAL_TIMING, report.canaries_ns[i], INT64_MAX, "a canary");
        FORGED(TRIAL_TIMING, report.untimed_ns[i], -1, "untimed calls");
        FORGED(TRIAL_TIMING, report.untimed_ns[i], INT64_MAX, "untimed calls");
    }
    FORGED(TRIAL_TIMING, report.end_untimed_ns, INT64_MAX, "untimed calls");
    FORGED(TRIAL_TIMING, report.ready_cpu_ns, -1, "untimed calls");
    FORGED(TRIAL_TIMING, report.ready_cpu_ns, truth.cpu_ns + 1, "untimed calls");
    FORGED(TRIAL_TIMING, report.chain_before_ns, 0, "core clock");
    FORGED(TRIAL_TIMING, report.chain_after_ns, STEP_NS, "core clock");
    FORGED(TRIAL_TIMING, report.cpu_before, -1, "out of range");
    FORGED(TRIAL_TIMING, report.cpu_after, 8192, "out of range");
    FORGED(TRIAL_TIMING, report.frequency_khz, -2, "out of range");
    FORGED(TRIAL_CALIBRATION, report.clock_step_ns, 0, "step");
    FORGED(TRIAL_CALIBRATION, report.repeats.plain_calls, 0, "alternating");
    FORGED(TRIAL_CALIBRATION, report.repeats.plain_ns, 0, "alternating");
    FORGED(TRIAL_CALIBRATION, report.repeats.alternating_ns, INT64_MAX, "alternating");
    FORGED(TRIAL_CALIBRATION, report.repeats.alternating_calls, 0, "alternating");
}

/* Those behind batches are subtracted all the same. */
static void canaries_that_nobody_asked_for(void)
{
    static const int64_t forged[] = {-1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        for (int batch = 1; batch <= BATCHES; batch++) {
            put_good(TRIAL_TIMING);
            task.least_canary_ns = 0;
            report.canaries_ns[batch] = forged[i];
            CHECK(!plausible() && strstr(why, "than there was time") != NULL);
        }
}

static void moments(void)
{
    static const int64_t forged[] = {INT64_MIN, 0, START_NS + 60000000, INT64_MAX};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        FORGED(TRIAL_TIMING, report.ready_ns, forged[i], "its clock");
        FORGED(TRIAL_TIMING, report.begun_ns, forged[i], "its clock");
        FORGED(TRIAL_TIMING, report.end_ns, forged[i], "its clock");
        for (int batch = 0; batch < BATCHES; batch++)
            FORGED(TRIAL_TIMING, report.batch_moments_ns[batch], forged[i], "its clock");
        FORGED(TRIAL_CALIBRATION, report.batch_moments_ns[0], forged[i], "its clock");
    }
}

/* All times of the process are halved, as by a clock that runs at half speed. */
static void halve(void)
{
    for (int i = 0; i < BATCHES; i++) {
        report.batches[i].elapsed_ns /= 2, report.batches[i].cpu_ns /= 2;
        report.batches[i].counted = (struct counter_reading){3 * BATCH_NS, BATCH_NS / 2, BATCH_NS / 2};
    }
    for (int i = 0; i <= BATCHES; i++)
        report.canaries_ns[i] /= 2, report.untimed_ns[i] /= 2;
    report.end_untimed_ns /= 2;
}

static void a_clock_at_half_speed(void)
{
    put_good(TRIAL_TIMING);
    halve();
    CHECK(!plausible() && strstr(why, "ticks") != NULL);

    put_good(TRIAL_TIMING); /* with the ticks, that is as much as short trials may hide */
    halve();
    for (int i = 0; i < BATCHES; i++)
        report.batches[i].reference_ticks /= 2;
    CHECK(plausible());
    CHECK(plausible_unaccounted_ns(&task, &report, &truth) == 32500000 - 900000 - 15000000 - 300000 - 250000);
    truth.cpu_ns += 10000000;
    CHECK(!plausible() && strstr(why, "CPU time") != NULL);

    put_good(TRIAL_TIMING);
    truth.cpu_ns -= 25000000;
    CHECK(!plausible() && strstr(why, "CPU time") != NULL);

    put_good(TRIAL_CALIBRATION);
    report.end_untimed_ns /= 4;
    CHECK(!plausible() && strstr(why, "CPU time") != NULL);
}

static void time_that_goes_into_untimed_calls(void)
{
    put_good(TRIAL_TIMING);
    for (int i = 1; i <= BATCHES; i++)
        report.untimed_ns[i] = BATCH_NS;
    /* Ten calls, a millisecond and the canary are believed. */
    CHECK(plausible_untimed_ns(&report, BATCHES) == 500000 + 150000 + 3 * (100000 + 1000000 + 100000));

    put_good(TRIAL_TIMING); /* around the batches, the time that there was */
    report.untimed_ns[0] = report.end_untimed_ns = 25000000;
    CHECK(plausible_untimed_ns(&report, BATCHES) == 1000000 + 3000000 + 3 * 150000);
    truth.cpu_ns += 30000000;
    CHECK(!plausible() && strstr(why, "CPU time") != NULL);

    put_good(TRIAL_CALIBRATION);
    report.end_untimed_ns = 50000000;
    CHECK(plausible_untimed_ns(&report, 0) == report.end_ns - report.ready_ns);
}

static void what_frees_memory_may_take_longer(void)
{
    put_good(TRIAL_TIMING);
    truth.cpu_ns += 30000000;
    CHECK(!plausible());
    truth.peak_rss_kib = 1 << 20;
    CHECK(plausible());
    truth.cpu_ns += 15000000; /* but no longer than so */
    CHECK(!plausible());
}

static void what_takes_long_to_begin_takes_long_to_end(void)
{
    put_good(TRIAL_TIMING);
    truth.cpu_ns += 25000000;
    CHECK(!plausible() && strstr(why, "CPU time") != NULL);
    report.ready_cpu_ns += 20000000, truth.cpu_ns += 20000000;
    CHECK(plausible());
}

static void what_is_good_is_believed(void)
{
    put_good(TRIAL_TIMING);
    CHECK(plausible());
    CHECK(plausible_unaccounted_ns(&task, &report, &truth) == 500000);
    report.batches[2].reference_ticks *= 2; /* one of three: something came between two readings */
    report.batches[1].cpu_ns = 0;           /* a coarse clock */
    CHECK(plausible());
    put_good(TRIAL_CALIBRATION);
    CHECK(plausible());
    report.repeats = (struct trial_repeats){0};
    CHECK(plausible());
    put_good(TRIAL_TIMING); /* what the task doesn't ask for is not looked at */
    task.least_canary_ns = 0, task.use_chain = task.use_counter = false;
    report.canaries_ns[0] = report.chain_before_ns = -1;
    report.batches[0].counted.cycles = 0;
    truth.reference_ticks = 0;
    CHECK(plausible());
    truth.cpu_ns *= 10; /* an emulator has work of its own */
    CHECK(!plausible());
    task.emulated = true;
    CHECK(plausible());
}

int main(void)
{
    what_is_good_is_believed();
    batches();
    a_counter_that_was_switched_off();
    around_batches();
    canaries_that_nobody_asked_for();
    moments();
    a_clock_at_half_speed();
    time_that_goes_into_untimed_calls();
    what_frees_memory_may_take_longer();
    what_takes_long_to_begin_takes_long_to_end();
    return failures != 0;
}
