/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --live shows: lines of figures of the last second, then a bar for each second of the last
 * minutes. Knows neither the clock nor the terminal. A second is what its owner makes of it: it is
 * collected, ended, printed, and the next one begins.
 */
#ifndef LIVE_VIEW_H
#define LIVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options/settings.h"
#include "report/live/output.h"
#include "stats/snapshot.h"

#define LIVE_HISTORY_S 300
#define LIVE_LINES_MOST 7  /* figures and bars */
#define LIVE_LINES_LEAST 4 /* figures only */

/* What is drawn over time, a value per second. */
enum live_series { LIVE_COMPLETED, LIVE_TIME, LIVE_QUEUE, LIVE_SERIES };

struct live_view {
    const struct settings *settings;
    bool utf8;
    int64_t start_ns;           /* 0: before the first collect */
    int64_t since_ns, until_ns; /* of the second */
    struct snapshot second;
    struct gauges gauges;                        /* at its end */
    double history[LIVE_SERIES][LIVE_HISTORY_S]; /* a ring */
    unsigned seconds;                            /* ever written to it */
};

/* The settings must outlive the view. `utf8`: bars of block elements; else of ASCII. */
void live_view_init(struct live_view *view, const struct settings *settings, bool utf8);
void live_view_fini(struct live_view *view);

/*
 * Recorded since the last call. The first call begins the first second, and what it brings is left
 * out: it was recorded in a time unknown. Times are CLOCK_MONOTONIC, here and below.
 */
void live_view_collect(struct live_view *view, const struct snapshot *recorded, int64_t now_ns);

/* Ends the second when it is over. False: it is not. */
bool live_view_end_second(struct live_view *view, struct gauges gauges, int64_t now_ns);
/* After printing: begins the next second where the last one ended. */
void live_view_begin_second(struct live_view *view);

/* How many lines there are to print: LIVE_LINES_MOST, or one less where nothing can wait. */
unsigned live_view_lines(const struct live_view *view);
/* Prints line number `line` of the second that has ended, without its end; bars for a window of
 * `columns` (40 at least), figures as long as they are. */
void live_view_print(const struct live_view *view, FILE *out, unsigned line, unsigned columns);

#endif
