/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A phase of a changing arrival rate, with the response times of the requests that arrived in it. */
#ifndef RATE_PHASE_H
#define RATE_PHASE_H

#include <stdint.h>

#include "stats/distribution.h"

struct rate_phase {
    int64_t from_ns, to_ns;    /* measured part, since the start of the run */
    double rate_from, rate_to; /* asked rates at its begin and its end, per second */
    struct distribution response; /* requests that did not complete count as lower bounds */
};

/* Frees the array and its distributions. */
void rate_phases_free(struct rate_phase *phases, unsigned count);

#endif
