/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A phase of a changing arrival rate, with the response times of the requests that arrived in
 * it. */
#ifndef RATE_PHASE_H
#define RATE_PHASE_H

#include <stdint.h>

#include "stats/distribution.h"

struct rate_phase {
    /* Start and end of the measured part of the phase, in nanoseconds since the start of the
     * run. */
    int64_t from_ns, to_ns;
    double rate_from, rate_to; /* rates asked for at start and end of the whole phase, per second */
    struct distribution response; /* requests that did not complete count as lower bounds */
};

/* Frees the array and its distributions. */
void rate_phases_free(struct rate_phase *phases, unsigned count);

#endif
