/* How many calls to time: pure arithmetic on the calibrated cost of one call. */
#ifndef NGCC_PLAN_H
#define NGCC_PLAN_H

#include <stdint.h>

enum { PLAN_MAX_BATCHES = 200 };

struct plan_limits {
    int trials;
    uint64_t target_ns; /* what a trial should last */
    uint64_t budget_ns; /* what all trials together may last */
    uint64_t max_calls; /* of a trial */
};

struct plan {
    int warmup_calls;         /* of a trial, before its timed calls */
    uint64_t calls_per_trial; /* 1 … max_calls */
    int batches_per_trial;    /* 1 … PLAN_MAX_BATCHES, never more than calls */
};

/* call_ns: cost of one call, ns, above 0. */
struct plan plan_make(double call_ns, const struct plan_limits *limits);

/* Warm-up calls before timing: 3 below 50 ms a call, 1 below 5 s, else none. */
int plan_warmup(double call_ns);

/* Calls of batch `index`, so that sizes differ by one at most and add up to calls_per_trial. */
uint64_t plan_batch_calls(const struct plan *plan, int index);

#endif
