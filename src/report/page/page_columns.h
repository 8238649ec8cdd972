/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the intervals of a run to the JSON text in a page. The intervals are stored by column,
 * and compactly, so that a page with a day of one-second intervals opens at once.
 *
 * Only those columns of interval_column.h are stored that the page draws. Real numbers have five
 * digits, more than a chart can show; times of intervals have all digits. If all values of a column
 * are equal, the column is this value instead of an array. The column "heat" has a string for each
 * interval with its response times in few buckets: the number of the first bucket in use, then the
 * counts of this bucket and of those after it, such as "52 3 0 1"; the string is empty if the
 * interval has no response times. Buckets are numbered in the order of the lower bounds that
 * "response_histogram" (docs/json.md) can have.
 *
 * A page has the columns of the first interval, and those of classes of statements, quality
 * figures and wait events that occur first in a later interval. The intervals before it have no value in these columns.
 */
#ifndef PAGE_COLUMNS_H
#define PAGE_COLUMNS_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/interval_column.h"

/* Must be initialised with zeros. */
struct page_columns {
    struct interval_columns columns;
    struct page_column **column; /* one for each of `columns` */
    struct page_column *heat;    /* NULL before the first interval */
    /* intervals; classes of statements, and quality figures, that have columns */
    size_t rows, classes, qualities;
};

void page_columns_fini(struct page_columns *p);

/* Adds an interval. A callback for report_document_each(); `arg` is a struct page_columns. */
void page_columns_add(void *arg, const json_t *interval);

/* Writes `"rows":2,"columns":{"to_s":[1,2],…}`. */
void page_columns_write(const struct page_columns *p, FILE *out);

#endif
