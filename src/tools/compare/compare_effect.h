/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the difference between two sets of runs from one figure of each run, on a scale on
 * which differences add up: the logarithm, or the figure itself if it is a percentage.
 * docs/compare.md describes the method. Pure functions.
 */
#ifndef COMPARE_EFFECT_H
#define COMPARE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/noise.h"

/* The figure of one run. */
struct effect_value {
    double x;
    struct noise noise; /* from the intervals of the run; the variance is INFINITY if unknown */
};

/* The runs of one side, in the order in which they were made. */
struct effect_side {
    const struct effect_value *run;
    size_t runs; /* ≥ 1 */
};

struct run_effect {
    double change;      /* B − A */
    struct noise error; /* of the change */
    double low, high;   /* interval of the change; infinite if the error is unknown */
};

/* Sets the change and its error. If `paired`, both sides have the same number of runs, and run i of
 * A belongs to run i of B. */
void effect_estimate(struct run_effect *effect, const struct effect_side *a,
                     const struct effect_side *b, bool paired);

/*
 * Sets the interval. Chance alone moves the change out of the interval with the probability
 * `share`. The interval is never wider than the span of the intervals of the single pairs of runs,
 * so several pairs say at least what the least certain of them says by itself.
 */
void effect_span(struct run_effect *effect, const struct effect_side *a,
                 const struct effect_side *b, bool paired, double share);

#endif
