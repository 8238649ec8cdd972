/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * An arrival rate that may change over time, as written in --rate:
 *
 *     3000                               constant
 *     0s:500,60s:3000,300s:3000,300s:800 linear between points; a repeated time is a step
 *     sine(1000,300,60s)                 mean + amplitude · sin(2πt/period)
 *
 * The first rate also holds before the first point, and the last rate after the last point. Times
 * are seconds since the start of the run (units ms, s, m, h; seconds by default). Rates are per
 * second.
 */
/* clang-format on */
#ifndef RATE_PROFILE_H
#define RATE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#define RATE_MAX 1e10
/* With a lower rate, gaps could exceed the range of 64-bit nanoseconds. */
#define RATE_MIN 1e-6

struct rate_point {
    double at_s;
    double rate;
    double arrivals; /* expected arrivals from the start of the run to at_s */
};

struct rate_profile {
    struct rate_point *points; /* ascending, the first at 0; NULL for a sine */
    unsigned count;
    double mean, amplitude, period_s; /* parameters of the sine */
};

/* Parses `text`. Returns NULL if it has one of the forms above, otherwise a static string that
 * says what is wrong and leaves *profile unchanged. */
const char *rate_profile_parse(struct rate_profile *profile, const char *text);
/* Check function for option rows: returns the result of rate_profile_parse(). */
const char *rate_profile_check(const char *text);
void rate_profile_fini(struct rate_profile *profile);

/* Returns false if *profile is zeroed, that is, if no rate was parsed. */
static inline bool rate_profile_is_known(const struct rate_profile *profile)
{
    return profile->count > 0 || profile->period_s > 0;
}

bool rate_profile_is_constant(const struct rate_profile *profile);

/* Returns the highest rate of the profile, per second. */
double rate_profile_highest(const struct rate_profile *profile);

/* Returns the expected number of arrivals from the start of the run to `at_s` ≥ 0: the integral
 * of the rate. */
double rate_profile_arrivals(const struct rate_profile *profile, double at_s);

/* The inverse: returns the time in seconds at which that number of arrivals is expected, or
 * INFINITY if it is never reached. */
double rate_profile_time(const struct rate_profile *profile, double arrivals);

#endif
