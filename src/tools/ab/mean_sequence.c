/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/ab/mean_sequence.h"

#include <math.h>

/*
 * The variance g of the assumed differences, in units of the variance of a value. With 4, the
 * intervals of 4 to 100 values are at most 6 % wider than with the g that is best for their
 * number, from four values on (error probability of 5 %).
 */
#define SPREAD 4

/* Returns the value of t/√n at which the martingale reaches 1 / chance: half the width of the
 * interval in standard deviations of a value. */
static double half_width(double n, double chance)
{
    const double k = 1 + n * SPREAD;
    const double limit = pow(sqrt(k) / chance, 2 / n);
    if (n < 2 || limit >= k)
        return INFINITY;
    const double u = (limit - 1) / (1 - limit / k);
    return sqrt(u * (n - 1) / n);
}

struct mean_interval mean_sequence(const double *value, size_t n, double chance)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (value[i] - mean) * (value[i] - mean);
    const double half = half_width((double)n, chance);
    const double scatter = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
    return (struct mean_interval){mean, isinf(half) ? half : half * scatter};
}
