/* The planner's promises, for any cost of a call from 1 ns to 10 s and many limits. */
#include "plan.h"

#include <math.h>

#include "check.h"

static void promises_hold(double call_ns, const struct plan_limits *limits)
{
    struct plan plan = plan_make(call_ns, limits);
    double calls = (double)plan.calls_per_trial, trial_ns = calls * call_ns;
    double all_ns = trial_ns * limits->trials;
    double least = ceil(100.0 / limits->trials);

    CHECK(plan.calls_per_trial >= 1 && plan.calls_per_trial <= limits->max_calls);
    CHECK(all_ns <= (double)limits->budget_ns * (1 + 1e-9) || plan.calls_per_trial == 1);
    /* Another call would be too many for budget or limit, or the trial is as long, its calls as many, as asked for. */
    int can_grow = calls < (double)limits->max_calls &&
                   (calls + 1) * call_ns * limits->trials <= (double)limits->budget_ns * (1 - 1e-9);
    CHECK(!can_grow || (trial_ns >= (double)limits->target_ns * (1 - 1e-9) && calls >= least));
    /* No more calls than target and least count need. */
    CHECK(calls <= 1 || calls <= least || (calls - 1) * call_ns < (double)limits->target_ns);

    CHECK(plan.batches_per_trial >= 1 && plan.batches_per_trial <= PLAN_MAX_BATCHES);
    CHECK((uint64_t)plan.batches_per_trial <= plan.calls_per_trial);
    CHECK(plan.batches_per_trial >= 10 || (uint64_t)plan.batches_per_trial == plan.calls_per_trial);
    uint64_t sum = 0;
    for (int i = 0; i < plan.batches_per_trial; i++) {
        uint64_t batch = plan_batch_calls(&plan, i);
        CHECK(batch >= 1 && batch >= plan.calls_per_trial / (uint64_t)plan.batches_per_trial);
        CHECK(batch <= plan.calls_per_trial / (uint64_t)plan.batches_per_trial + 1);
        sum += batch;
    }
    CHECK(sum == plan.calls_per_trial);
}

static void any_cost_and_limits(void)
{
    static const int trials[] = {1, 3, 5, 100};
    static const uint64_t targets[] = {1, 1000000, 100000000, 1000000000}, budgets[] = {1, 1000000000, 900000000000};
    static const uint64_t most[] = {1, 7, 20000, 1000000000};
    for (double call_ns = 1; call_ns < 1.1e10; call_ns *= 1.37)
        for (int i = 0; i < 4 * 4 * 3 * 4; i++)
            promises_hold(call_ns, &(struct plan_limits){trials[i % 4], targets[i / 4 % 4], budgets[i / 16 % 3],
                                                         most[i / 48]});
}

static void published_settings(void)
{
    struct plan_limits arm = {5, 500000000, UINT64_C(300000000000), 20000};
    CHECK(plan_make(184, &arm).calls_per_trial == 20000);
    CHECK(plan_make(1e8, &arm).calls_per_trial == 20);   /* 100 measurements */
    CHECK(plan_make(1e10, &arm).calls_per_trial == 6);   /* the budget */
    CHECK(plan_make(1e11, &arm).calls_per_trial == 1);
    CHECK(plan_make(1e6, &arm).batches_per_trial == 50); /* 10 ms each */
}

static void warmup(void)
{
    CHECK(plan_warmup(1) == 3 && plan_warmup(49.9e6) == 3);
    CHECK(plan_warmup(50e6) == 1 && plan_warmup(4.9e9) == 1);
    CHECK(plan_warmup(5e9) == 0);
}

int main(void)
{
    any_cost_and_limits();
    published_settings();
    warmup();
    return failures != 0;
}
