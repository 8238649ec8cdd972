/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals as CSV (RFC 4180, lines end in CR LF): a header, then a row per interval. A field is
 * empty where the run has no such figure. Columns: interval_column.h.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <jansson.h>
#include <stdio.h>

#include "report/json/report_document.h"
#include "report/text/interval_column.h"

#define REPORT_CSV_LINE_END "\r\n"

struct report_csv {
    FILE *out;
    struct interval_columns columns; /* empty before the first row */
};

void report_csv_init(struct report_csv *csv, FILE *out);
void report_csv_fini(struct report_csv *csv);

/* One row; before the first one, the header. `interval` as in the JSON report. */
void report_csv_row(struct report_csv *csv, const json_t *interval);

/* Cells for other tables: a text, in quotes where it needs them; a number or a boolean as 1 or 0,
 * nothing for other values. */
void report_csv_text(FILE *out, const char *text);
void report_csv_figure(FILE *out, const json_t *value);

/* Writes a file with all intervals of a report; `name` is for messages. −1 after a logged message;
 * the file at `path` is then the old one. */
int report_csv_write(const char *path, const char *name, const struct report_document *document);

#endif
