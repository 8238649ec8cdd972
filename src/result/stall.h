/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a stall: a time in which the system under test, or the client, made no progress. It is
 * searched in the windows of the audit (audit.h), so it is found in long runs and with few
 * requests, too. docs/definitions.md derives the bounds.
 */
#ifndef STALL_H
#define STALL_H

#include <stdbool.h>

#include "result/audit.h"
#include "stats/stats.h"

/* A client that is late by this much has stalled. goodness.h uses the same limit. */
#define STALL_FLOOR_NS GENERATOR_STALL_NS

struct stall {
    int64_t from_ns, to_ns; /* start and end, in nanoseconds since the start of the run */
    int64_t before;         /* requests in the system at the start of the stall, if known */
    /* Requests in the system at the end of the stall; 0 if only the client was late. */
    int64_t waiting;
    /* Longest response time of the requests that waited for its end, as far as known. */
    int64_t longest_ns;
    int64_t lag_ns; /* largest lag of the client during the stall (audit.h) */
};

/* Arguments of the search. */
struct stall_search {
    const struct audit *audit;
    const struct snapshot *measured;
    int64_t arrivals_end_ns; /* end of arrivals; a stall that begins later does not count */
    /* 0 if the run has an arrival rate. In a closed loop, nothing arrives while all workers are
     * busy, and silences may be normal there. */
    unsigned workers;
};

/* Finds the longest stall in the measured part. Returns false if there was no stall. */
bool stall_find(struct stall *stall, const struct stall_search *search);

/* Fills in the stall of a span in which nothing was completed, from the windows. */
void stall_of_span(struct stall *stall, const struct audit *audit, int64_t from_ns, int64_t to_ns);

/* Returns the largest lag in the windows that overlap the span. */
int64_t stall_lag_ns(const struct audit *audit, int64_t from_ns, int64_t to_ns);

#endif
