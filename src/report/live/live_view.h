/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of --live: lines with the figures of the last second, then lines with a bar for each
 * second of the last minutes. The view does not read the clock and does not use the terminal. Its
 * owner collects figures, ends the second, prints the lines and begins the next second.
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
#define LIVE_LINES_MOST 8 /* figures and bars */

/* The figures that are drawn as bars, one value per second. */
enum live_series { LIVE_COMPLETED, LIVE_TIME, LIVE_QUEUE, LIVE_SERIES };

struct live_view {
    const struct settings *settings;
    bool utf8;
    int64_t start_ns;           /* 0 before the first live_view_collect() */
    int64_t since_ns, until_ns; /* begin and end of the current second */
    struct snapshot second;
    struct gauges gauges;                        /* gauges at the end of the second */
    struct wait_moment waits;                    /* samples of waits until then */
    struct wait_span waited;                     /* waits of the second */
    double history[LIVE_SERIES][LIVE_HISTORY_S]; /* ring buffers of the last LIVE_HISTORY_S
                                                  * seconds; NAN if a second has no value */
    unsigned seconds;                            /* number of seconds that were written to
                                                  * history since the start */
};

/* The settings must outlive the view. Bars are drawn with block elements if `utf8` is true, else
 * with ASCII characters. */
void live_view_init(struct live_view *view, const struct settings *settings, bool utf8);
void live_view_fini(struct live_view *view);

/*
 * Adds what was recorded since the last call. The first call only begins the first second: its
 * figures are ignored, because they cover an unknown time. This time and those of the functions
 * below are CLOCK_MONOTONIC.
 */
void live_view_collect(struct live_view *view, const struct snapshot *recorded, int64_t now_ns);

/* Ends the current second if it is over; otherwise returns false. */
bool live_view_end_second(struct live_view *view, struct gauges gauges, int64_t now_ns);
/* After printing: begins the next second where the last one ended. */
void live_view_begin_second(struct live_view *view);

/* Return the number of lines to print, and how many of these have figures, not bars. */
unsigned live_view_lines(const struct live_view *view);
unsigned live_view_figures(const struct live_view *view);
/* Prints line number `line`, from 0 on, of the last complete second, without a newline. Lines
 * with bars fit into a window of `columns`, at least 40; lines with figures may be longer. */
void live_view_print(const struct live_view *view, FILE *out, unsigned line, unsigned columns);

#endif
