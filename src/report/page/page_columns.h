/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The intervals of a run as a page holds them: by column, as JSON text, and small, so that a day of
 * one-second intervals makes a page that opens at once.
 *
 * Of the columns of interval_column.h only those that are drawn. Real numbers have five digits,
 * more than a chart can show; moments have all. A column with one and the same value throughout is
 * that value instead of an array. "heat" has the response times of each interval in few buckets:
 * the number of the first bucket in use, then the counts of it and of those after it, such as "52 3
 * 0 1";
 * "" is an interval without any. Buckets are numbered in the order of the lower bounds that
 * "response_histogram" (docs/json.md) can have.
 */
#ifndef PAGE_COLUMNS_H
#define PAGE_COLUMNS_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/interval_column.h"

/* All zeros to begin with. */
struct page_columns {
    struct interval_columns columns; /* those of the first interval */
    struct page_column *column;
    size_t rows;
};

void page_columns_fini(struct page_columns *p);

/* `arg` is a struct page_columns: to be called for each interval (report_document_each()). */
void page_columns_add(void *arg, const json_t *interval);

/* Writes `"rows":2,"columns":{"to_s":[1,2],…}`. */
void page_columns_write(const struct page_columns *p, FILE *out);

#endif
