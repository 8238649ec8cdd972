/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates queues where no formula is available: the waits in a first come, first served queue
 * with given arrivals and service times, and the deviation of the figures of a run of limited
 * length from those of the steady state.
 */
#ifndef QUEUE_SIM_H
#define QUEUE_SIM_H

#include <stdint.h>

#include "base/rand_stream.h"
#include "tools/selftest/queueing.h"

#define QUEUE_SIM_SERVERS 16

/* Servers that are all free at the beginning. Times are in nanoseconds. */
struct queue_sim {
    unsigned servers; /* 1 … QUEUE_SIM_SERVERS */
    int64_t free_ns[QUEUE_SIM_SERVERS];
};

/*
 * Adds the next request in the order of arrival. Returns the time at which its service starts (J.
 * Kiefer and J. Wolfowitz, 1955).
 */
int64_t queue_sim_serve(struct queue_sim *sim, int64_t arrival_ns, int64_t service_ns);

/*
 * Distribution of x = ln (figure of one run / figure of the formula) over many runs. A run that
 * happens to have a long busy period is far off, so the upper tail is not that of a normal
 * distribution. x is below `low`, and above `high`, with the probability QUEUE_SCATTER_TAIL each.
 */
struct queue_scatter {
    double bias, deviation; /* mean and standard deviation of x */
    double low, high;
};

#define QUEUE_SCATTER_TAIL 1e-5

/*
 * Simulates `runs` runs (100 at least) of `seconds` seconds that begin with an empty queue.
 * scatter[0] is for the mean response time, scatter[1 + i] for percentile[i] (millionths of a
 * percent). The formula for each run uses the rate and the mean service time that were drawn in
 * that run, as for a measurement.
 */
void queue_scatter(const struct queue_model *m, double seconds, unsigned runs,
                   struct rand_stream *stream, const int64_t *percentile, unsigned percentiles,
                   struct queue_scatter *scatter);

#endif
