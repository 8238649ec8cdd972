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
 * Other laws (goodness_follow()): each gap is transformed by the distribution of a gap under the
 * law, given the states of the MMPP and the bursts of the run. The results should be unit
 * exponential, and are compared like gaps of a Poisson process. Gaps of a renewal process are
 * judged with a resolution of a tenth of the mean gap: a strongly varying law has many gaps that
 * are shorter than the lateness of any thread, and a Poisson process tolerates the same lateness.
 * Each gap is replaced by a draw from the law within its tenth (the randomized probability integral
 * transform), with a sequence that is evenly spread.
 *
 * Arrivals that became due while the generator was stalled (GENERATOR_STALL_NS) are left out. The
 * verdict reports a stall separately, and these arrivals say nothing about the others.
 */
#ifndef GOODNESS_H
#define GOODNESS_H

#include <stdint.h>

#include "engine/modulation.h"
#include "options/arrivals/arrival_plan.h"
#include "stats/histogram.h"

/* Time scales of the index of dispersion: 0.1, 1 and 10 s. */
#define DISPERSION_SCALES 3

/* Counts of arrivals in consecutive windows of one length. */
struct window_counts {
    int64_t window;   /* number of the present window since the start; −1 before the first */
    double present;   /* arrivals in the present window */
    double count;     /* finished windows that were measured from their beginning */
    double sum, squares;
};

struct goodness {
    enum arrival_kind kind;
    const struct rate_profile *profile;
    double share;            /* share of the arrival process that belongs to this rank
                                (arrival_plan.h) */
    double last_operational; /* operational time of the last actual arrival */
    int64_t last_made_ns, last_asked_ns;
    void (*add)(struct goodness *g, int64_t asked_ns, int64_t made_ns);
    void (*skip)(struct goodness *g, int64_t asked_ns, int64_t made_ns);
    const struct arrival_law *law; /* goodness_follow(), with the fields until `resumed_ns` */
    bool by_law;
    struct modulation modulation;
    struct window_counts windows[DISPERSION_SCALES];
    int64_t resumed_ns;               /* end of the generator's last stall */
    uint64_t count;                   /* number of gaps */
    uint64_t gaps[HISTOGRAM_BUCKETS]; /* histogram of the gaps, in millionths of operational time */
    double deviation_ns, asked_ns;    /* sums over all gaps: absolute deviation, planned gap */
};

/* `asked` must outlive `g`. */
void goodness_init(struct goodness *g, const struct arrival_plan *asked);
/* For ARRIVAL_SHAPED, after goodness_init(): makes `g` follow the jumps of the rate. `seed` is that
 * of the arrivals. `asked` must outlive `g`. */
void goodness_follow(struct goodness *g, const struct arrival_plan *asked, uint64_t seed);

/* Adds an arrival that was planned for `asked_ns` and happened at `made_ns`, both in nanoseconds
 * since the start of the run. Arrivals must be added in order. */
static inline void goodness_add(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    g->add(g, asked_ns, made_ns);
}

/* Starts the next gap at this arrival without counting the arrival (warm-up). */
static inline void goodness_skip(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    g->skip(g, asked_ns, made_ns);
}

/* Returns the distance, 0 to 1 for Poisson; 0 if there are no gaps. */
double goodness_distance(const struct goodness *g);

/* Returns the length of the windows of scale `i` < DISPERSION_SCALES, in nanoseconds. */
int64_t goodness_scale_ns(unsigned i);
/* Returns the index of dispersion at that scale: the variance of the number of arrivals in a window
 * divided by its mean. It is 1 for a Poisson process. Returns 0 if it is unknown: there are fewer
 * than 10 windows, or `g` does not follow a law (goodness_follow()). */
double goodness_dispersion(const struct goodness *g, unsigned i);

#endif
