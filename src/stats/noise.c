/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/noise.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"

/* At most this many values are evaluated; if there are more intervals, neighbours are merged. A
 * dependence that extends over half as many values is still found. */
#define SERIES_MAX 1024
/* Fewest independent values beyond a percentile for which its error is estimated. */
#define TAIL_MIN 5
/* With more degrees of freedom, Student's distribution is the normal one. */
#define DEGREES_MAX 1000.0

void noise_series_add(struct noise_series *series, double y, double x)
{
    /* The arrays are full whenever the count is a power of two. */
    if ((series->count & (series->count - 1)) == 0) {
        size_t bytes = (2 * series->count + 1) * sizeof(double);
        series->y = xrealloc(series->y, bytes);
        series->x = xrealloc(series->x, bytes);
    }
    series->y[series->count] = y;
    series->x[series->count++] = x;
}

void noise_series_fini(struct noise_series *series)
{
    free(series->y);
    free(series->x);
    *series = (struct noise_series){0};
}

/* Stores in `z` the deviation of each interval, or group of intervals, from the ratio of all.
 * Returns the number of deviations. */
static size_t residuals(const struct noise_series *series, double ratio, double *z)
{
    size_t group = (series->count + SERIES_MAX - 1) / SERIES_MAX, n = 0;
    for (size_t i = 0; i < series->count; i += group, n++) {
        z[n] = 0;
        for (size_t j = i; j < i + group && j < series->count; j++)
            z[n] += series->y[j] - ratio * series->x[j];
    }
    return n;
}

/* Returns the sum of the products of values at a distance of `lag`. */
static double covariance(const double *z, size_t n, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < n; i++)
        sum += z[i] * z[i + lag];
    return sum;
}

/*
 * Returns the autocorrelation time τ = 1 + 2 Σ ρ(lag), at least 1, by the initial positive sequence
 * of C. J. Geyer (1992): in theory, sums of two neighbouring ρ are positive and decrease. The first
 * sum that is not positive is noise and ends the sequence.
 */
static double autocorrelation_time(const double *z, size_t n, double square)
{
    double tau = -1, before = INFINITY;
    for (size_t lag = 0; lag + 1 < n / 2 + 2; lag += 2) {
        double pair = (covariance(z, n, lag) + covariance(z, n, lag + 1)) / square;
        if (pair <= 0)
            break;
        before = fmin(before, pair);
        tau += 2 * before;
    }
    return fmax(1, tau);
}

struct noise noise_of_series(const struct noise_series *series)
{
    double *z = xcalloc(series->count, sizeof(*z));
    double y = 0, x = 0;
    for (size_t i = 0; i < series->count; i++) {
        y += series->y[i];
        x += series->x[i];
    }
    size_t n = residuals(series, y / x, z);
    double square = covariance(z, n, 0);
    double tau = square > 0 ? autocorrelation_time(z, n, square) : 1;
    free(z);
    return (struct noise){.variance = tau * square * (double)n / ((double)n - 1) / (x * x),
                          .degrees = fmax(1, (double)n / tau - 1)};
}

/* Stores the smallest and the largest value of the middle half, and returns its mean. */
static double middle_half(const double *value, size_t n, double *low, double *high)
{
    double *sorted = xcalloc(n, sizeof(*sorted)), sum = 0;
    const size_t cut = n / 4;
    memcpy(sorted, value, n * sizeof(*sorted));
    sort_doubles(sorted, n);
    for (size_t i = cut; i < n - cut; i++)
        sum += sorted[i];
    *low = sorted[cut];
    *high = sorted[n - 1 - cut];
    free(sorted);
    return sum / (double)(n - 2 * cut);
}

/* The error of a trimmed mean follows from the values after each value that was cut off is replaced
 * by the nearest one that was kept (J. W. Tukey and D. H. McLaughlin, 1963). */
struct noise noise_of_middle(const struct noise_series *series, double *value)
{
    const size_t n = series->count;
    const double kept = (double)(n - 2 * (n / 4));
    double *z = xcalloc(n, sizeof(*z)), low, high, mean = 0;
    for (size_t i = 0; i < n; i++)
        z[i] = series->y[i] / series->x[i];
    *value = middle_half(z, n, &low, &high);
    for (size_t i = 0; i < n; i++)
        mean += (z[i] = fmin(fmax(z[i], low), high)) / (double)n;
    for (size_t i = 0; i < n; i++)
        z[i] -= mean;
    double square = covariance(z, n, 0);
    double tau = square > 0 ? autocorrelation_time(z, n, square) : 1;
    free(z);
    return (struct noise){tau * square / (kept * (kept - 1)), fmax(1, kept / tau - 1)};
}

static double variance_of(const struct distribution *d)
{
    double mean = distribution_mean_ns(d), square = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        double deviation = (double)histogram_middle_ns(i) - mean;
        square += d->buckets[i] > 0 ? (double)d->buckets[i] * deviation * deviation : 0;
    }
    return square / (double)d->count;
}

/*
 * The percentiles one standard error of the share below and above the given one are two standard
 * errors of the figure apart (R. S. Woodruff, 1952). The values depend on each other, so they count
 * as the number of independent values that would give the mean its known error (L. Kish, 1965: the
 * design effect).
 */
struct noise noise_of_percentile(const struct distribution *d, int64_t percentile,
                                 struct noise mean)
{
    double share = (double)percentile / (100.0 * PERCENT);
    double n = fmin((double)d->count, variance_of(d) / mean.variance);
    if (!(n * fmin(share, 1 - share) >= TAIL_MIN))
        return (struct noise){INFINITY, 1};
    int64_t error = (int64_t)(sqrt(share * (1 - share) / n) * 100 * PERCENT);
    int64_t low_ns = distribution_percentile(d, max_i64(0, percentile - error)).ns;
    int64_t high_ns = distribution_percentile(d, min_i64(100 * PERCENT, percentile + error)).ns;
    double half = (double)(high_ns - low_ns) / 2;
    return (struct noise){half * half, mean.degrees};
}

struct noise noise_of_repeats(const double *value, size_t n)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (value[i] - mean) * (value[i] - mean);
    return (struct noise){.variance = square / (double)(n - 1), .degrees = (double)(n - 1)};
}

struct noise noise_pooled(struct noise a, struct noise b)
{
    double degrees = a.degrees + b.degrees;
    return (struct noise){(a.variance * a.degrees + b.variance * b.degrees) / degrees, degrees};
}

/* The degrees of freedom of a sum of variances are those of B. L. Welch (1947). */
struct noise noise_of_difference(struct noise a, struct noise b)
{
    double variance = a.variance + b.variance;
    double scatter = a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees;
    return (struct noise){variance, scatter > 0 ? variance * variance / scatter : a.degrees};
}

/* lgamma() would store the sign in a global variable. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The density of Student's t at √degrees · tan(angle) is this times cos^(degrees + 1) of the
 * angle. */
static double student_factor(double degrees)
{
    return exp(log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2)) / sqrt(M_PI * degrees);
}

/*
 * Returns the probability that Student's t exceeds √degrees · tan(from) > 0. The density of the
 * angle is proportional to cos^(degrees − 1), which is integrated by Simpson's rule to where the
 * rest is negligible.
 */
static double student_tail(double from, double degrees)
{
    const int steps = 200;
    double to = fmin(M_PI / 2, from + 12 / sqrt(degrees));
    double h = (to - from) / steps, sum = 0;
    for (int i = 0; i <= steps; i++) {
        double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * pow(fmax(0, cos(from + i * h)), degrees - 1);
    }
    return sum * h / 3 * student_factor(degrees) * sqrt(degrees);
}

/* Newton's method for the logarithm of the tail as a function of the logarithm of t: the function
 * is concave, so the method converges from the right after the first step. */
static double student_quantile(double tail, double degrees)
{
    double t = 1, step = 1;
    for (int i = 0; i < 50 && fabs(step) > 1e-10; i++) {
        double angle = atan(t / sqrt(degrees)), reached = student_tail(angle, degrees);
        double density = student_factor(degrees) * pow(cos(angle), degrees + 1);
        step = fmin(2, log(reached / tail) * reached / (t * density));
        t *= exp(step);
    }
    return t;
}

double noise_limit(struct noise noise, double share)
{
    return sqrt(noise.variance) * student_quantile(share / 2, fmin(noise.degrees, DEGREES_MAX));
}
