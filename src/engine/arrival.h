/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arrival process: computes when requests arrive. The schedule is absolute (next arrival =
 * previous arrival + gap), so it never depends on how late a thread runs.
 */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "engine/modulation.h"
#include "options/rank.h"
#include "options/settings.h"

/*
 * The state of an arrival process. It is a plain value that depends on kind, rate and seed only.
 *
 * Every rank of a run draws the same schedule and keeps its own arrivals. So the ranks together
 * have the schedule of a single process, whatever the number of ranks. If arrivals are evenly
 * spaced, the ranks take turns. Otherwise the owner of each arrival is drawn from a random stream
 * of its own, in proportion to the number of workers of each rank. A Poisson process whose points
 * are split in this way consists of independent Poisson processes (J. F. C. Kingman, Poisson
 * Processes, 1993, ch. 5.1).
 *
 * Arrivals are drawn in operational time, in which the rate is 1: unit exponential gaps (or gaps of
 * 1) are added up and mapped back through the inverse of the cumulative rate. This is exact for a
 * Poisson process with a changing rate (E. Çinlar, Introduction to Stochastic Processes, 1975, ch.
 * 4.7).
 *
 * ARRIVAL_SHAPED: gaps of another law are drawn in operational time in the same way. Gamma: G.
 * Marsaglia, W. W. Tsang, "A Simple Method for Generating Gamma Variables", 2000. The state of an
 * MMPP and bursts change the rate (modulation.h). A renewal process starts STEADY_GAPS mean gaps
 * before the run, so that the run sees its steady state.
 */
struct arrival {
    enum arrival_kind kind;
    const struct rate_profile *profile; /* must outlive this struct */
    const struct arrival_law *law;      /* must outlive this struct; used by ARRIVAL_SHAPED only */
    const struct arrival_trace *trace;  /* must outlive this struct; used by ARRIVAL_TRACE only */
    int64_t (*source)(void *arg); /* schedule of the workload (workload.h), or NULL */
    void *source_arg;
    struct rank rank;
    struct rand_stream stream, owners;
    struct modulation modulation; /* ARRIVAL_SHAPED */
    double operational; /* operational time of the arrival drawn last */
    uint64_t number;    /* number of the arrival drawn last in the schedule of the whole run,
                           counted from 1; 0 before the first draw */
};

/* Initializes `a` to draw the arrivals of rank settings->rank. `settings` must outlive `a`. */
void arrival_init(struct arrival *a, const struct settings *settings);
/* Initializes `a` to draw the arrivals of rank settings->rank by `plan`, with the seed of
 * `settings`. `plan` must outlive `a`. */
void arrival_init_plan(struct arrival *a, const struct arrival_plan *plan,
                       const struct settings *settings);
/* Takes the arrivals from source(arg), the schedule of the workload, instead of drawing them. They
 * are treated like the arrivals of a trace. */
void arrival_follow(struct arrival *a, int64_t (*source)(void *arg), void *arg);
/* Returns the next arrival of this rank, in nanoseconds since the start of the run, or INT64_MAX if
 * there are no more. The returned times never decrease. */
int64_t arrival_next(struct arrival *a);

/* Returns a 64-bit hash of arrival kind, rate and first arrivals. All ranks of a run get the same
 * value. Runs with different schedules get different values, except for hash collisions. */
uint64_t arrival_fingerprint(const struct settings *settings);

#endif
