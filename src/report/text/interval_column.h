/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of an interval as a list of columns, for CSV files and pages. A table in
 * interval_column.c lists the columns with the path of each figure in an interval of the JSON
 * report (docs/json.md).
 */
#ifndef INTERVAL_COLUMN_H
#define INTERVAL_COLUMN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct interval_column {
    const char *name; /* "queue", "response_ms_p99" */
    const char *path; /* "queue", "response_ms/percentiles/p99/value" */
};

struct interval_columns {
    struct interval_column *column;
    size_t count;
    bool drawn_only; /* leave out columns that no chart shows */
};

/*
 * Lists the columns of a report of which `interval` is the first one: the fixed columns; then one
 * for each percentile of each kind of time; one for each figure of each observed source
 * ("server_samples"); the shares of waits; and those of each host, type of event, type of deferred
 * work and class of statements ("host_0_completed_per_s"). The caller frees the list with
 * interval_columns_fini().
 */
void interval_columns_init(struct interval_columns *columns, const json_t *interval);
/* Lists only the columns that a chart of the page shows, including those of each rank and of each
 * wait event ("wait:Lock:row"). */
void interval_columns_init_drawn(struct interval_columns *columns, const json_t *interval);
void interval_columns_fini(struct interval_columns *columns);

/* Stands for '/' in a key of a path. */
#define INTERVAL_SLASH '\1'

/* Returns the value at `path`, borrowed from `interval`, or NULL if there is no such value. The
 * steps of a path are separated by '/': keys of objects, or numbers of array elements. */
const json_t *interval_value(const json_t *interval, const char *path);

#endif
