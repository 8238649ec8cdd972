/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing what was drawn with what a formula says. Seeds are fixed, so a test gives the same
 * result each time; the bounds are such that with a seed drawn anew a correct program fails less
 * than once in 100 000 times: 4.42 standard errors (two-sided), or the chi-square quantile at 4.27
 * standard normal deviations (one-sided).
 *
 * An assertion of Check costs a system call, so loops count what is wrong and assert that it is 0.
 */
#ifndef TEST_STATISTICS_H
#define TEST_STATISTICS_H

#include <check.h>
#include <math.h>

#include "base/rand.h"

#define DRAWS 1000000
#define SIGMAS 4.42
#define CHI_SIGMAS 4.27

static inline struct rand_config config(void)
{
    return (struct rand_config){.type = RAND_UNIFORM,
                                .seed = 12345,
                                .spec_iter = 12,
                                .spec_pct = 1,
                                .spec_res = 75,
                                .pareto_h = 0.2,
                                .zipfian_exp = 0.8,
                                .threads = 1};
}

/* The chi-square quantile at `sigmas` normal deviations, by Wilson and Hilferty's cube root. */
static inline double chi_square_quantile(unsigned degrees, double sigmas)
{
    double v = 2.0 / (9.0 * degrees);
    return degrees * pow(fmax(0, 1 - v + sigmas * sqrt(v)), 3);
}

static inline void assert_chi_square(const uint64_t *seen, const double *expected, unsigned cells)
{
    double sum = 0;
    for (unsigned i = 0; i < cells; i++) {
        ck_assert_double_ge(expected[i], 5); /* else the statistic is not chi-square */
        sum += ((double)seen[i] - expected[i]) * ((double)seen[i] - expected[i]) / expected[i];
    }
    ck_assert_double_lt(sum, chi_square_quantile(cells - 1, CHI_SIGMAS));
    /* Too good a fit is no chance either. */
    ck_assert_double_ge(sum, chi_square_quantile(cells - 1, -CHI_SIGMAS));
}

/* A share of p seen `hits` times in `draws`: the standard error is sqrt(p(1 − p)/draws). */
static inline void assert_share(uint64_t hits, uint64_t draws, double p)
{
    double error = sqrt(p * (1 - p) / (double)draws);
    ck_assert_double_eq_tol((double)hits / (double)draws, p, SIGMAS * error + 1e-12);
}

#endif
