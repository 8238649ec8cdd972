/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a figure of a run strays by chance, and how many standard errors of that are more than
 * chance (docs/compare.md has the derivations and sources). Pure functions.
 */
#ifndef NOISE_H
#define NOISE_H

#include <stddef.h>

#include "stats/distribution.h"

/* The error of a figure. */
struct noise {
    double variance; /* square of the standard error */
    double degrees;  /* of freedom: how well the variance is known; ≥ 1 */
};

/*
 * A figure that is a ratio of two sums over intervals: response times over requests, requests over
 * seconds.
 */
struct noise_series {
    double *y, *x;
    size_t count;
};

void noise_series_add(struct noise_series *series, double y, double x);
void noise_series_fini(struct noise_series *series);

/*
 * From the scatter of the intervals, which may depend on each other: n of them count for n/τ
 * independent ones, τ being their autocorrelation time. At least two intervals with x > 0.
 */
struct noise noise_of_series(const struct noise_series *series);

/*
 * The mean of the middle half of the intervals' ratios, in *value, and its error: what a few
 * intervals that are not like the others cannot move. At least four intervals.
 */
struct noise noise_of_middle(const struct noise_series *series, double *value);

/*
 * Of a percentile (millionths of a percent) of times whose mean has the error `mean`, in ns as the
 * distribution. The variance is INFINITY when too few independent times lie beyond the percentile.
 */
struct noise noise_of_percentile(const struct distribution *d, int64_t percentile,
                                 struct noise mean);

/* From `n` ≥ 2 repeated measurements: of one of them. */
struct noise noise_of_repeats(const double *value, size_t n);
/* The same scatter seen in two sets of repeats. */
struct noise noise_pooled(struct noise a, struct noise b);

/* Of the difference of two figures that do not depend on each other. */
struct noise noise_of_difference(struct noise a, struct noise b);

/*
 * The difference that chance exceeds in either direction with the probability `share`, ]0, 1[:
 * Student's t times the standard error.
 */
double noise_limit(struct noise noise, double share);

#endif
