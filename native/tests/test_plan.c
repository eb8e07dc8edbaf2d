/* The planner's promises, for any cost of a call from 1 ns to 100 s and many limits. */
#include "plan.h"

#include <math.h>

#include "check.h"

static double batch_ns(const struct plan *plan, double call_ns)
{
    return ((double)plan->calls_per_batch + plan_untimed(plan)) * call_ns;
}

static void promises_hold(double call_ns, const struct plan_limits *limits)
{
    struct plan plan = plan_make(call_ns, limits);
    double calls = (double)plan.calls_per_batch, batches = plan.batches_per_trial;
    double target_ns = (double)limits->target_ns;
    double aim_ns = fmax(fmin(10e6, target_ns / 10), target_ns / PLAN_MAX_BATCHES);
    double share_ns = (double)limits->budget_ns / limits->trials;
    CHECK(plan.calls_per_batch >= 1 && plan.batches_per_trial >= 1 && plan.batches_per_trial <= PLAN_MAX_BATCHES);

    /* Within the budget, an untimed call more at most where there is but one batch. */
    CHECK(batches * batch_ns(&plan, call_ns) <= share_ns * (1 + 1e-9) || batches == 1);
    CHECK(calls * call_ns <= share_ns * (1 + 1e-9) || calls == 1);

    /* A batch is as long as it should be, to half a call, unless the budget is short of one. */
    CHECK(calls == 1 || (calls - 0.5) * call_ns <= aim_ns * (1 + 1e-9));
    CHECK((calls + 0.5) * call_ns >= aim_ns * (1 - 1e-9) || batches == 1);

    /* Another batch would be too much for the budget or the array, or isn't needed. */
    int can_grow = plan.batches_per_trial < PLAN_MAX_BATCHES &&
                   (batches + 1) * batch_ns(&plan, call_ns) <= share_ns * (1 - 1e-9);
    CHECK(!can_grow || (batches + 0.5) * calls * call_ns >= target_ns * (1 - 1e-9));
    CHECK(!can_grow || batches * calls >= ceil(100.0 / limits->trials));
}

static void any_cost_and_limits(void)
{
    static const int trials[] = {1, 3, 5, 100};
    static const uint64_t targets[] = {1, 1000000, 100000000, 1000000000, UINT64_C(30000000000)};
    static const uint64_t budgets[] = {1, 1000000000, 900000000000};
    for (double call_ns = 1; call_ns < 1e11; call_ns *= 1.037)
        for (int i = 0; i < 4 * 5 * 3; i++)
            promises_hold(call_ns, &(struct plan_limits){trials[i % 4], targets[i / 4 % 5], budgets[i / 20], 0.01, 10});
}

/* A longer message never gets more calls, if it costs as much. */
static void dearer_calls_are_never_more(void)
{
    struct plan_limits limits = {5, 100000000, UINT64_C(900000000000), 0.01, 10};
    uint64_t before = UINT64_MAX;
    for (double call_ns = 1; call_ns < 1e11; call_ns *= 1.0037) {
        uint64_t calls = plan_make(call_ns, &limits).calls_per_batch;
        CHECK(calls <= before);
        before = calls;
    }
}

static void expect(double call_ns, const struct plan_limits *limits, int warmup, uint64_t calls, int batches)
{
    struct plan plan = plan_make(call_ns, limits);
    CHECK(plan.warmup_calls == warmup && plan.calls_per_batch == calls && plan.batches_per_trial == batches);
}

static void published_settings(void)
{
    struct plan_limits arm = {5, 500000000, UINT64_C(300000000000), 0.01, 10};
    expect(184, &arm, 3, 54348, 50);
    expect(1e6, &arm, 3, 10, 50);
    expect(7e6, &arm, 3, 1, 71);
    expect(1e8, &arm, 1, 1, 20);  /* 100 measurements */
    expect(1e10, &arm, 0, 1, 6);  /* the budget */
    expect(1e11, &arm, 0, 1, 1);
    struct plan_limits tiny = {2, 2000000, 100000000, 0.01, 10};
    expect(1e3, &tiny, 3, 200, 10);
    struct plan_limits scarce = {5, 100000000, 5000000, 0.01, 10};
    expect(1e4, &scarce, 3, 100, 1); /* a tenth of a batch */
    struct plan_limits long_trials = {5, UINT64_C(20000000000), UINT64_C(300000000000), 0.01, 10};
    expect(1e6, &long_trials, 3, 100, 200);
}

static void what_a_trial_lasts(void)
{
    CHECK(plan_trial_ns(&(struct plan){3, 9, 10}, 1000) == 3000 + 10 * 10 * 1000.0);
    CHECK(plan_trial_ns(&(struct plan){1, 1, 20}, 1e9) == 21e9); /* nothing untimed before a batch of one call */
    CHECK(plan_untimed(&(struct plan){3, 2, 10}) == 1 && plan_untimed(&(struct plan){3, 1, 10}) == 0);
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
    dearer_calls_are_never_more();
    published_settings();
    what_a_trial_lasts();
    warmup();
    return failures != 0;
}
