/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when the sessions of a server are sampled. The times are those of a Poisson process with
 * two rates: while a request is known to be slow (triggered), the rate is up to ten times as high.
 * The rate at any time depends only on what happened before. If each sample stands for 1 / rate,
 * the sums are unbiased, whatever the trigger depends on (docs/why.md).
 *
 * A Poisson process has no memory: when the rate changes, the time of the next sample is redrawn
 * from that moment on.
 *
 * Workers that end a request look for slow requests of other workers, and change the rate. The
 * sampler looks only if no worker has looked in time. So it seldom wakes up between samples.
 *
 * Times are those of CLOCK_MONOTONIC in nanoseconds. Calls must not overlap.
 */
#ifndef WAIT_SCHEDULE_H
#define WAIT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "base/util.h"

#define WAIT_TRIGGER_FACTOR 10
/* Longest time from a look for slow requests until the next one is due. */
#define WAIT_LOOK_MAX_NS (40 * NS_PER_MS)
/* Highest value of `late_ns`, see wait_schedule_late_ns(). */
#define WAIT_LOOK_LATE_MAX_NS (10 * NS_PER_MS)

struct wait_schedule {
    struct rand_stream stream;
    double slow_ns, fast_ns; /* mean gaps between samples, without and with the trigger */
    bool triggered;          /* the next sample was drawn at the high rate */
    int64_t from_ns;         /* the next sample is later than this */
    int64_t next_ns;         /* time of the next sample */
};

/* `stream` is the number of the random stream. */
void wait_schedule_init(struct wait_schedule *schedule, double per_second, uint64_t seed,
                        unsigned stream);
/* Sets the shortest time between two samples, during which none is drawn. */
void wait_schedule_set_gap(struct wait_schedule *schedule, double per_second, int64_t gap_ns);
/* Draws the next sample, which comes after `from_ns`. `triggered` says whether a request is slow.
 */
void wait_schedule_draw(struct wait_schedule *schedule, int64_t from_ns, bool triggered);
/* Redraws the next sample from `now_ns` on if `triggered` differs from the last draw. A sample that
 * is due already is not redrawn: it is to be taken, with the mean gap of its draw. */
void wait_schedule_set(struct wait_schedule *schedule, int64_t now_ns, bool triggered);
/* Returns the longest time in nanoseconds by which workers may be late to look for slow requests
 * before the sampler looks. `per_second` is the rate without the trigger, of all ranks together. */
int64_t wait_schedule_late_ns(double per_second);
/* Returns when the next look is due after a look at `now_ns`. No request can be slow before
 * `calm_until_ns`. Two looks are at least a tenth of `late_ns` apart. */
int64_t wait_schedule_look_ns(int64_t now_ns, int64_t calm_until_ns, int64_t late_ns);
/* Returns when the sampler wakes up, for a sample or for a look, if no worker looks before. The
 * next look is due at `look_ns`. */
int64_t wait_schedule_due_ns(const struct wait_schedule *schedule, int64_t look_ns,
                             int64_t late_ns);
/* Returns the mean gap, in nanoseconds, that the next sample stands for. */
double wait_schedule_mean_ns(const struct wait_schedule *schedule);

#endif
