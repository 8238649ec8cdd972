/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that describe the figures which are both written to a JSON report and read back from one:
 * each row has the name of a figure and the field of the struct that holds it. The writer and the
 * reader of reports use the same tables, so names cannot differ.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include <jansson.h>
#include <stddef.h>

#include "stats/snapshot.h"

/* The C type of a field, and the form of its value in a report. */
/* clang-format off */
enum figure_type {
    FIGURE_BOOL,    /* bool */
    FIGURE_COUNT,   /* uint64_t */
    FIGURE_REAL,    /* double; null if it is not finite */
    FIGURE_SHARE,   /* double, below 0 if it is not known; null if it is not known */
    FIGURE_SECONDS, /* int64_t in nanoseconds; seconds in the report */
    FIGURE_MS,      /* int64_t in nanoseconds; milliseconds in the report */
};
/* clang-format on */

struct figure {
    const char *name;
    enum figure_type type;
    size_t field; /* offset in the struct */
};

/* The tables, each with the struct that it describes. The last row of a table has no name. */
extern const struct figure figures_of_span[];             /* struct snapshot: its times */
extern const struct figure figures_of_requests[];         /* struct requests, of any part */
extern const struct figure figures_of_unfinished[];       /* struct requests, of a whole run */
extern const struct figure figures_of_sessions[];         /* struct requests, of a whole run */
extern const struct figure figures_of_fair_events[];      /* struct fairness */
extern const struct figure figures_of_fair_seconds[];     /* struct fairness */
extern const struct figure figures_of_little[];           /* struct little */
extern const struct figure figures_of_client[];           /* struct evidence */
extern const struct figure figures_of_generator[];        /* struct evidence, at an arrival rate */
extern const struct figure figures_of_timed_interval[];   /* struct interval, at an arrival rate */

/* Adds a member to `object` for each row. `from` points to the struct. */
void figures_write(json_t *object, const struct figure *figures, const void *from);
/* Sets the fields of the struct at `to` from the members of `object`. If a member is missing,
 * the field becomes 0, or −1 for a share. */
void figures_read(void *to, const struct figure *figures, const json_t *object);

/* Returns a count of a report, limited so that sums of counts cannot overflow; 0 if `value` is
 * no count. */
uint64_t figure_count(const json_t *value);

/* The kinds of times that a snapshot has a distribution of. */
enum figure_time {
    FIGURE_RESPONSE,
    FIGURE_WAIT,
    FIGURE_SERVICE,
    FIGURE_FAILED,
    FIGURE_FAILED_SERVICE,
    FIGURE_SESSION,         /* reports without sessions do not have it */
    FIGURE_CONNECTION_WAIT, /* reports without a pool do not have it */
    FIGURE_GENERATOR_LAG,
    FIGURE_CONNECT,
    FIGURE_STALENESS,
    FIGURE_TIMES,
    FIGURE_TIMES_DRAWN = FIGURE_FAILED, /* pages draw the kinds before this one */
};

/* Returns the name of a kind of time in the histograms of a report, such as "response". */
const char *figure_time_name(enum figure_time time);
struct distribution *figure_distribution(struct snapshot *s, enum figure_time time);

#endif
