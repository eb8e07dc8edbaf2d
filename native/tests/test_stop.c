/* Quantiles as tables of Student's t print them, and when measuring ends. */
#include "stop.h"

#include <math.h>

#include "check.h"

static const struct plan plan = {3, 1000, 10};
static const struct plan_limits limits = {5, 100000000, 900000000000, 0.01, 10};

static void quantiles(void)
{
    static const struct {
        int degrees;
        double quantile;
    } known[] = {{1, 12.706}, {2, 4.303},  {4, 2.776},  {9, 2.262},  {10, 2.228}, {29, 2.045},
                 {30, 2.042}, {40, 2.021}, {60, 2.000}, {80, 1.990}, {99, 1.984}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(fabs(stop_t(known[i].degrees) - known[i].quantile) < 0.001);
    for (int degrees = 1; degrees < 200; degrees++)
        CHECK(stop_t(degrees + 1) < stop_t(degrees) && stop_t(degrees) > 1.9599);
}

/* Means 1000 ± spread in turn: of an even number, the standard deviation is spread * sqrt(n / (n - 1)). */
static bool precise(int count, double spread, int batches)
{
    struct stop_trial trials[PLAN_MAX_TRIALS];
    for (int i = 0; i < count; i++)
        trials[i] = (struct stop_trial){batches, 1000 + (i % 2 ? spread : -spread)};
    return stop_is_precise(trials, count, &plan, &limits);
}

static void the_interval_decides(void)
{
    double widest6 = 10 * sqrt(5) / 2.5706, widest10 = 10 * sqrt(9) / 2.2622;
    CHECK(precise(6, 0.999 * widest6, 10) && !precise(6, 1.001 * widest6, 10));
    CHECK(precise(10, 0.999 * widest10, 10) && !precise(10, 1.001 * widest10, 10));
    CHECK(precise(5, 0, 10) && precise(100, 20, 10));
}

static void enough_must_be_undisturbed(void)
{
    CHECK(!precise(4, 0, 10));                    /* trials */
    CHECK(precise(5, 0, 5) && !precise(5, 0, 4)); /* half of 5 x 10 batches */
    CHECK(precise(13, 0, 2) && !precise(12, 0, 2));
    CHECK(!precise(100, 0, 1)); /* a trial's mean needs two */

    struct stop_trial mixed[6] = {{10, 1000}, {10, 1000}, {1, 9000}, {10, 1000}, {10, 1000}, {10, 1000}};
    CHECK(!stop_is_precise(mixed, 5, &plan, &limits)); /* the third tells nothing */
    CHECK(stop_is_precise(mixed, 6, &plan, &limits));
}

static void trials_of_one_batch(void)
{
    struct plan slow = {0, 1, 1};
    struct stop_trial trials[5] = {{1, 1e9}, {1, 1e9}, {1, 1e9}, {1, 1e9}, {1, 1e9}};
    CHECK(stop_is_precise(trials, 5, &slow, &limits));
    trials[2].batches = 0;
    CHECK(!stop_is_precise(trials, 5, &slow, &limits));
}

static void one_trial_has_no_interval(void)
{
    struct plan_limits one = limits;
    struct stop_trial trials[2] = {{10, 1000}, {10, 1001}};
    one.trials = 1;
    CHECK(!stop_is_precise(trials, 1, &plan, &one));
    CHECK(stop_is_precise(trials, 2, &plan, &one));
}

int main(void)
{
    quantiles();
    the_interval_decides();
    enough_must_be_undisturbed();
    trials_of_one_batch();
    one_trial_has_no_interval();
    return failures != 0;
}
