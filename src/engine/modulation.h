/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modulation: a rate over time, multiplied by factors that jump between two values: the states of
 * an MMPP, and bursts. The mean of each factor is 1, so the mean rate stays that of the profile.
 *
 * Between two jumps the factor is constant, so the integral of the modulated rate is that of the
 * profile times the factor. A walker follows the jumps in the order of time. Jumps come from random
 * streams of their own: every rank, and the goodness of fit, have the same ones.
 */
#ifndef MODULATION_H
#define MODULATION_H

#include <stdint.h>

#include "base/rand_stream.h"
#include "options/arrivals/arrival_plan.h"

/* A factor that jumps between two values. */
struct jumps {
    double factor[2];
    double mean_s[2];  /* mean time, or time, in each state */
    bool random[2];    /* true if the time in the state is exponential */
    unsigned state;    /* the present state: 0 or 1 */
    uint64_t count;    /* bursts that were begun */
    double until_s;    /* end of the present state, in seconds since the start of the run */
    double every_s;    /* period of bursts that are not random; else 0 */
    struct rand_stream stream;
};

struct modulation {
    const struct rate_profile *profile;
    struct jumps jumps[2];
    unsigned count; /* number of factors: 0 to 2 */
    /* The stretch of time with the present factor, and expected arrivals until its ends. */
    double factor, from_s, until_s;
    double from_plain, until_plain; /* by the profile alone */
    double from_modulated;
};

/* Starts at time 0. `plan` must outlive `m`. */
void modulation_init(struct modulation *m, const struct arrival_plan *plan, uint64_t seed);
/* Returns the expected number of arrivals from the start until `at_s`. `at_s` must not be before
 * the present stretch, so calls must be in the order of time. */
double modulation_arrivals(struct modulation *m, double at_s);
/* The inverse: returns the time in seconds, or INFINITY if that number is never reached. Calls must
 * be in ascending order. */
double modulation_time(struct modulation *m, double arrivals);
#endif
