/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds when response times have recovered from a disturbance (docs/side-effects.md defines it).
 * Time is divided into windows. Each window has a percentile of the response times of the requests
 * that completed in it. The level before a disturbance is the value that 90 % of the windows in the
 * 20 window lengths before it do not exceed. Response times have recovered at the beginning of the
 * first window that began after the end of the disturbance and whose percentile does not exceed
 * this level.
 *
 * All times are in nanoseconds since the start of the run. Used by the reporter's thread only.
 */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>

#include "options/settings.h"
#include "stats/distribution.h"

struct recovery;

/* `percentile` is in millionths of a percent. 0 means the highest percentile below 100 % that the
 * settings ask for. */
struct recovery *recovery_create(const struct settings *settings, int64_t percentile);
void recovery_destroy(struct recovery *r);

/* Adds response times to the current window. */
void recovery_add(struct recovery *r, const struct distribution *response);
/* Ends the current window and begins the next one. */
void recovery_end_window(struct recovery *r, int64_t now_ns);
/* Ends the current window if it has lasted at least recovery_window_ns(). */
void recovery_end_due_window(struct recovery *r, int64_t now_ns);

/* The times of one disturbance. */
struct recovery_watch {
    /* Level of the percentile before the disturbance; −1 if there were no windows. */
    int64_t level_ns;
    int64_t after_ns; /* end of the disturbance, set by the caller; INT64_MAX until then */
    int64_t back_ns;  /* time of recovery; −1 if it is not reached (yet) */
    struct recovery_watch *next;
};

/* Notes a disturbance that begins at `now_ns`. Windows that began before `since_ns` do not count.
 * The caller owns *watch, which must outlive the last use of `r`. */
void recovery_watch(struct recovery *r, struct recovery_watch *watch, int64_t since_ns,
                    int64_t now_ns);

int64_t recovery_window_ns(const struct recovery *r);
int64_t recovery_percentile(const struct recovery *r);

#endif
