/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arrival process: when requests arrive. The schedule is absolute: next = previous + gap. It
 * never depends on how late anything ran.
 */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "options/rank.h"
#include "options/settings.h"

/*
 * A value: made from kind, rate and seed. Every rank of a run draws the same schedule and keeps
 * what is its own, so that the ranks together have the schedule of one process, whatever their
 * number. Evenly spaced arrivals go to the ranks in turn. The owner of others is drawn for each, in
 * proportion to the ranks' workers and from a stream of its own: a Poisson process whose points are
 * dealt out so is made of independent Poisson processes (J. F. C. Kingman, Poisson Processes, 1993,
 * ch. 5.1).
 *
 * Arrivals are drawn in operational time, in which the rate is 1: unit exponential gaps (or gaps of
 * 1) are added up and mapped back through the inverse of the cumulative rate. For a Poisson process
 * whose rate changes that is exact (E. Çinlar, Introduction to Stochastic Processes, 1975,
 * ch. 4.7).
 */
struct arrival {
    enum arrival_kind kind;
    const struct rate_profile *profile; /* must outlive it */
    const struct arrival_trace *trace;  /* must outlive it; used by ARRIVAL_TRACE only */
    int64_t (*source)(void *arg); /* the workload's own schedule (workload.h); NULL: it has none */
    void *source_arg;
    struct rank rank;
    struct rand_stream stream, owners;
    double operational; /* of the arrival drawn last */
    uint64_t number;    /* of that one, from 1 on, in the schedule of the whole run; 0: none yet */
};

/* Draws what `settings` say, which must outlive it: the arrivals of settings->rank. */
void arrival_init(struct arrival *a, const struct settings *settings);
/* Takes the arrivals from the workload instead, as those of a trace. */
void arrival_follow(struct arrival *a, int64_t (*source)(void *arg), void *arg);
/* The next arrival of the rank in nanoseconds since the start of the run; never decreases.
 * INT64_MAX: there is none. */
int64_t arrival_next(struct arrival *a);

/* Differs, as far as 64 bits can, between runs whose schedules differ in their first arrivals or in
 * kind or rate; the same for all ranks of a run. */
uint64_t arrival_fingerprint(const struct settings *settings);

#endif
