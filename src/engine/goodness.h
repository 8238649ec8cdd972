/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well the arrivals that were really made fit the process that was asked for.
 *
 * Poisson: the gaps in operational time (arrival.h) should be unit exponential; the distance is
 * that of Kolmogorov and Smirnov, taken at the borders of a histogram's buckets: between two of
 * them the exponential distribution grows by less than x·exp(−x)/512 < 0.0008. Evenly spaced and
 * traced arrivals: the mean of |gap made − gap asked for| over the mean gap.
 *
 * What came in one go because the generator stood still (stall.h) is left out: the verdict names
 * that by itself, and it says nothing of how the others were made.
 */
#ifndef GOODNESS_H
#define GOODNESS_H

#include <stdint.h>

#include "options/arrivals/arrival_plan.h"
#include "stats/histogram.h"

struct goodness {
    enum arrival_kind kind;
    const struct rate_profile *profile;
    double share;            /* of the process that is ours (arrival_plan.h) */
    double last_operational; /* of the last arrival made */
    int64_t last_made_ns, last_asked_ns;
    int64_t resumed_ns;               /* the end of the last stall of the generator */
    uint64_t count;                   /* gaps */
    uint64_t gaps[HISTOGRAM_BUCKETS]; /* in millionths of the unit */
    double deviation_ns, asked_ns;    /* sums over the gaps */
};

/* `asked` must outlive it. */
void goodness_init(struct goodness *g, const struct arrival_plan *asked);

/* An arrival asked for at `asked_ns` that was made at `made_ns`, both since the start of the run,
 * in order. */
void goodness_add(struct goodness *g, int64_t asked_ns, int64_t made_ns);

/* One that does not count, but from which the next gap is measured (the warm-up). */
void goodness_skip(struct goodness *g, int64_t asked_ns, int64_t made_ns);

/* The distance, 0 to 1 for Poisson; 0 with no gaps. */
double goodness_distance(const struct goodness *g);

#endif
