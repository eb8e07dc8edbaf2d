/* When enough trials are done. The only statistic of the drivers, and never printed: the figures are made elsewhere. */
#ifndef NGCC_STOP_H
#define NGCC_STOP_H

#include <stdbool.h>

#include "plan.h"

/* Of a trial's undisturbed batches. */
struct stop_trial {
    int batches;
    double mean_ns; /* of a call, over all of them; anything where there are none */
};

/* 97.5 % quantile of Student's t with so many degrees of freedom, 1 or more; to 0.001. */
double stop_t(int degrees);

/* Whether the 95 % interval over trials is as narrow as planned, and enough is undisturbed: half of the batches that
 * the least number of trials has, and that number of trials with 2 of them (1 where a trial has no more). */
bool stop_is_precise(const struct stop_trial *trials, int count, const struct plan *plan,
                     const struct plan_limits *limits);

#endif
