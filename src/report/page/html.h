/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a page: charts and tables of one or several runs, in one HTML file that loads no other
 * files (docs/page.md). The file contains the data as JSON, in the form of the report, except that
 * the intervals are stored by column.
 */
#ifndef HTML_H
#define HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "report/json/report_document.h"
#include "report/json/report_json.h"

/* A run on a page. */
struct html_run {
    const char *name; /* name of the run on the page, such as the name of its file */
    const struct report_document *document;
};

/* Writes a page to a file. Returns 0, or −1 after a logged message; the file at `path` is then
 * unchanged. */
int html_write(const char *path, const struct html_run *runs, size_t count);

/* Writes a page to a stream, with the HTML text `top`, which may be NULL, at the beginning of
 * the body. Returns 0, or −1 after a logged message. */
int html_print(FILE *out, const struct html_run *runs, size_t count, const char *top);

/* The same in parts, for runs that are not in memory at the same time: html_begin(), then
 * html_add_run() for each run, then html_end(). */
int html_begin(FILE *out, const char *top);
int html_add_run(FILE *out, const struct html_run *run);
void html_end(FILE *out);

/* Writes the page of a run that has just ended. Returns 0, or −1 after a logged message; the
 * file at `path` is then unchanged. */
int html_write_report(const char *path, const struct report_json *json);

/* Returns false if this program was built without pages. */
bool html_available(void);
/* Returns −1 after a logged message if this program was built without pages, otherwise 0. */
int html_check(void);

#endif
