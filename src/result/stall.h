/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A time in which the system under test, or the client, stood still, found in the windows of the
 * audit: however long the run is, and however few the requests. docs/definitions.md derives the
 * bounds.
 */
#ifndef STALL_H
#define STALL_H

#include <stdbool.h>

#include "result/audit.h"
#include "stats/stats.h"

/* A client that is late by this much stood still; goodness.h uses the same limit. */
#define STALL_FLOOR_NS GENERATOR_STALL_NS

struct stall {
    int64_t from_ns, to_ns; /* since the start of the run */
    int64_t before;         /* requests in the system when it began, where these are known */
    int64_t waiting;        /* requests in the system at its end; 0: only the client was late */
    int64_t longest_ns;     /* response time of those who sat it out, as far as known */
    int64_t lag_ns;         /* the client's largest lag meanwhile (audit.h) */
};

/* What is looked at. */
struct stall_search {
    const struct audit *audit;
    const struct snapshot *measured;
    int64_t arrivals_end_ns; /* nothing that begins later counts */
    /* 0: at an arrival rate. In a closed loop nothing comes while all workers wait: what they wait
     * for may be how their events go. */
    unsigned workers;
};

/* The longest one in the measured part; false: none. */
bool stall_find(struct stall *stall, const struct stall_search *search);

/* The largest lag in the windows that reach into the span. */
int64_t stall_lag_ns(const struct audit *audit, int64_t from_ns, int64_t to_ns);

#endif
