/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files sweep*.c share. */
#ifndef SWEEP_INTERNAL_H
#define SWEEP_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/subject.h"

/* An option and the values it is to have. */
struct vary {
    char *name;
    char **value; /* all different */
    size_t count; /* ≥ 1 */
};

enum point_state {
    POINT_OPEN,
    POINT_MEASURED, /* its report is in the folder */
    POINT_FAILED,
};

/* One run of the sweep. */
struct sweep_point {
    size_t combination; /* 0 … combinations − 1 */
    unsigned turn;      /* 1 … repeat */
    char *label;        /* "threads=4 tables=2 #1" */
    char *path;         /* of its report */
    enum point_state state;
    char *failure;   /* POINT_FAILED: why */
    json_t *summary; /* POINT_MEASURED: of its report, with figures for the tables added */
};

struct sweep {
    struct subject subject;
    struct vary *vary;
    size_t varied;
    size_t combinations; /* the last option varies fastest */
    unsigned repeat;
    bool prepare, cleanup;
    bool shuffled;
    int64_t seed; /* of the order, when shuffled */
    const char *folder;
    int lock_fd;               /* −1: none */
    struct sweep_point *point; /* combination by combination */
    size_t count;
    size_t *order; /* in which points are run */
    /* Whose prepare has begun and whose cleanup has not succeeded; NULL: none, or not both asked */
    struct sweep_point *prepared;
    bool failed; /* a point, or what prepares or cleans up */
};

/* sweep_plan.c: what is to be run. */

/*
 * Parses "NAME=VALUE,…" into an element of sweep->vary, which sweep_fini() frees, whatever the
 * result. NULL, or what is allowed.
 */
const char *vary_parse(struct vary *vary, const char *text);

/* −1 after a logged message: there are too many of them. */
int sweep_make_points(struct sweep *sweep);
/* By the seed when shuffled. */
void sweep_make_order(struct sweep *sweep);
/* The value of the option number `option` of a combination. */
const char *sweep_value(const struct sweep *sweep, size_t combination, size_t option);
/* The plan as JSON, without passwords; a new reference. */
json_t *sweep_plan(const struct sweep *sweep);
void sweep_fini(struct sweep *sweep);

/* sweep_folder.c: the folder of the results. */

/*
 * Makes the folder unless it exists, and sees to it that no other sweep uses it and that it holds
 * nothing of another plan. The seed of an earlier start is used again unless `seed_given`. Then
 * makes the order and takes note of the points that are finished, and of what an earlier start has
 * prepared and not cleaned up. −1 after a logged message.
 */
int sweep_folder_open(struct sweep *sweep, bool seed_given);
/*
 * Makes `text`, the report of a run of `point` that ended with `code`, the point's file and notes
 * what it says; the point stays open when the run did not come to its end. Takes `text` over. −1
 * after a logged message.
 */
int sweep_keep_report(struct sweep_point *point, char *text, int code);

/* Makes it sweep->prepared, for the next start too. −1 after a logged message. */
int sweep_note_prepared(struct sweep *sweep, struct sweep_point *point);

/*
 * sweep_run.c: runs what is open. −1 after a logged message when it cannot go on; it does go on
 * after points that have failed, and sets sweep->failed.
 */
int sweep_run(struct sweep *sweep);

/* sweep_table.c */

/* "queue full, OVERLOADED", or the failure of a failed point; "": nothing. The caller frees it. */
char *sweep_note(const struct sweep_point *point);
/* The last percentile that a report has: its name, or NULL. */
const char *sweep_last_percentile(const json_t *summary);
/*
 * All percentiles that any run has, as an object whose names count: not all have the same ones when
 * --percentile varies. The caller releases it.
 */
json_t *sweep_percentiles(const struct sweep *sweep);
/* The table on standard output and in the folder. −1 after a logged message. */
int sweep_write_table(const struct sweep *sweep);

/* sweep_csv.c: a line per run, for other programs. −1 after a logged message. */
int sweep_write_csv(const struct sweep *sweep);

#endif
