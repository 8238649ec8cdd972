/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the confidence sequence of a mean with its definition, and counts how often it is wrong.
 */
#include "../../suite.h"

#include <math.h>
#include <stdbool.h>

#include "base/rand_stream.h"
#include "base/util.h"
#include "tools/ab/mean_sequence.h"

#define SPREAD 4 /* the variance of the mixture */

/* A value of the normal distribution with the mean 0 and the variance 1 (Box and Muller). */
static double draw_normal(struct rand_stream *stream)
{
    const double length = sqrt(2 * rand_stream_exponential(stream));
    return length * cos(2 * M_PI * rand_stream_double(stream));
}

/*
 * Returns the ratio of likelihoods of the invariant mixture at the mean m, by integrating over the
 * standardized effect δ ~ N(0, g) and the scale σ (density 1/σ). With the values x − m, n of them,
 * S their sum and V the sum of their squares, the integral over σ of σ^(−n−1) exp(−V/2σ² + δS/σ −
 * nδ²/2) is, for r = 1/σ, that of r^(n−1) exp(−V r²/2 + δ S r − nδ²/2).
 */
static double likelihood_ratio(const double *x, size_t n, double m)
{
    double sum = 0, squares = 0, above = 0, below = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] - m;
        squares += (x[i] - m) * (x[i] - m);
    }
    const double most = 12 / sqrt(squares / (double)n), dr = most / 2000, dd = 0.01;
    for (double r = dr / 2; r < most; r += dr) {
        const double power = (double)(n - 1) * log(r) - squares * r * r / 2;
        below += exp(power) * dr;
        for (double d = -14; d <= 14; d += dd)
            above += exp(power + d * sum * r - (double)n * d * d / 2 - d * d / 2 / SPREAD) /
                     sqrt(2 * M_PI * SPREAD) * dd * dr;
    }
    return above / below;
}

/* At both ends of the interval the martingale is 1 / chance, by numerical integration. */
START_TEST(ends_are_where_the_martingale_reaches_its_limit)
{
    static const double x[] = {1.3, 0.2, 2.5, 1.9, 0.7, 1.1, 2.2, 1.4};
    for (size_t n = 6; n <= ARRAY_SIZE(x); n++) {
        const struct mean_interval i = mean_sequence(x, n, 0.05);
        ck_assert_double_eq_tol(likelihood_ratio(x, n, i.mean + i.half), 20, 0.05);
        ck_assert_double_eq_tol(likelihood_ratio(x, n, i.mean - i.half), 20, 0.05);
    }
}
END_TEST

START_TEST(few_values_have_no_interval)
{
    static const double x[] = {1, 2, 3, 4};
    ck_assert(isinf(mean_sequence(x, 1, 0.05).half));
    ck_assert(isinf(mean_sequence(x, 3, 0.05).half));
    ck_assert(isfinite(mean_sequence(x, 4, 0.05).half));
    ck_assert_double_eq(mean_sequence(x, 4, 0.05).mean, 2.5);
    /* a smaller chance needs more values */
    ck_assert(isinf(mean_sequence(x, 4, 0.001).half));
}
END_TEST

/* Returns the number of series of 200 normal values whose interval ever excluded the true mean. */
static unsigned count_wrong(unsigned series, double chance, struct rand_stream *stream)
{
    double x[200];
    unsigned wrong = 0;
    for (unsigned s = 0; s < series; s++) {
        bool missed = false;
        for (size_t n = 0; n < ARRAY_SIZE(x) && !missed; n++) {
            x[n] = 7 + 3 * draw_normal(stream);
            const struct mean_interval i = mean_sequence(x, n + 1, chance);
            missed = fabs(i.mean - 7) > i.half;
        }
        wrong += missed;
    }
    return wrong;
}

/*
 * Of 4000 series, at most 5 % may have an interval that excludes the mean at any of 200 looks; with
 * exactly 5 %, more than 5 % + 3.8 standard errors would be found less than once in 10 000 times.
 * An interval for a single look (Student's t) is wrong in about a third of such series; therefore
 * a sequence that is too narrow by a third is found, too. More than 1 % must be wrong: a sequence
 * that never is would be too wide.
 */
START_TEST(intervals_of_all_looks_are_right_together)
{
    struct rand_stream stream;
    rand_stream_init(&stream, 11, RAND_WORKLOAD, 0);
    const unsigned wrong = count_wrong(4000, 0.05, &stream);
    ck_assert_uint_le(wrong, 200 + 52);
    ck_assert_uint_ge(wrong, 40);
}
END_TEST

RUN_SUITE("mean_sequence", 60, ends_are_where_the_martingale_reaches_its_limit,
          few_values_have_no_interval, intervals_of_all_looks_are_right_together)
