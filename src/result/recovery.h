/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds when the response time is back after a disturbance (docs/side-effects.md defines it). Time
 * is cut into windows; each has a percentile of the response times of the requests that completed
 * in it. The level before is what 90 % of the windows in the 20 window lengths before the
 * disturbance stay within. The response time is back where the first window begins, of those that
 * began after the disturbance ended, whose percentile is not above that level.
 *
 * All times count from the start of the run. One thread, the reporter's.
 */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>

#include "options/settings.h"
#include "stats/distribution.h"

struct recovery;

/* `percentile`: 0 for the highest that the settings ask for, below the maximum. */
struct recovery *recovery_create(const struct settings *settings, int64_t percentile);
void recovery_destroy(struct recovery *r);

/* Adds response times to the current window. */
void recovery_add(struct recovery *r, const struct distribution *response);
/* Ends the current window and begins the next one. */
void recovery_end_window(struct recovery *r, int64_t now_ns);
/* The same, if the current window has lasted for recovery_window_ns(). */
void recovery_end_due_window(struct recovery *r, int64_t now_ns);

/* What is known of one disturbance. */
struct recovery_watch {
    int64_t level_ns; /* −1: no window was there before */
    int64_t after_ns; /* when it ended; INT64_MAX: not yet */
    int64_t back_ns;  /* −1: not (yet) */
    struct recovery_watch *next;
};

/*
 * It begins at `now_ns`; windows before `since_ns` do not count. The watch is the caller's and
 * outlives `r`'s last use.
 */
void recovery_watch(struct recovery *r, struct recovery_watch *watch, int64_t since_ns,
                    int64_t now_ns);

int64_t recovery_window_ns(const struct recovery *r);
int64_t recovery_percentile(const struct recovery *r);

#endif
