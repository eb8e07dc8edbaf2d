/* Sums over the batches of a trial. */
#include "trial.h"

#include "check.h"

int main(void)
{
    enum { BATCHES = 3 };
    static struct trial_report report;
    for (int i = 0; i < BATCHES; i++)
        report.batches[i] = (struct trial_batch){.calls = 1000, .elapsed_ns = 10000000, .cpu_ns = 10000100,
                                                 .reference_ticks = 5, .counted = {30000000, 10000000, 10000000},
                                                 .events = {1, 2, 3, 4}, .cpu = i};
    struct trial_batch total = trial_total(&report, BATCHES);
    CHECK(total.calls == 3000 && total.elapsed_ns == 30000000 && total.cpu_ns == 30000300);
    CHECK(total.reference_ticks == 15 && total.counted.cycles == 90000000);
    CHECK(total.counted.enabled_ns == 30000000 && total.counted.running_ns == 30000000);
    CHECK(total.events.voluntary_switches == 3 && total.events.involuntary_switches == 6);
    CHECK(total.events.minor_faults == 9 && total.events.major_faults == 12 && total.cpu == 2);
    return failures != 0;
}
