/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares estimates of noise with closed formulas. */
#include "../suite.h"

#include <math.h>

#include "base/rand.h"
#include "stats/noise.h"

/* Student's t at the probability 1 − tail, from tables in books. */
static const struct {
    double degrees, tail, t;
} student[] = {
    {1, 0.025, 12.7062},
    {2, 0.005, 9.9248},
    {5, 0.005, 4.0321},
    {10, 0.025, 2.2281},
    /* the value for 1000 degrees of freedom */
    {30, 0.0005, 3.6460},
    {120, 0.01, 2.3578},
    {1e9, 0.025, 1.9623},
};

START_TEST(limits_are_quantiles_of_students_t)
{
    for (size_t i = 0; i < ARRAY_SIZE(student); i++) {
        struct noise noise = {4, student[i].degrees};
        double expected = 2 * student[i].t, limit = noise_limit(noise, 2 * student[i].tail);
        ck_assert_double_eq_tol(limit, expected, 1e-4 * expected);
    }
}
END_TEST

/* Estimates the noise of a chain x(t) = φ x(t−1) + a nearly normal random number. The variance of
 * its mean is the variance of x times (1+φ)/(1−φ)/n. */
static struct noise noise_of_chain(double phi, unsigned n, struct rand_stream *stream)
{
    struct noise_series series = {0};
    double x = 0;
    for (unsigned i = 0; i < n + 100; i++) {
        x *= phi;
        for (unsigned j = 0; j < 12; j++)
            x += rand_stream_double(stream) - 0.5;
        if (i >= 100)
            noise_series_add(&series, 10 + x, 1);
    }
    struct noise noise = noise_of_series(&series);
    noise_series_fini(&series);
    return noise;
}

/*
 * The test uses 200 chains of 3000 values, of which three at a time are merged. The estimate has a
 * relative scatter of about sqrt(4·lags/n) = 15 % at φ = 0.5, and an upward bias of a few percent,
 * because the sequence ends at noise. So the mean over 200 chains is within 10 %.
 */
START_TEST(dependent_intervals_count_for_fewer)
{
    static const double phi[] = {0, 0.5, 0.9};
    struct rand_stream stream;
    rand_stream_init(&stream, 3, RAND_WORKLOAD, 0);
    for (size_t i = 0; i < ARRAY_SIZE(phi); i++) {
        double ratio = 0, expected = 1 / (1 - phi[i]) / (1 - phi[i]) / 3000;
        for (unsigned run = 0; run < 200; run++)
            ratio += noise_of_chain(phi[i], 3000, &stream).variance / expected / 200;
        ck_assert_double_ge(ratio, 0.9);
        ck_assert_double_le(ratio, 1.1);
    }
}
END_TEST

/* The percentile q of n exponential values has a standard error of sqrt(q/((1−q) n)) times the
 * mean. */
START_TEST(percentiles_have_the_error_of_their_rank)
{
    static const double percentage[] = {50, 95, 99};
    struct distribution d;
    struct rand_stream stream;
    rand_stream_init(&stream, 4, RAND_WORKLOAD, 0);
    distribution_init(&d);
    for (int i = 0; i < 100000; i++)
        distribution_record(&d, seconds_to_ns(1e-3 * rand_stream_exponential(&stream)));
    /* The values count as a fourth of their number: the variance of the mean is four times that of
     * 100 000 independent values. */
    struct noise mean = {4 * 1e12 / 1e5, 50};
    for (size_t i = 0; i < ARRAY_SIZE(percentage); i++) {
        double q = percentage[i] / 100, expected = 1e6 * sqrt(q / (1 - q) / 25000);
        struct noise noise = noise_of_percentile(&d, (int64_t)(percentage[i] * PERCENT), mean);
        ck_assert_double_eq_tol(sqrt(noise.variance), expected, 0.2 * expected);
        ck_assert_double_eq(noise.degrees, 50);
    }
    /* only 2.5 values are beyond this percentile */
    ck_assert(isinf(noise_of_percentile(&d, 99990000, mean).variance));
    ck_assert(isinf(noise_of_percentile(&d, 100 * PERCENT, mean).variance));
    distribution_fini(&d);
}
END_TEST

START_TEST(repeats_are_pooled)
{
    static const double a[] = {1, 2, 3}, b[] = {10, 14};
    struct noise pooled = noise_pooled(noise_of_repeats(a, 3), noise_of_repeats(b, 2));
    ck_assert_double_eq_tol(pooled.variance, (2 * 1 + 8) / 3.0, 1e-12);
    ck_assert_double_eq(pooled.degrees, 3);
    struct noise sum = noise_of_difference((struct noise){1, 4}, (struct noise){2, 8});
    ck_assert_double_eq_tol(sum.variance, 3, 1e-12);
    ck_assert_double_eq_tol(sum.degrees, 9 / (1 / 4.0 + 4 / 8.0), 1e-12);
}
END_TEST

RUN_SUITE("noise", 60, limits_are_quantiles_of_students_t, dependent_intervals_count_for_fewer,
          percentiles_have_the_error_of_their_rank, repeats_are_pooled)
