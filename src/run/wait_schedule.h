/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when the sessions of a server are sampled. The times are those of a Poisson process. Its
 * rate at any time depends only on what happened before: the rate is ten times as high while a
 * request is slow (triggered). If each sample stands for 1 / rate, the sums are unbiased, whatever
 * the trigger depends on (docs/why.md).
 *
 * While no request can become slow, samples come at the low rate. Otherwise the process is thinned:
 * candidates come at the high rate, and unless a request is slow only a part of them is accepted,
 * at random.
 */
#ifndef WAIT_SCHEDULE_H
#define WAIT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rand_stream.h"

#define WAIT_TRIGGER_FACTOR 10

struct wait_schedule {
    struct rand_stream stream;
    double slow_ns, fast_ns; /* mean gaps between samples, without and with the trigger */
    bool certain;            /* the next candidate comes at the low rate and is accepted */
};

/* `gap_ns` is the shortest time between two samples, during which no candidate comes. `stream` is
 * the number of the random stream. */
void wait_schedule_init(struct wait_schedule *schedule, double per_second, int64_t gap_ns,
                        uint64_t seed, unsigned stream);
/* Returns the time of the next candidate after `from_ns`. Until `calm_until_ns`, which depends on
 * the past only, samples come at the low rate. */
int64_t wait_schedule_next_ns(struct wait_schedule *schedule, int64_t from_ns,
                              int64_t calm_until_ns);
/* Decides on the candidate that wait_schedule_next_ns() returned; `triggered` matters only for one
 * that is not certain. Returns the time in nanoseconds that the sample stands for, or 0 if no
 * sample is to be taken. */
double wait_schedule_accept(struct wait_schedule *schedule, bool triggered);

#endif
