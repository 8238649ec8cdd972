/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a line through scattered points crosses zero, and how sure that is. docs/capacity.md has
 * the derivation.
 */
#ifndef CAPACITY_FIT_H
#define CAPACITY_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct fit_point {
    double x, y;
};

struct fit {
    size_t n;
    double slope, at_zero; /* y = slope · x + at_zero */
    double noise;          /* standard deviation of a point around the line */
    double root;           /* where the line is 0 */
    bool bounded;          /* the slope is below 0 beyond doubt, so that there is an interval: */
    double low, high;      /* of 95 % for the root */
};

/* The points need two different x at least, else n of the result is 0. */
struct fit fit_line(const struct fit_point *point, size_t n);

/*
 * What chance exceeds in 5 % of cases, in either direction: a sum of independent deviations from
 * the line whose variance is `share` times that of one point. At least three points.
 */
double fit_limit(const struct fit *fit, double share);

#endif
