/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tick is a message from a rank to rank 0 during the run: all data recorded since the previous
 * tick. A rank sends a tick at least once a second, at the end of each interval and at each
 * checkpoint. Times count from the common start.
 */
#ifndef TEAM_TICK_H
#define TEAM_TICK_H

#include "base/bytes.h"
#include "options/settings.h"
#include "report/live/output.h"
#include "result/summary.h"

struct tick {
    int64_t
        /* this and all previous ticks contain everything recorded until this time; INT64_MAX in the
         * last tick */
        until_ns;
    int64_t end_ns;  /* in the last tick, when the rank's run ended; otherwise 0 */
    int64_t late_ns; /* how late this rank started; 0 if in time */
    struct gauges gauges;
    int64_t in_service_ns;    /* reporter_in_service_ns() of the rank */
    unsigned threads;         /* number of threads of the rank */
    struct fairness fairness; /* of the part of the run that a checkpoint has ended */
    struct wait_span waits; /* of an interval that ends; `names` is NULL if it does not */
    struct snapshot phase[PHASES];
};

void tick_init(struct tick *tick);
void tick_fini(struct tick *tick);
/* Removes all recorded data. */
void tick_reset(struct tick *tick);

/* Appends the encoded tick to *out. The caller frees it with bytes_fini(). */
void tick_encode(struct tick *tick, struct bytes *out);
/* Decodes a tick into *tick, which must be initialized and empty. `names` gets the names of its
 * waits. Returns −1 if the bytes are not a valid tick. */
int tick_decode(struct tick *tick, const void *bytes, size_t size, struct wait_names *names);

/*
 * Returns the time of the next tick after `at_ns` ≥ 0, according to the settings of the whole run.
 */
int64_t tick_after(const struct settings *whole, int64_t at_ns);
/* Return true if an interval ends, or a checkpoint is, at the time of this tick. */
bool tick_ends_interval(const struct settings *whole, int64_t at_ns);
bool tick_is_checkpoint(const struct settings *whole, int64_t at_ns);

#endif
