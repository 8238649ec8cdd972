/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a series of figures changes its level: E-divisive means (Matteson, James, "A Nonparametric
 * Approach for Multiple Change Point Analysis of Multivariate Data", JASA 109, 2014; for results of
 * benchmarks: Daly et al., "The Use of Change Point Detection to Identify Software Performance
 * Regressions in a Continuous Integration System", ICPE 2020), with a permutation test whose seed
 * is fixed, so that the same series always has the same steps. Pure functions.
 */
#ifndef CHANGE_POINTS_H
#define CHANGE_POINTS_H

#include <stddef.h>

/* Fewer values than this are not judged: three of eight are any three with a chance of 1 in 56. */
#define CHANGE_POINTS_LEAST 12

struct change_rules {
    double chance; /* of a step that is none, in the whole series; ]0, 1[ */
    double least;  /* a smaller difference of levels is no step; > 0 */
};

struct change_point {
    size_t at;            /* the first value behind it */
    double before, after; /* levels: means up to the next step on either side */
    double error;         /* of after − before: its 99 % confidence interval is ± that */
};

/*
 * What was found in the first `done` values, which more values behind them do not change: where the
 * next window begins, and the steps before it. All zero at first.
 */
struct change_state {
    size_t from, done;
    double chance; /* for each window: with another one nothing of it holds */
    size_t *step;  /* `steps` of them; heap */
    size_t steps;
};

/*
 * Finds the steps of `count` values in their order. At least three values lie on either side of
 * each. Returns how many, and them in *found, which the caller frees; none where there are too few
 * values. `state` must be of the same values as far as it goes; what is known is not searched for
 * again. The result does not depend on it.
 */
size_t change_points_find(const double *value, size_t count, const struct change_rules *rules,
                          struct change_state *state, struct change_point **found);
void change_state_fini(struct change_state *state);

#endif
