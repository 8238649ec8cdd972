/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds episodes: parts of a run at an arrival rate in which more requests arrived than the workers
 * could serve, or in which service times were different from those of the rest. Episodes are
 * searched in the windows of the audit (audit.h), whatever report interval was asked for.
 * docs/definitions.md derives the bounds. The function keeps no state.
 */
#ifndef EPISODES_H
#define EPISODES_H

#include <stdbool.h>
#include <stdint.h>

#include "result/audit.h"

/* Largest number of episodes of a run. */
#define EPISODES_MAX 8

struct episode {
    int64_t from_ns, to_ns; /* start and end, in nanoseconds since the start of the run */
    /* Arrival rates asked for in the episode and in the rest of the measured part, per second. */
    double asked_per_s, rest_asked_per_s;
    /* Arrival rate asked for × mean service time / workers. If the load is above 1, more requests
     * arrive than can be served. */
    double load;
    double service_ns, rest_service_ns; /* mean service times in the episode and in the rest */
};

struct episodes {
    unsigned count;                    /* number of episodes of overload */
    struct episode list[EPISODES_MAX]; /* episodes of overload, by time */
    double overloaded; /* share of the measured part that these cover, from 0 to 1 */
    /* True if there is a part with other service times. Searched only if there is no overload. */
    bool changed;
    struct episode change;
    double change_share; /* share of the measured part that it covers, from 0 to 1 */
};

/* A part of the run that says nothing about service times, because nothing was completed. */
struct episodes_gap {
    int64_t from_ns, to_ns;
};

/* Arguments of the search. */
struct episodes_search {
    const struct audit *audit;
    unsigned workers;
    int64_t from_ns, to_ns; /* start of the measured part, end of the arrivals */
    const struct episodes_gap *gap;
    unsigned gaps;
};

void episodes_find(struct episodes *episodes, const struct episodes_search *search);

#endif
