/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records by which a run is judged: a series of short windows that do not depend on the report
 * interval. Used by the reporter's thread only.
 */
#ifndef AUDIT_H
#define AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "stats/snapshot.h"

struct audit_window {
    int64_t from_ns, to_ns; /* nanoseconds since the start of the run */
    uint64_t completed;
    /* Requests that wait or are in service at the end of the window. May be negative: a departure
     * may be recorded shortly before its arrival, which then counts in the next window. */
    int64_t in_system;
    double response_sum_ns; /* sum of the response times of completed requests */
    int64_t response_max_ns;
    /* Largest generator lag; in a closed loop the largest delay with which the client woke up. */
    int64_t lag_max_ns;
    /* The following fields are set only if the run has an arrival rate. */
    /* Number of requests that the arrival process plans for the window, or, if there is no plan,
     * number of those that arrived. */
    double asked;
    uint64_t dropped;      /* requests that found the queue full */
    uint64_t served;       /* requests that left the system: completed or failed */
    double service_sum_ns; /* sum of the service times of the requests in `served` */
};

struct audit {
    struct audit_window *windows;
    size_t count, room;
    int64_t in_system;
};

void audit_fini(struct audit *audit);

/* Begins the window that ends at `to_ns`. Its records are added afterwards, phase by phase. */
void audit_begin(struct audit *audit, int64_t to_ns);
/* Adds records to the latest window. Sums and extremes are enough (stats_drain_sums()). Has no
 * effect before the first audit_begin(). */
void audit_add(struct audit *audit, const struct snapshot *recorded);
/*
 * For a closed loop, where arrivals are not recorded: notes the number of workers in an event at
 * the end of the window (`serving`), and the delay with which the client itself woke up. Call it
 * after audit_add().
 */
void audit_note(struct audit *audit, unsigned serving, int64_t late_ns);

/* Notes how many requests the arrival process plans for the latest window. Call it after
 * audit_add(). Without this call the requests that arrived count. */
void audit_note_asked(struct audit *audit, double asked);

/*
 * Returns the mean number of requests in the system, computed from the numbers at the ends of
 * windows. Uses the windows that end after `from_ns` and not after `to_ns`. Returns 0 if there are
 * no such windows.
 */
double audit_mean_in_system(const struct audit *audit, int64_t from_ns, int64_t to_ns);

/*
 * Little's law over the span of a snapshot. It compares the mean number of requests in the system,
 * integrated over time from arrivals and departures, with throughput × mean response time. A
 * request that is in the system at the beginning or at the end of the span counts on one side only,
 * so the two may differ by up to `error`: the number of these requests times the largest response
 * time, divided by T.
 */
struct little {
    double in_system; /* mean number of requests: ∫ N dt / T */
    double by_law;    /* the same by Little's law: sum of response times / T */
    double error;
};

/* `before` is the number of requests in the system when the span began. *audit must contain the
 * windows of the span. */
struct little little_of(const struct audit *audit, const struct snapshot *s, int64_t before);

#endif
