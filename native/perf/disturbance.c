#include "disturbance.h"

#include "canary.h"
#include "clock.h"

#include <math.h>
#include <stdio.h>

static const double CLOCK_TOLERANCE = 0.05, OFF_CPU_TOLERANCE = 0.001;

static bool leaves(double hz, double clock_hz)
{
    return clock_hz > 0 && fabs(hz / clock_hz - 1) > CLOCK_TOLERANCE;
}

static bool canary_disturbed(const struct trial_report *report, int batch, const struct expectation *expected)
{
    return expected->least_canary_ns > 0 &&
           (canary_is_disturbed(report->canaries_ns[batch], expected->least_canary_ns) ||
            canary_is_disturbed(report->canaries_ns[batch + 1], expected->least_canary_ns));
}

/* Multiplexed counts scaled. */
static double counted_hz(const struct trial_batch *batch)
{
    double share = (double)batch->counted.running_ns / (double)batch->counted.enabled_ns;
    return (double)batch->counted.cycles / share / ((double)batch->elapsed_ns / 1e9);
}

static bool clock_disturbed(const struct trial_report *report, int batch, const struct expectation *expected)
{
    if (expected->counted)
        return leaves(counted_hz(&report->batches[batch]), expected->clock_hz);
    if (!expected->chained)
        return false;
    double before = (double)report->chain_before_ns, after = (double)report->chain_after_ns;
    return fmax(before, after) > (1 + CLOCK_TOLERANCE) * fmin(before, after) ||
           leaves(1e9 * CLOCK_CHAIN_ADDITIONS / before, expected->clock_hz) ||
           leaves(1e9 * CLOCK_CHAIN_ADDITIONS / after, expected->clock_hz);
}

static bool was_switched(const struct trial_batch *batch)
{
    double off_cpu_ns = (double)batch->elapsed_ns - (double)batch->cpu_ns;
    return batch->events.involuntary_switches > 0 && off_cpu_ns > OFF_CPU_TOLERANCE * (double)batch->elapsed_ns;
}

unsigned disturbance_of(const struct trial_report *report, int batch, const struct expectation *expected)
{
    unsigned found = 0;
    if (canary_disturbed(report, batch, expected))
        found |= DISTURBED_CANARY;
    if (clock_disturbed(report, batch, expected))
        found |= DISTURBED_CLOCK;
    if (was_switched(&report->batches[batch]))
        found |= DISTURBED_SWITCHED;
    if (report->batches[batch].cpu != expected->cpu)
        found |= DISTURBED_MIGRATED;
    return found;
}

void disturbance_words(unsigned disturbance, char *text, size_t capacity)
{
    static const struct {
        enum disturbance bit;
        const char *word;
    } words[] = {{DISTURBED_CANARY, "canary"},
                 {DISTURBED_CLOCK, "clock"},
                 {DISTURBED_SWITCHED, "switched"},
                 {DISTURBED_MIGRATED, "migrated"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (disturbance & words[i].bit)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used > 0 ? " " : "", words[i].word);
}
