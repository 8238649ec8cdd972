/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * An arrival rate that may change in time, as --rate states it:
 *
 *     3000                               constant
 *     0s:500,60s:3000,300s:3000,300s:800 linear between the points, a step where a time stands twice
 *     sine(1000,300,60s)                 mean + amplitude · sin(2πt/period)
 *
 * Before the first point the first rate holds, after the last point the last one. Times are seconds
 * since the start of the run (units ms, s, m, h; s when left out), rates are per second.
 */
/* clang-format on */
#ifndef RATE_PROFILE_H
#define RATE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#define RATE_MAX 1e10
/* Slower than that, gaps could pass the range of 64-bit nanoseconds. */
#define RATE_MIN 1e-6

struct rate_point {
    double at_s;
    double rate;
    double arrivals; /* expected from the start of the run to at_s */
};

struct rate_profile {
    struct rate_point *points; /* ascending, the first at 0; NULL: a sine */
    unsigned count;
    double mean, amplitude, period_s; /* the sine */
};

/* NULL when `text` is one of the forms above; else what is wrong with it, a static string. *profile
 * is then untouched. */
const char *rate_profile_parse(struct rate_profile *profile, const char *text);
/* The check of an option's row: what rate_profile_parse() says of `text`. */
const char *rate_profile_check(const char *text);
void rate_profile_fini(struct rate_profile *profile);

/* Whether there is one at all: zeros are none. */
static inline bool rate_profile_is_known(const struct rate_profile *profile)
{
    return profile->count > 0 || profile->period_s > 0;
}

bool rate_profile_is_constant(const struct rate_profile *profile);

/* The highest rate. */
double rate_profile_highest(const struct rate_profile *profile);

/* Arrivals to be expected from the start of the run to `at_s` ≥ 0: the integral of the rate. */
double rate_profile_arrivals(const struct rate_profile *profile, double at_s);

/* The inverse: when so many are to be expected, in seconds; INFINITY: never. */
double rate_profile_time(const struct rate_profile *profile, double arrivals);

#endif
