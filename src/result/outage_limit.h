/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the length from which chance does not explain a silence of a run. This limit follows from
 * the response times of the other requests of the run (docs/definitions.md).
 */
#ifndef OUTAGE_LIMIT_H
#define OUTAGE_LIMIT_H

#include "stats/distribution.h"

/* A time in which requests were pending and none was completed. */
struct silence {
    int64_t length_ns;
    uint64_t waiting; /* requests that were pending at its end, or were lost in it */
};

/*
 * Returns the limit in nanoseconds, or −1 if the run has too few requests. `silence` has
 * `count` silences of the run, which are sorted by this function. `median_ns` is the median
 * response time, and `response` has all response times of the run.
 */
int64_t outage_limit_ns(const struct distribution *response, int64_t median_ns,
                        struct silence *silence, unsigned count);

#endif
