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
#include "options/settings.h"

/*
 * A value: made from (kind and rate, seed, rank, ranks). Several ranks superpose to one process of
 * the full rate.
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
    struct rand_stream stream;
    double ranks;
    double operational; /* of the last arrival */
    size_t index;       /* of the next one in the trace */
};

/* Draws what `settings` say, which must outlive it. rank < ranks. */
void arrival_init(struct arrival *a, const struct settings *settings, unsigned rank,
                  unsigned ranks);
/* The next arrival in nanoseconds since the start of the run; never decreases. INT64_MAX: there is
 * none. */
int64_t arrival_next(struct arrival *a);

#endif
