/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats figures, rates and table columns the same way in all sections of the text report. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <inttypes.h>
#include <stdio.h>

#include "options/settings.h"
#include "stats/distribution.h"
#include "stats/targets.h"

/* Column at which the figures end in the blocks of the final report. */
#define REPORT_EDGE 53

/* One figure, or the label of one figure, as text. */
struct report_figure {
    char text[48];
};

/* Returns a time in units of `unit_ns` nanoseconds with two decimals, with a '>' in front if it
 * is a lower bound, or "-" if it is unknown. */
struct report_figure report_bounded(struct bounded value, int64_t unit_ns);
/* Returns half the width of an interval in milliseconds, with two significant digits and at most
 * four decimals. */
struct report_figure report_half_width(int64_t ns);

/* Returns the smallest observed value for report_bounded(). */
struct bounded report_min(const struct distribution *d);

/* Returns a copy of a name or message that comes from the workload or the server, in one line,
 * with the characters replaced that a terminal would act on. The caller frees it. */
char *report_printable(const char *text);

/* Returns the label of a percentile, such as "99.9%". */
struct report_figure report_percentile_label(int64_t percentile);

/* Returns the width, in bytes, of a table's first column with the names of the targets below
 * `heading`. */
int report_name_width(const struct target_totals *t, const char *heading);

/* Writes columns of times in ms, each 9 wide after a blank: the mean, the percentiles that the
 * settings ask for, and the maximum. */
void report_time_headings(FILE *out, const struct settings *settings);
void report_time_columns(FILE *out, const struct settings *settings, const struct distribution *d);

/* Returns the rate per second of `count` in `span_ns`; 0 if the span is empty. */
double report_rate(uint64_t count, int64_t span_ns);

/* A counting line of the final report: "    name:    count". */
void report_count(FILE *out, const char *name, uint64_t count);
/* A counting line with a note: "    name:    count  (note)". */
void report_count_note(FILE *out, const char *name, uint64_t count, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
