/* Whether a trial's report can be true: what its process says of its own time is held against what the kernel and the
 * supervisor's clocks tell. A library that slows the process's clock, or changes figures in its memory, leaves CPU time
 * that nothing accounts for, or ticks that don't fit the time. */
#ifndef NGCC_PLAUSIBLE_H
#define NGCC_PLAUSIBLE_H

#include "trial.h"

/* CPU time that may be unaccounted for, besides what the process took to be ready: ns, share of what it took since, ns
 * a KiB of its memory, at most so many ns.
 * Checking what calls did, writing the report and giving memory back take some; a hypervisor that takes the CPU meanwhile
 * counts as well. */
#define PLAUSIBLE_UNACCOUNTED_NS 20e6
#define PLAUSIBLE_UNACCOUNTED 0.05
#define PLAUSIBLE_NS_PER_KIB 250
#define PLAUSIBLE_MEMORY_NS 20e6

/* True, or false with a clause that says what can't be. */
bool plausible_report(const struct trial_task *task, const struct trial_report *report, const struct trial_truth *truth,
                      char *why, size_t capacity);

/* CPU time of all but the batches, of which a trial has so many, as far as it is believed, ns: the call before a batch
 * can't take as long as the batch, nor what comes before the first and after the last longer than there was time. */
int64_t plausible_untimed_ns(const struct trial_report *report, int batches);

/* CPU time since the process was ready that nothing of the report accounts for, ns. */
int64_t plausible_unaccounted_ns(const struct trial_task *task, const struct trial_report *report,
                                 const struct trial_truth *truth);

#endif
