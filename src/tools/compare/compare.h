/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two runs, or two sets of repeated runs, figure by figure, and decides whether they
 * differ by more than noise. docs/compare.md describes the method.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "tools/compare/compare_effect.h"
#include "tools/compare/compare_side.h"

/* Probability that two runs with the same settings are called different, regardless of the number
 * of figures. */
#define COMPARE_CHANCE 0.01
/* With fewer runs a side, the scatter between runs is poorly known. */
#define COMPARE_ENOUGH_RUNS 5
/* Waits that are shorter on both sides are not judged, in milliseconds. */
#define COMPARE_LEAST_WAIT_MS 0.05
/* Figures with more noise than this are not called the same, in percent; a text for help. */
#define COMPARE_MAX_NOISE "25"

/* COMPARE_LEFT_OUT: the figure cannot say anything about a change that matters. */
enum compare_result { COMPARE_SAME, COMPARE_DIFFERENT, COMPARE_UNKNOWN, COMPARE_LEFT_OUT };

struct comparison {
    const char *name, *unit;
    double a, b;                 /* means of repeats, geometric ones if is_ratio is true */
    bool is_ratio;               /* the effect is a difference of logarithms */
    bool a_is_bound, b_is_bound; /* a lower bound: the true figure is not smaller */
    bool a_is_vague; /* the noise is unknown because of A's figure (otherwise because of B's) */
    /* The noise is unknown because too few independent requests are beyond a percentile. */
    bool is_sparse;
    bool is_noisy; /* noise exceeds max_noise, so it may hide a large change */
    struct run_effect effect;
    enum compare_result result;
};

/* A condition of --fail-if: FIGURE>+PERCENT% or FIGURE<-PERCENT%. */
struct compare_condition {
    const char *text; /* not copied: must stay valid */
    char *figure;
    double percent; /* the sign is the direction, also of 0 */
};

struct compare {
    struct compare_side a, b;
    double min_change; /* in percent; smaller differences are ignored even if significant */
    /* In percent; if noise is larger, the absence of a difference does not mean "same". */
    double max_noise;
    const char *figure; /* the only figure to compare; NULL for all figures */
    double chance;      /* error probability of all figures together; 0 for COMPARE_CHANCE */
    /* True if runs were made in rounds of one run of each side, and are compared in pairs. */
    bool paired;
    struct comparison *comparison; /* one for each figure that both sides have */
    size_t count;
};

/* Returns true if the noise is that between repeats, false if it is that within the two runs. */
bool compare_has_repeats(const struct compare *c);

/* Fills in the comparisons. All members before `paired` must be set before. Puts the runs of each
 * side into the order of their start. */
void compare_figures(struct compare *c);

/*
 * Judges all figures together. Figures that cannot be judged are ignored, because no single figure
 * was asked for. But if throughput cannot be judged, or neither mean nor typical time can, the
 * result is COMPARE_UNKNOWN.
 */
enum compare_result compare_judge(const struct compare *c);
/* Returns a sentence that says how to get a result that can be judged. */
const char *compare_remedy(const struct compare *c);
/* If the runs cannot be judged, returns a sentence with the reason, which the caller frees.
 * Otherwise returns NULL. */
char *compare_explain(const struct compare *c);
/* Returns a short reason why a figure is unknown or left out; NULL if it was judged. */
const char *compare_reason(const struct comparison *c);

/* Returns −1 if `text` is malformed. After 0, the caller has to free `figure`. */
int compare_condition_parse(struct compare_condition *condition, const char *text);
/* Returns NULL if the runs do not both have the figure. */
const struct comparison *compare_find(const struct compare *c, const char *figure);
/* Returns the path of a run without the figure; NULL if all runs have it. */
const char *compare_find_missing(const struct compare *c, const char *figure);
/* Change in percent of A's figure; infinite if A's figure is 0 and B's is not. */
double compare_change_percent(const struct comparison *c);
/* Interval of the change; infinite if the noise is unknown. */
double compare_low_percent(const struct comparison *c);
double compare_high_percent(const struct comparison *c);
/* Larger half of the interval in percent of A's figure. */
double compare_noise_percent(const struct comparison *c);
/* Returns true if chance alone does not explain the change. */
bool compare_is_significant(const struct comparison *c);
/* Returns true if the noise of the change is known. */
bool compare_is_known(const struct comparison *c);
/*
 * Returns COMPARE_DIFFERENT if the condition applies: the change is beyond the limit and larger
 * than noise. Returns COMPARE_UNKNOWN if the noise is unknown, if the result would change with the
 * true value of a figure that is only a lower bound, or if the noise is larger than both max_noise
 * and the limit and may hide a change beyond the limit.
 */
enum compare_result compare_condition_judge(const struct compare_condition *condition,
                                            const struct comparison *c);
/* For an unknown result whose reason is not large noise: true if A's figure is the reason, false if
 * B's is. */
bool compare_condition_hangs_on_a(const struct compare_condition *condition,
                                  const struct comparison *c);

#endif
