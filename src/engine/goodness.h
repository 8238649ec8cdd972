/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goodness of fit: compares the actual arrivals with the arrival process that was asked for.
 *
 * Poisson: the gaps in operational time (arrival.h) should be unit exponential. The figure is the
 * Kolmogorov-Smirnov distance, computed at the borders of a histogram's buckets. Between two
 * borders the exponential distribution grows by less than x·exp(−x)/512 < 0.0008. Evenly spaced and
 * traced arrivals: the figure is the mean of |actual gap − planned gap|, divided by the mean
 * planned gap.
 *
 * Arrivals that became due while the generator was stalled (GENERATOR_STALL_NS) are left out. The
 * verdict reports a stall separately, and these arrivals say nothing about the others.
 */
#ifndef GOODNESS_H
#define GOODNESS_H

#include <stdint.h>

#include "options/arrivals/arrival_plan.h"
#include "stats/histogram.h"

struct goodness {
    enum arrival_kind kind;
    const struct rate_profile *profile;
    double share;            /* share of the arrival process that belongs to this rank
                                (arrival_plan.h) */
    double last_operational; /* operational time of the last actual arrival */
    int64_t last_made_ns, last_asked_ns;
    int64_t resumed_ns;               /* end of the generator's last stall */
    uint64_t count;                   /* number of gaps */
    uint64_t gaps[HISTOGRAM_BUCKETS]; /* histogram of the gaps, in millionths of operational time */
    double deviation_ns, asked_ns;    /* sums over all gaps: absolute deviation, planned gap */
};

/* `asked` must outlive `g`. */
void goodness_init(struct goodness *g, const struct arrival_plan *asked);

/* Adds an arrival that was planned for `asked_ns` and happened at `made_ns`, both in nanoseconds
 * since the start of the run. Arrivals must be added in order. */
void goodness_add(struct goodness *g, int64_t asked_ns, int64_t made_ns);

/* Starts the next gap at this arrival without counting the arrival (warm-up). */
void goodness_skip(struct goodness *g, int64_t asked_ns, int64_t made_ns);

/* Returns the distance, 0 to 1 for Poisson; 0 if there are no gaps. */
double goodness_distance(const struct goodness *g);

#endif
