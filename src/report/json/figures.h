/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of a JSON report that are also read from one: each row has the name and the field of
 * a figure. The writer and the reader of reports use the same tables, so names cannot differ.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include <jansson.h>
#include <stddef.h>

#include "stats/snapshot.h"

/* The type of a field, and its value in a report. */
/* clang-format off */
enum figure_type {
    FIGURE_BOOL,    /* bool */
    FIGURE_COUNT,   /* uint64_t */
    FIGURE_REAL,    /* double; null if it is not finite */
    FIGURE_SHARE,   /* double, below 0 if it is not known; null then */
    FIGURE_SECONDS, /* int64_t in nanoseconds; seconds */
    FIGURE_MS,      /* int64_t in nanoseconds; milliseconds */
};
/* clang-format on */

struct figure {
    const char *name;
    enum figure_type type;
    size_t field; /* offset in the struct */
};

/* The rows of one struct; the last one has no name. */
extern const struct figure figures_of_span[];             /* struct snapshot: its times */
extern const struct figure figures_of_requests[];         /* struct requests, of any part */
extern const struct figure figures_of_unfinished[];       /* struct requests, of a whole run */
extern const struct figure figures_of_fair_events[];      /* struct fairness */
extern const struct figure figures_of_fair_seconds[];     /* struct fairness */
extern const struct figure figures_of_little[];           /* struct little */
extern const struct figure figures_of_client[];           /* struct evidence */
extern const struct figure figures_of_generator[];        /* struct evidence, at an arrival rate */
extern const struct figure figures_of_timed_interval[];   /* struct interval, at an arrival rate */

/* Sets a member of `object` for each row. `from` is the struct. */
void figures_write(json_t *object, const struct figure *figures, const void *from);
/* The reverse. Numbers that are missing are 0, shares −1. */
void figures_read(void *to, const struct figure *figures, const json_t *object);

/* A count in a report, within the bounds that a sum of counts can have; 0 if there is none. */
uint64_t figure_count(const json_t *value);

/* The kinds of times that a snapshot has. */
enum figure_time {
    FIGURE_RESPONSE,
    FIGURE_WAIT,
    FIGURE_SERVICE,
    FIGURE_FAILED,
    FIGURE_FAILED_SERVICE,
    FIGURE_GENERATOR_LAG,
    FIGURE_TIMES,
    FIGURE_TIMES_DRAWN = FIGURE_FAILED, /* pages draw the first of them */
};

/* Its name among the histograms: "response". */
const char *figure_time_name(enum figure_time time);
struct distribution *figure_distribution(struct snapshot *s, enum figure_time time);

#endif
