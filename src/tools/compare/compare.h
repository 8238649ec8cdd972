/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two runs, or two sets of repeated runs, figure by figure, and whether they differ by more than
 * noise. docs/compare.md has the method.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "tools/compare/compare_run.h"

/* How often two runs of one setting are called different, whatever number of figures they have. */
#define COMPARE_CHANCE 0.01
/* Figures with more noise, in percent, are not called the same; as a text, for help. */
#define COMPARE_MAX_NOISE "25"

/* One run, or several of one setting. */
struct compare_side {
    const char *path; /* of the file or the folder */
    struct compare_run *run;
    size_t runs;
};

enum compare_result { COMPARE_SAME, COMPARE_DIFFERENT, COMPARE_UNKNOWN };

struct comparison {
    const char *name, *unit;
    double a, b;                 /* of repeats: means */
    bool a_is_bound, b_is_bound; /* the true figure is not below */
    bool a_is_vague;             /* noise cannot be told, and that is for A's figure */
    bool is_sparse;              /* …, for too few independent requests lie beyond a percentile */
    bool is_noisy;               /* noise is more than max_noise: a large change may hide in it */
    struct noise error;          /* of the difference */
    double noise; /* what chance may make of the difference; INFINITY: cannot be told */
    enum compare_result result;
};

/* FIGURE>+PERCENT% or FIGURE<-PERCENT%: what --fail-if says. */
struct compare_condition {
    const char *text; /* kept by reference */
    char *figure;
    double percent; /* the sign is the direction, also of 0 */
};

struct compare {
    struct compare_side a, b;
    double min_change;             /* in percent: smaller differences are none, however sure */
    double max_noise;              /* in percent: beyond, no difference is not the same */
    struct comparison *comparison; /* of all figures that both have */
    size_t count;
};

/* Reads a file, or all *.json of a folder. −1 after one line; compare_side_fini() is due in any
 * case. */
int compare_side_load(struct compare_side *side, const char *path);
/* Adds a report that is there already to a side, which is a name (`path`) and what was added so
 * far. Takes `text` over, whatever the result; fails as compare_side_load() does. */
int compare_side_add(struct compare_side *side, const char *name, char *text, size_t bytes);
void compare_side_fini(struct compare_side *side);

/* Whether noise is that between repeats, or else that within the two runs. */
bool compare_has_repeats(const struct compare *c);

/* Fills the comparisons; the sides, min_change and max_noise are given. */
void compare_figures(struct compare *c);

/* −1 after a logged message: nothing is known of the noise. */
int compare_check_noise(const struct compare *c);
/*
 * Of all figures. Nobody has asked for one of them, so what cannot be judged is left aside; but
 * without throughput, or with neither of the mean and the typical time, it is unknown, after one
 * line that says so.
 */
enum compare_result compare_judge(const struct compare *c);
/* Why a figure is unknown, in a few words; NULL: it is not. */
const char *compare_reason(const struct comparison *c);

/* −1 when `text` is malformed; after 0, `figure` is the caller's to free. */
int compare_condition_parse(struct compare_condition *condition, const char *text);
/* NULL: the two have no such figure in common. */
const struct comparison *compare_find(const struct compare *c, const char *figure);
/* The path of a run without such a figure; NULL: all have it. */
const char *compare_find_missing(const struct compare *c, const char *figure);
/* The change in percent of A's figure; infinite when that is 0 and B's is not. */
double compare_change_percent(const struct comparison *c);
/*
 * Whether it applies: the change is beyond the limit, and more than noise. Unknown where noise
 * cannot be told, where it would be otherwise if what is only a lower bound lay high enough, and
 * where noise is more than both max_noise and the limit, and may hide a change beyond that.
 */
enum compare_result compare_condition_judge(const struct compare_condition *condition,
                                            const struct comparison *c);
/* Of an unknown one that is not so for wide noise: whether A's figure leaves it open; else B's. */
bool compare_condition_hangs_on_a(const struct compare_condition *condition,
                                  const struct comparison *c);

#endif
