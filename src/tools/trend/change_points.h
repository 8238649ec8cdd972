/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the steps, which are changes of level, in a series of figures: E-divisive means (Matteson,
 * James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA
 * 109, 2014; for results of benchmarks: Daly et al., "The Use of Change Point Detection to Identify
 * Software Performance Regressions in a Continuous Integration System", ICPE 2020), with a
 * permutation test whose seed is fixed, so that the same series always has the same steps. Pure
 * functions.
 */
#ifndef CHANGE_POINTS_H
#define CHANGE_POINTS_H

#include <stddef.h>

/* Series with fewer values are not judged: three of eight values are any given three with a
 * probability of 1 in 56. */
#define CHANGE_POINTS_LEAST 12

struct change_rules {
    double chance; /* probability of a false step in the whole series; ]0, 1[ */
    double least;  /* a smaller difference of levels is not a step; > 0 */
};

struct change_point {
    size_t at;            /* index of the first value after the step */
    double before, after; /* levels before and after: means up to the next step on either side */
    double error;         /* the 99 % confidence interval of after − before is ± error */
};

/*
 * Saved result for the first `done` values, which later values do not change: start of the next
 * window, and the steps before it. Initially all zero.
 */
struct change_state {
    size_t from, done;
    /* Error probability for each window; the saved result is only valid for the same one. */
    double chance;
    size_t *step; /* `steps` elements on the heap */
    size_t steps;
};

/*
 * Finds the steps of `count` values in order; each step has at least three values on either side.
 * Returns the number of steps and sets *found, which the caller frees; returns 0 if there are too
 * few values. `state` must be from the same values; it saves time and does not change the result.
 */
size_t change_points_find(const double *value, size_t count, const struct change_rules *rules,
                          struct change_state *state, struct change_point **found);
void change_state_fini(struct change_state *state);

#endif
