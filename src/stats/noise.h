/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the random error of a run's figures, and how large a difference between two figures
 * must be to be more than chance. docs/compare.md has the derivations and sources. The functions
 * keep no state.
 */
#ifndef NOISE_H
#define NOISE_H

#include <stddef.h>

#include "stats/distribution.h"

/* Random error of a figure. */
struct noise {
    double variance; /* square of the standard error */
    double degrees;  /* degrees of freedom (≥ 1): how well the variance is known */
};

/* Interval values of a figure that is a ratio of two sums over intervals, Σy / Σx. Examples:
 * response times / requests, requests / seconds. */
struct noise_series {
    double *y, *x;
    size_t count;
};

void noise_series_add(struct noise_series *series, double y, double x);
void noise_series_fini(struct noise_series *series);

/*
 * Returns the error of Σy / Σx, estimated from the scatter of the intervals. Intervals may depend
 * on each other: n of them count as n/τ independent ones, where τ is their autocorrelation time.
 * Needs at least two intervals with x > 0.
 */
struct noise noise_of_series(const struct noise_series *series);

/* Stores in *value the mean of the middle half of the ratios y / x of the intervals, and returns
 * its error. A few outlying intervals cannot move this mean. Needs at least four intervals. */
struct noise noise_of_middle(const struct noise_series *series, double *value);

/*
 * Returns the error in nanoseconds of a percentile of `d`, given in millionths of a percent. `mean`
 * is the error of the mean of the same times. The variance is INFINITY if too few independent
 * values are beyond the percentile.
 */
struct noise noise_of_percentile(const struct distribution *d, int64_t percentile,
                                 struct noise mean);

/* Returns the error of a single measurement, estimated from `n` ≥ 2 repetitions of it. */
struct noise noise_of_repeats(const double *value, size_t n);
/* Combines two estimates of the same error, each from its own set of repetitions. */
struct noise noise_pooled(struct noise a, struct noise b);

/* Returns the error of the difference of two independent figures. */
struct noise noise_of_difference(struct noise a, struct noise b);

/* Returns the difference that chance alone exceeds, in either direction, with the probability
 * `share` (0 < share < 1). This is a quantile of Student's t times the standard error. */
double noise_limit(struct noise noise, double share);

#endif
