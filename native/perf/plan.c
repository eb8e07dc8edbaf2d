#include "plan.h"

#include <math.h>

static const double BATCH_NS = 10e6;
static const double MIN_BATCHES = 10;
static const double MIN_MEASUREMENTS = 100; /* the guide's "at least 100 measurements per figure" */

int plan_warmup(double call_ns)
{
    return call_ns < 50e6 ? 3 : call_ns < 5e9 ? 1 : 0;
}

struct plan plan_make(double call_ns, const struct plan_limits *limits)
{
    double calls = ceil((double)limits->target_ns / call_ns);
    calls = fmax(calls, ceil(MIN_MEASUREMENTS / limits->trials));
    calls = fmin(calls, (double)limits->max_calls);
    double affordable = floor((double)limits->budget_ns / limits->trials / call_ns);
    calls = fmax(fmin(calls, affordable), 1);

    double batches = round(calls * call_ns / BATCH_NS);
    batches = fmin(fmax(batches, MIN_BATCHES), PLAN_MAX_BATCHES);
    batches = fmin(batches, calls);
    return (struct plan){plan_warmup(call_ns), (uint64_t)calls, (int)batches};
}

uint64_t plan_batch_calls(const struct plan *plan, int index)
{
    uint64_t batches = (uint64_t)plan->batches_per_trial;
    uint64_t whole = plan->calls_per_trial / batches, rest = plan->calls_per_trial % batches;
    return whole + ((uint64_t)index < rest ? 1 : 0);
}
