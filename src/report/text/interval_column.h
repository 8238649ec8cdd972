/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of an interval as a row of columns, for CSV and for pages: one table says which there
 * are, and where each stands in an interval of the JSON report (docs/json.md).
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
    bool drawn_only;
};

/*
 * Fixed columns; then one for each percentile that `interval` has of each kind of time; one for
 * each figure of each source that was watched ("server_samples"); and those of each of its targets
 * ("target_0_completed_per_s").
 */
void interval_columns_init(struct interval_columns *columns, const json_t *interval);
/* The same without those that no chart of a page shows. */
void interval_columns_init_drawn(struct interval_columns *columns, const json_t *interval);
void interval_columns_fini(struct interval_columns *columns);

/* The value at `path`, borrowed; NULL where there is none. Steps are keys of objects or numbers of
 * an array's elements. */
const json_t *interval_value(const json_t *interval, const char *path);

#endif
