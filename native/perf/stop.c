#include "stop.h"

#include <math.h>

double stop_t(int degrees)
{
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
                                   2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
                                   2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    static const double normal = 1.959964;
    if (degrees <= (int)(sizeof table / sizeof *table))
        return table[degrees - 1];
    /* The first terms of its expansion, with normal's powers worked out. */
    return normal + 2.37228 / degrees + 2.82250 / degrees / degrees;
}

/* Half-width of the interval around the mean of means, as a share of that mean. */
static double relative_half_width(const double *means, int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++)
        sum += means[i];
    double mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (means[i] - mean) * (means[i] - mean);
    return stop_t(count - 1) * sqrt(squares / (count - 1) / count) / mean;
}

bool stop_is_precise(const struct stop_trial *trials, int count, const struct plan *plan,
                     const struct plan_limits *limits)
{
    double means[PLAN_MAX_TRIALS];
    int telling = 0, batches = 0;
    for (int i = 0; i < count; i++) {
        batches += trials[i].batches;
        if (trials[i].batches >= (plan->batches_per_trial > 1 ? 2 : 1))
            means[telling++] = trials[i].mean_ns;
    }
    if (telling < 2 || telling < limits->trials || 2 * batches < limits->trials * plan->batches_per_trial)
        return false;
    return relative_half_width(means, telling) <= limits->precision;
}
