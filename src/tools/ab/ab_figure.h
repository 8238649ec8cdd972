/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the difference between two variants in one figure, from pairs of blocks. The values of
 * a pair are those of A and B under the same requests, one soon after the other: a slow spell of
 * the machine that is longer than a pair affects both. docs/ab.md describes the method. Pure
 * functions.
 */
#ifndef AB_FIGURE_H
#define AB_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

/* Probability that chance alone makes the interval of any asked figure wrong, however often the
 * intervals are looked at. */
#define AB_CHANCE 0.05
/* With fewer pairs nothing is judged: two orders AB and two BA. */
#define AB_LEAST_PAIRS 4

enum ab_result { AB_UNDECIDED, AB_SAME, AB_WORSE, AB_BETTER };

/* Change from A to B: in percent of A's figure; in points if the unit is %. */
struct ab_effect {
    double a, b; /* means over the pairs, geometric ones of ratios */
    double change;
    double low, high; /* interval of the true change; infinite if there are too few pairs */
    bool precise;     /* the interval reaches at most as far from the change as was asked */
    enum ab_result result;
};

struct ab_figure {
    const char *name, *unit; /* as of struct compare_figure; not copied */
    bool is_ratio;           /* all values are above 0, and the unit is not % */
    double precision;        /* asked precision in percent; 0 if the figure was not asked */
    double *a, *b;           /* the values of each pair */
    size_t pairs;
    bool a_is_bound, b_is_bound; /* some values are lower bounds */
};

/* Adds the values of a pair. */
void ab_figure_add(struct ab_figure *figure, double a, double b);
void ab_figure_fini(struct ab_figure *figure);

/*
 * Judges a figure from its first `pairs` pairs (≥ 1). `chance` is the error probability of this
 * figure. The result of a figure that was not asked is AB_UNDECIDED.
 */
struct ab_effect ab_figure_judge(const struct ab_figure *figure, size_t pairs, double chance);

/* Returns the difference of one pair, in percent of A or in points. */
double ab_figure_difference(const struct ab_figure *figure, size_t pair);

/* Returns the figures that were asked. */
size_t ab_figures_asked(const struct ab_figure *figure, size_t count);

/* Judges all asked figures together: a figure that is worse decides, then one that is better. The
 * result is AB_SAME if that is the result of all asked figures. */
enum ab_result ab_figures_judge(const struct ab_figure *figure, size_t count, size_t pairs);

/*
 * Splits `n` values above 0 into those for which `second` is true and the others. Returns the
 * difference of the means of their logarithms if chance exceeds it in less than one of 100 series,
 * otherwise 0.
 */
double ab_split_difference(const double *value, const bool *second, size_t n);

#endif
