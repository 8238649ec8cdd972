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
#include "output/output.h"

struct recovery;

/* `percentile`: 0 for the highest that the settings ask for, below the maximum. */
struct recovery *recovery_create(const struct settings *settings, int64_t percentile);
void recovery_destroy(struct recovery *r);

/* Adds times to the window that goes on … */
void recovery_add(struct recovery *r, const struct distribution *response);
/* … and ends it. */
void recovery_end_window(struct recovery *r, int64_t now_ns);
/* Feeds it with what is drained, and ends windows when they are due; belongs to outputs_add(),
 * lives as long as `r`. */
struct output recovery_output(struct recovery *r);
/* For the output: the times of the run begin at `start_ns` (CLOCK_MONOTONIC). */
void recovery_begin(struct recovery *r, int64_t start_ns);

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
