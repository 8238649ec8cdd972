/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rank tells rank 0 while a run goes on: at least once a second, and at the end of each
 * interval and at each checkpoint, all that was recorded since it last did. Times count from the
 * common start.
 */
#ifndef TEAM_TICK_H
#define TEAM_TICK_H

#include "base/bytes.h"
#include "options/settings.h"
#include "report/live/output.h"
#include "result/summary.h"

struct tick {
    int64_t
        until_ns;   /* all that was recorded until then has been told; INT64_MAX: it was the last */
    int64_t end_ns; /* of the last: when the rank's run ended; else 0 */
    int64_t late_ns; /* how much too late the rank has begun; 0: in time */
    struct gauges gauges;
    unsigned threads;         /* of the rank */
    struct fairness fairness; /* of the part that a checkpoint has ended */
    struct snapshot phase[PHASES];
};

void tick_init(struct tick *tick);
void tick_fini(struct tick *tick);
/* Nothing is recorded in it any more. */
void tick_reset(struct tick *tick);

/* *out gets the bytes; the caller frees them (bytes_fini()). */
void tick_encode(struct tick *tick, struct bytes *out);
/* −1: this is none. *tick is initialized and empty. */
int tick_decode(struct tick *tick, const void *bytes, size_t size);

/* The time of the next tick after `at_ns` ≥ 0, by the settings of the whole run. */
int64_t tick_after(const struct settings *whole, int64_t at_ns);
/* Whether an interval, or a part, ends with the tick of that time. */
bool tick_ends_interval(const struct settings *whole, int64_t at_ns);
bool tick_is_checkpoint(const struct settings *whole, int64_t at_ns);

#endif
