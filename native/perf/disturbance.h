/* What speaks against a batch. The supervisor judges, from what a trial reported. */
#ifndef NGCC_DISTURBANCE_H
#define NGCC_DISTURBANCE_H

#include <stddef.h>

#include "trial.h"

/* Bits; the record has them as words in this order. */
enum disturbance { DISTURBED_CANARY = 1, DISTURBED_CLOCK = 2, DISTURBED_SWITCHED = 4, DISTURBED_MIGRATED = 8 };

struct expectation {
    int cpu;
    double clock_hz;         /* fixed clock, Hz; 0 where not known */
    int64_t least_canary_ns; /* 0: no canary */
    bool counted, chained;   /* cycles of a counter, or the chain of additions before and after */
};

/* The bits of batch number `batch` of the trial. */
unsigned disturbance_of(const struct trial_report *report, int batch, const struct expectation *expected);

/* "canary switched"; "" for 0. */
void disturbance_words(unsigned disturbance, char *text, size_t capacity);

#endif
