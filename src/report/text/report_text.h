/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures, rates and columns as text, as all reports write them. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <inttypes.h>
#include <stdio.h>

#include "options/settings.h"
#include "stats/distribution.h"
#include "stats/targets.h"

/* Where the right edge of the figures stands in the blocks of the final report. */
#define REPORT_EDGE 53

/* The text of one figure. */
struct report_figure {
    char text[48];
};

/* A time in units of `unit_ns` with two decimals, behind '>' when it is a lower bound. */
struct report_figure report_bounded(struct bounded value, int64_t unit_ns);

/* A name or message of others, in one line and without what acts on a terminal; the caller frees.
 */
char *report_printable(const char *text);

/* "99.9%" */
struct report_figure report_percentile_label(int64_t percentile);

/* How wide the column of their names is below its heading. */
int report_name_width(const struct target_totals *t, const char *heading);

/* Columns of times, each behind a blank and 9 wide: mean, the percentiles asked for, maximum. */
void report_time_headings(FILE *out, const struct settings *settings);
void report_time_columns(FILE *out, const struct settings *settings, const struct distribution *d);

/* How often per second; 0 for an empty span. */
double report_rate(uint64_t count, int64_t span_ns);

/* A counting line of the final report: "    name:    count". */
void report_count(FILE *out, const char *name, uint64_t count);
/* A counting line with a note: "    name:    count  (note)". */
void report_count_note(FILE *out, const char *name, uint64_t count, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
