/* How many calls to time: pure arithmetic on the calibrated cost of one call. */
#ifndef NGCC_PLAN_H
#define NGCC_PLAN_H

#include <stdint.h>

enum { PLAN_MAX_BATCHES = 200, PLAN_MAX_TRIALS = 100 };

struct plan_limits {
    int trials;          /* at least so many, up to PLAN_MAX_TRIALS */
    uint64_t target_ns;  /* what a trial should last */
    uint64_t budget_ns;  /* what all trials together may last */
    double precision;    /* half-width of the 95 % interval over the mean, with which measuring ends */
    double patience;     /* how many times trials * target_ns that may take */
};

struct plan {
    int warmup_calls; /* of a trial, before its first canary */
    uint64_t calls_per_batch;
    int batches_per_trial; /* 1 … PLAN_MAX_BATCHES */
};

/* call_ns: cost of one call, ns, above 0. */
struct plan plan_make(double call_ns, const struct plan_limits *limits);

/* Warm-up calls before timing: 3 below 50 ms a call, 1 below 5 s, else none. */
int plan_warmup(double call_ns);

/* Untimed calls before each batch, so that it starts as warm as it goes on: none before a batch of one call, which
 * lasts so long that the canary before it has cooled nothing, and which they would double. */
int plan_untimed(const struct plan *plan);

/* What a trial by plan lasts, ns, canaries left out. */
double plan_trial_ns(const struct plan *plan, double call_ns);

#endif
