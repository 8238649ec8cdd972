/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of the runs in an archive: series of runs with the same settings, steps in their
 * figures, and a judgement on the newest run. docs/trend.md describes the method.
 */
#ifndef TREND_H
#define TREND_H

#include <stdbool.h>

#include "archive/archive.h"
#include "tools/trend/change_points.h"

/* Series with fewer valid runs are not judged. */
#define TREND_LEAST 4

/* The figures that are judged. */
enum trend_figure {
    TREND_THROUGHPUT,
    TREND_P50,
    TREND_P95,
    TREND_P99,
    TREND_CAPACITY,
    TREND_FIGURES
};

struct trend_run {
    int64_t id;
    char *started;
    char *labels; /* a JSON object */
    char *verdict;
    bool valid;                  /* the run is judged; other runs are only drawn */
    double value[TREND_FIGURES]; /* NAN if the run does not have the figure */
    double low, high;            /* confidence interval of TREND_CAPACITY */
};

/* TREND_WIDE: the expected range is so wide that it says nothing. */
enum trend_newest { TREND_UNKNOWN, TREND_EXPECTED, TREND_SUSPECT, TREND_WIDE };

/* One figure of a series. Indices of runs count the valid runs of the series, from 0 on. */
struct trend_course {
    struct change_point *step; /* the levels are logarithms */
    size_t steps;
    enum trend_newest newest;
    double low, high; /* expected range of the newest value */
};

struct trend_series {
    int64_t number;
    /* A series of capacity searches, which have only that figure; runs have the other figures. */
    bool capacity;
    char *test, *host, *settings;
    /* Settings that differ from those of the previous series with the same test; NULL if there is
     * no such series. */
    char *changed;
    double rate; /* NAN for a closed loop */
    double workers;
    char *slo;             /* objectives of capacity searches; NULL for runs */
    struct trend_run *run; /* ordered by start */
    size_t runs;
    size_t *valid; /* indices of the valid runs */
    size_t valid_runs;
    struct trend_course course[TREND_FIGURES];
};

struct trend {
    struct trend_series *series; /* ordered by the start of the first run */
    size_t count;
};

/* Name such as "throughput" and unit such as "/s". */
const char *trend_figure_name(enum trend_figure figure);
const char *trend_figure_unit(enum trend_figure figure);

/* Returns true if the runs of the series have the figure. */
bool trend_has(const struct trend_series *series, enum trend_figure figure);
/* Returns true if both series belong to one history: they are drawn in one chart, with breaks
 * between them. */
bool trend_is_one_history(const struct trend_series *a, const struct trend_series *b);

/* Reads the selected runs and results of capacity searches, without the probes of searches. Returns
 * −1 after a logged message; trend_fini() has to be called in any case. */
int trend_load(struct trend *trend, struct archive *archive, const struct archive_filter *filter);
void trend_fini(struct trend *trend);

/* Finds the steps of all series and judges their newest runs. Saved results for earlier runs are
 * read from `archive` and written to it; if `archive` is NULL, everything is computed again. */
void trend_judge(struct trend *trend, struct archive *archive);

/* Returns true if there are enough valid runs to look for steps. */
bool trend_is_judged(const struct trend_series *series);
/* Returns true if there are too few valid runs for steps, but enough to say whether the newest ones
 * are suspect. */
bool trend_is_short(const struct trend_series *series);
/* Returns true if there are too few valid runs to say anything. */
bool trend_is_unknown(const struct trend_series *series);
/* Change of the level in percent. */
double trend_change_percent(const struct change_point *step);
bool trend_is_worse(enum trend_figure figure, const struct change_point *step);
/* Returns the series of the newest run; NULL if there are no runs. */
const struct trend_series *trend_newest_series(const struct trend *trend);
/* Returns true if smaller values are better. */
bool trend_is_time(enum trend_figure figure);
/* Returns true if there is a step to the worse among the last `within` valid runs of the series. */
bool trend_became_worse(const struct trend_series *series, size_t within);
/* Returns true if this is the judgement on a figure of the newest run. */
bool trend_newest_is(const struct trend_series *series, enum trend_newest newest);

#endif
