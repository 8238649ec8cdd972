/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page: charts and tables of one run or of several, in one file that needs nothing else
 * (docs/page.md). The data in it are JSON, as in the report, but the intervals by column.
 */
#ifndef HTML_H
#define HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "report/json/report_document.h"
#include "report/json/report_json.h"

/* One run of a page. */
struct html_run {
    const char *name; /* as the reader knows it, such as the name of its file */
    const struct report_document *document;
};

/* Writes the page. −1 after a logged message; the file at `path` is then the old one. */
int html_write(const char *path, const struct html_run *runs, size_t count);

/* The page to a stream, with `top`, which is HTML, before all else that it shows (NULL: nothing).
 * −1 after a logged message. */
int html_print(FILE *out, const struct html_run *runs, size_t count, const char *top);

/* Writes the page of one run that has just ended; fails as html_write() does. */
int html_write_report(const char *path, const struct report_json *json);

/* False: this program was built without pages. */
bool html_available(void);
/* −1 after a logged message that says so. */
int html_check(void);

#endif
