/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/certain/batch_noise.h"

#include <math.h>
#include <stdbool.h>

#include "base/util.h"

/* Batches are not joined to fewer than this. */
#define JOINED_MIN 10
/* Batches are joined while the autocorrelation of neighbours exceeds this many of its standard
 * errors: chance alone does so in one of ten series of independent batches. */
#define SIGNIFICANT 1.28
/* If batches were joined and too few remain to be joined again, they may still depend on each other
 * without a significant autocorrelation. Their degrees of freedom are divided by this. */
#define FEW_BATCHES_DIVISOR 2
/* The correction uses at most this autocorrelation c: the factor (1 + c) / (1 - c) would be too
 * uncertain. */
#define CORRELATION_MAX 0.8

static double product(const double *z, size_t n, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < n; i++)
        sum += z[i] * z[i + lag];
    return sum;
}

/* Returns the autocorrelation of neighbours, of which the bias −1/n by the common mean is taken. */
static double neighbour_correlation(const double *z, size_t n)
{
    const double square = product(z, n, 0);
    return square > 0 ? product(z, n, 1) / square + 1 / (double)n : 0;
}

static size_t join_pairs(double *z, size_t n)
{
    /* An odd last batch is joined to the last pair. */
    for (size_t i = 0; i < n / 2; i++)
        z[i] = z[2 * i] + z[2 * i + 1];
    if (n % 2 == 1)
        z[n / 2 - 1] += z[n - 1];
    return n / 2;
}

static double skewness(const double *z, size_t n)
{
    double cube = 0, square = product(z, n, 0) / (double)n;
    for (size_t i = 0; i < n; i++)
        cube += z[i] * z[i] * z[i] / (double)n;
    return square > 0 ? cube / pow(square, 1.5) : 0;
}

struct batch_noise batch_noise(const struct noise_series *series)
{
    size_t n = series->count;
    double *z = xcalloc(n, sizeof(*z)), y = 0, x = 0;
    for (size_t i = 0; i < n; i++) {
        y += series->y[i];
        x += series->x[i];
    }
    for (size_t i = 0; i < n; i++)
        z[i] = series->y[i] - y / x * series->x[i];
    double correlation = neighbour_correlation(z, n);
    while (n >= 2 * JOINED_MIN && correlation > SIGNIFICANT / sqrt((double)n)) {
        n = join_pairs(z, n);
        correlation = neighbour_correlation(z, n);
    }
    const bool joined = n < series->count;
    correlation = joined ? fmin(fmax(0, correlation), CORRELATION_MAX) : 0;
    const double variance = product(z, n, 0) * (double)n / ((double)n - 1) / (x * x);
    const struct batch_noise result = {
        .noise = {.variance = variance * (1 + correlation) / (1 - correlation),
                  .degrees =
                      ((double)n - 1) / (joined && n < 2 * JOINED_MIN ? FEW_BATCHES_DIVISOR : 1)},
        .skewness = skewness(z, n),
        .batches = n,
        .correlation = correlation};
    free(z);
    return result;
}

/* Transforms a quantile t of Student's distribution for a skewed mean (R. Willink, 2005). `b` is
 * the skewness of the batches / (6 √n). */
static double skewed(double t, double b)
{
    if (fabs(b) < 1e-6)
        return t;
    return (cbrt(1 + 6 * b * (t - b)) - 1) / (2 * b);
}

void batch_noise_limits(const struct batch_noise *noise, double doubt, double *below, double *above)
{
    const double error = sqrt(noise->noise.variance);
    const double t = noise_limit((struct noise){1, noise->noise.degrees}, doubt);
    const double b = noise->skewness / (6 * sqrt((double)noise->batches));
    *below = fmax(0, error * skewed(t, b));
    *above = fmax(0, -error * skewed(-t, b));
}
