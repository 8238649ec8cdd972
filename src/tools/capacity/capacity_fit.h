/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fits a line through scattered points and computes where the line crosses zero, with a confidence
 * interval. docs/capacity.md has the derivation.
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
    double noise;          /* standard deviation of a point from the line */
    double root;           /* x at which the line is 0 */
    bool bounded;          /* the slope is significantly below 0, so the root has an interval */
    double low, high;      /* 95 % confidence interval of the root */
};

/* Fits a line. The points need at least two different x, otherwise n of the result is 0. */
struct fit fit_line(const struct fit_point *point, size_t n);

/*
 * Bound that chance exceeds in 5 % of cases, in either direction, for a sum of independent
 * deviations from the line whose variance is `share` times that of one point. At least three points
 * are needed.
 */
double fit_limit(const struct fit *fit, double share);

#endif
