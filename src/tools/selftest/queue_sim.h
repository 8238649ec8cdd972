/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues without a formula: what a first come, first served queue does with given arrivals and
 * service times, and how far the figures of a run of limited length stray from those of the steady
 * state.
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
 * The next request, in the order of arrival; returns when its service starts (J. Kiefer and J.
 * Wolfowitz, 1955).
 */
int64_t queue_sim_serve(struct queue_sim *sim, int64_t arrival_ns, int64_t service_ns);

/*
 * Of x = ln (figure of one run / figure of the formula), over many runs. A run that happens to have
 * a long busy period is far off, so the upper tail is no normal one: x is below `low` or above
 * `high` with the probability QUEUE_SCATTER_TAIL each.
 */
struct queue_scatter {
    double bias, deviation; /* mean and standard deviation of x */
    double low, high;
};

#define QUEUE_SCATTER_TAIL 1e-5

/*
 * Runs of `seconds` that begin with an empty queue, simulated `runs` times, 100 at least.
 * scatter[0] is that of the mean response time, scatter[1 + i] that of percentile[i] (millionths of
 * a percent). The formula of each run gets the rate and the mean service time that this run has
 * drawn, as that of a measurement does.
 */
void queue_scatter(const struct queue_model *m, double seconds, unsigned runs,
                   struct rand_stream *stream, const int64_t *percentile, unsigned percentiles,
                   struct queue_scatter *scatter);

#endif
