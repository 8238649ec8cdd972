/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals as CSV (RFC 4180, lines end in CR LF): a header, then a row per interval. A field is
 * empty if the run does not have the figure. interval_column.h lists the columns.
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

/* Writes a row, and before the first row the header. `interval` is an interval of the JSON
 * report. */
void report_csv_row(struct report_csv *csv, const json_t *interval);

/* Write cells, also for other tables: a text, in quotes if it contains separators; a number, or
 * a boolean as 1 or 0. Other values give an empty cell. */
void report_csv_text(FILE *out, const char *text);
void report_csv_figure(FILE *out, const json_t *value);

/* Writes a file with all intervals of a report; `name` names the report in messages. Returns 0,
 * or −1 after a logged message; the file at `path` is then unchanged. */
int report_csv_write(const char *path, const char *name, const struct report_document *document);

#endif
