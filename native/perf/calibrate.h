/* In a trial's process: what a call costs, roughly, and whether the library remembers answers. */
#ifndef NGCC_CALIBRATE_H
#define NGCC_CALIBRATE_H

#include "caller.h"

/* Of messages that long, repeats are tried; longer ones might not fit twice into the caches. */
enum { CALIBRATE_MOST_BYTES = 65536 };

/* Fills in *best, the batch with the fastest calls, and *clock_step_ns. */
void calibrate(struct caller *caller, struct trial_batch *best, int64_t *clock_step_ns);

/* Tries repeats, if that takes no longer than the task allows; `best` is what calibrate found. */
void calibrate_repeats(struct caller *caller, const struct trial_batch *best, struct trial_repeats *repeats);

#endif
