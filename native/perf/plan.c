#include "plan.h"

#include <math.h>

static const double BATCH_NS = 10e6;
static const double BATCHES = 10;           /* of a short trial */
static const double MIN_MEASUREMENTS = 100; /* the guide's "at least 100 measurements per figure" */

int plan_warmup(double call_ns)
{
    return call_ns < 50e6 ? 3 : call_ns < 5e9 ? 1 : 0;
}

int plan_untimed(const struct plan *plan)
{
    return plan->calls_per_batch > 1 ? 1 : 0;
}

static double batch_ns(const struct plan *plan, double call_ns)
{
    return ((double)plan->calls_per_batch + plan_untimed(plan)) * call_ns;
}

double plan_trial_ns(const struct plan *plan, double call_ns)
{
    return plan->warmup_calls * call_ns + plan->batches_per_trial * batch_ns(plan, call_ns);
}

struct plan plan_make(double call_ns, const struct plan_limits *limits)
{
    double target_ns = (double)limits->target_ns;
    double aim_ns = fmax(fmin(BATCH_NS, target_ns / BATCHES), target_ns / PLAN_MAX_BATCHES);
    double calls = fmax(round(aim_ns / call_ns), 1);
    double batches = fmax(round(target_ns / (calls * call_ns)), 1);
    batches = fmax(batches, ceil(ceil(MIN_MEASUREMENTS / limits->trials) / calls));
    batches = fmin(batches, PLAN_MAX_BATCHES);

    /* Where the budget has too little for that: fewer batches, and one of fewer calls at last. */
    double share_ns = (double)limits->budget_ns / limits->trials;
    struct plan plan = {plan_warmup(call_ns), (uint64_t)calls, 1};
    plan.batches_per_trial = (int)fmax(fmin(batches, floor(share_ns / batch_ns(&plan, call_ns))), 1);
    if (plan.batches_per_trial == 1)
        plan.calls_per_batch = (uint64_t)fmax(fmin(calls, floor(share_ns / call_ns)), 1);
    return plan;
}
