/* Nothing in a report is believed that can't be: one figure at a time of a good report is forged. */
#include "trial.h"

#include "check.h"

enum { BATCHES = 3, WALL_NS = 40000000 };

static struct trial_task task;
static struct trial_report report;

static void put_good(enum trial_kind kind)
{
    task = (struct trial_task){.kind = kind, .cpu = 1, .use_counter = true, .use_chain = true,
                               .least_canary_ns = 100000, .plan = {3, 1000, BATCHES}};
    report = (struct trial_report){.clock_step_ns = 20, .cpu_before = 1, .cpu_after = 1, .chain_before_ns = 20000,
                                   .chain_after_ns = 20000, .frequency_khz = -1};
    for (int i = 0; i < BATCHES; i++)
        report.batches[i] = (struct trial_batch){.calls = 1000, .elapsed_ns = 10000000, .cpu_ns = 10000100,
                                                 .reference_ticks = 5, .counted = {30000000, 10000000, 10000000},
                                                 .events = {1, 2, 3, 4}, .cpu = i};
    for (int i = 0; i <= BATCHES; i++)
        report.canaries_ns[i] = 100000;
}

static bool plausible(void)
{
    return trial_is_plausible(&task, &report, WALL_NS);
}

/* What the figure must not be. */
#define FORGED(kind, figure, value)    \
    do {                               \
        put_good(kind);                \
        figure = value;                \
        CHECK(!plausible());           \
    } while (0)

#define FORGED_EVERYWHERE(figure, value)                                    \
    do {                                                                    \
        FORGED(TRIAL_CALIBRATION, report.batches[0].figure, value);         \
        for (int i = 0; i < BATCHES; i++)                                   \
            FORGED(TRIAL_TIMING, report.batches[i].figure, value);          \
    } while (0)

static void batches(void)
{
    FORGED_EVERYWHERE(calls, 0);
    FORGED(TRIAL_TIMING, report.batches[1].calls, 999);
    FORGED_EVERYWHERE(elapsed_ns, -1);
    FORGED_EVERYWHERE(elapsed_ns, WALL_NS + 1);
    FORGED(TRIAL_TIMING, report.batches[2].elapsed_ns, WALL_NS - 19999999); /* all together */
    FORGED_EVERYWHERE(cpu_ns, -1);
    FORGED_EVERYWHERE(cpu_ns, WALL_NS);
    FORGED_EVERYWHERE(cpu, -1);
    FORGED_EVERYWHERE(cpu, 8192);
    FORGED_EVERYWHERE(events.voluntary_switches, -1);
    FORGED_EVERYWHERE(events.involuntary_switches, -1);
    FORGED_EVERYWHERE(events.minor_faults, INT64_MAX);
    FORGED_EVERYWHERE(events.major_faults, INT64_MIN);
    FORGED_EVERYWHERE(counted.cycles, 0);
    FORGED_EVERYWHERE(counted.running_ns, 10000001);
    FORGED_EVERYWHERE(counted.enabled_ns, WALL_NS + 1);
}

static void trials(void)
{
    for (int i = 0; i <= BATCHES; i++) {
        FORGED(TRIAL_TIMING, report.canaries_ns[i], 0);
        FORGED(TRIAL_TIMING, report.canaries_ns[i], 10000000);
        FORGED(TRIAL_TIMING, report.canaries_ns[i], INT64_MAX);
    }
    FORGED(TRIAL_TIMING, report.chain_before_ns, 0);
    FORGED(TRIAL_TIMING, report.chain_after_ns, WALL_NS);
    FORGED(TRIAL_TIMING, report.cpu_before, -1);
    FORGED(TRIAL_TIMING, report.cpu_after, 8192);
    FORGED(TRIAL_TIMING, report.frequency_khz, -2);
    FORGED(TRIAL_CALIBRATION, report.clock_step_ns, 0);
}

static void what_is_good_is_believed(void)
{
    put_good(TRIAL_TIMING);
    CHECK(plausible());
    put_good(TRIAL_CALIBRATION);
    CHECK(plausible());
    put_good(TRIAL_TIMING); /* what the task doesn't ask for is not looked at */
    task.least_canary_ns = 0, task.use_chain = task.use_counter = false;
    report.canaries_ns[0] = report.chain_before_ns = -1;
    report.batches[0].counted.cycles = 0;
    CHECK(plausible());
}

static void totals(void)
{
    put_good(TRIAL_TIMING);
    struct trial_batch total = trial_total(&report, BATCHES);
    CHECK(total.calls == 3000 && total.elapsed_ns == 30000000 && total.cpu_ns == 30000300);
    CHECK(total.reference_ticks == 15 && total.counted.cycles == 90000000);
    CHECK(total.counted.enabled_ns == 30000000 && total.counted.running_ns == 30000000);
    CHECK(total.events.voluntary_switches == 3 && total.events.involuntary_switches == 6);
    CHECK(total.events.minor_faults == 9 && total.events.major_faults == 12 && total.cpu == 2);
}

int main(void)
{
    what_is_good_is_believed();
    batches();
    trials();
    totals();
    return failures != 0;
}
