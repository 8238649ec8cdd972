/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of what an archive has: series of runs that measured the same thing, the steps in
 * their figures, and what the newest run is worth beside them. docs/trend.md has the method.
 */
#ifndef TREND_H
#define TREND_H

#include <stdbool.h>

#include "archive/archive.h"
#include "tools/trend/change_points.h"

/* Figures that are judged. */
enum trend_figure { TREND_THROUGHPUT, TREND_P99, TREND_CAPACITY, TREND_FIGURES };

struct trend_run {
    int64_t id;
    char *started;
    char *labels; /* a JSON object */
    char *verdict;
    bool valid;                  /* takes part; others are only drawn */
    double value[TREND_FIGURES]; /* NAN: it has none */
    double low, high;            /* TREND_CAPACITY: the interval */
};

enum trend_newest { TREND_UNKNOWN, TREND_EXPECTED, TREND_SUSPECT };

/* One figure of a series. Numbers of runs are those of its valid runs, counted from 0. */
struct trend_course {
    struct change_point *step; /* levels are logarithms */
    size_t steps;
    enum trend_newest newest;
    double low, high; /* where the newest was to be expected */
};

struct trend_series {
    int64_t number;
    bool capacity; /* of searches, not of runs: they have that figure only, and runs the others */
    char *test, *host, *settings;
    char *changed; /* in what the settings differ from those of the series before it with the same
                      test; NULL: there is none */
    double rate;   /* NAN: closed loop */
    double workers;
    char *slo;             /* objectives of searches; NULL: of runs */
    struct trend_run *run; /* by their start */
    size_t runs;
    size_t *valid; /* indices of the valid ones */
    size_t valid_runs;
    struct trend_course course[TREND_FIGURES];
};

struct trend {
    struct trend_series *series; /* by the start of their first runs */
    size_t count;
};

/* "throughput", "/s" */
const char *trend_figure_name(enum trend_figure figure);
const char *trend_figure_unit(enum trend_figure figure);

/* Whether the runs of a series have that figure. */
bool trend_has(const struct trend_series *series, enum trend_figure figure);
/* Of the first series of a history: drawn in one chart, with breaks between. */
bool trend_is_one_history(const struct trend_series *a, const struct trend_series *b);

/* Reads the runs and results of searches that the filter lets through, without probes of searches.
 * −1 after a logged message; trend_fini() is due in any case. */
int trend_load(struct trend *trend, struct archive *archive, const struct archive_filter *filter);
void trend_fini(struct trend *trend);

/* Finds the steps of all series, and what their newest runs are worth. What is known of earlier
 * runs is taken from `archive`, and written there; NULL: everything is judged anew. */
void trend_judge(struct trend *trend, struct archive *archive);

/* Whether there are enough valid runs. */
bool trend_is_judged(const struct trend_series *series);
/* Of a step. */
double trend_change_percent(const struct change_point *step);
bool trend_is_worse(enum trend_figure figure, const struct change_point *step);
/* The series that has the newest run of all; NULL: there is no run. */
const struct trend_series *trend_newest_series(const struct trend *trend);
/* Whether one of the last `within` valid runs of the series came after a step to the worse that
 * lies among them. */
bool trend_became_worse(const struct trend_series *series, size_t within);

#endif
