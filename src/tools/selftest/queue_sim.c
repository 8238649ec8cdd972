/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/selftest/queue_sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/util.h"
#include "stats/distribution.h"

int64_t queue_sim_serve(struct queue_sim *sim, int64_t arrival_ns, int64_t service_ns)
{
    int64_t *first = &sim->free_ns[0];
    for (unsigned i = 1; i < sim->servers; i++)
        if (sim->free_ns[i] < *first)
            first = &sim->free_ns[i];
    int64_t start_ns = max_i64(arrival_ns, *first);
    *first = start_ns + service_ns;
    return start_ns;
}

/*
 * Simulates one run of a queue that is empty at the beginning. Replaces the contents of *responses
 * by its response times, and sets *drawn to the rate and the mean service time that were drawn.
 */
static void simulate(const struct queue_model *m, double seconds, struct rand_stream *stream,
                     struct distribution *responses, struct queue_model *drawn)
{
    struct queue_sim sim = {.servers = m->servers};
    double service_sum = 0;
    distribution_reset(responses);
    for (double at = 0; (at += rand_stream_exponential(stream) / m->rate) < seconds;) {
        double service = m->fixed ? m->service_s : m->service_s * rand_stream_exponential(stream);
        int64_t arrival_ns = seconds_to_ns(at), service_ns = seconds_to_ns(service);
        service_sum += service;
        distribution_record(responses, queue_sim_serve(&sim, arrival_ns, service_ns) + service_ns -
                                           arrival_ns);
    }
    *drawn = *m;
    drawn->rate = (double)responses->count / seconds;
    drawn->service_s = service_sum / (double)responses->count;
}

/*
 * Bound that is exceeded with the probability QUEUE_SCATTER_TAIL: beyond the outermost tenth of n
 * ascending values the tail is taken for exponential with the same mean excess (J. Pickands, 1975).
 * For normal values the bound is 5.6 standard deviations instead of 4.3, which is on the safe side.
 */
static double upper_bound(const double *x, unsigned n)
{
    const double part = 0.1;
    unsigned first = n - (unsigned)(part * n);
    double excess = 0;
    for (unsigned i = first; i < n; i++)
        excess += x[i] - x[first - 1];
    return x[first - 1] + excess / (n - first) * log(part / QUEUE_SCATTER_TAIL);
}

static struct queue_scatter scatter_of(double *x, unsigned n)
{
    struct queue_scatter s = {0};
    double squares = 0;
    for (unsigned i = 0; i < n; i++)
        s.bias += x[i] / n;
    for (unsigned i = 0; i < n; i++)
        squares += (x[i] - s.bias) * (x[i] - s.bias);
    s.deviation = sqrt(squares / (n - 1));
    sort_doubles(x, n);
    s.high = upper_bound(x, n);
    for (unsigned i = 0; i < n; i++)
        x[i] = -x[i];
    sort_doubles(x, n);
    s.low = -upper_bound(x, n);
    return s;
}

/* Returns ln (figure / formula) for the mean (`percentile` is NULL) or for a percentile. */
static double log_ratio(const struct distribution *responses, const struct queue_model *drawn,
                        const int64_t *percentile)
{
    if (percentile == NULL)
        return log(ns_to_seconds(distribution_mean(responses).ns) / queue_mean_response(drawn));
    double seen = ns_to_seconds(distribution_percentile(responses, *percentile).ns);
    return log(seen / queue_response_quantile(drawn, (double)*percentile / (100.0 * PERCENT)));
}

void queue_scatter(const struct queue_model *m, double seconds, unsigned runs,
                   struct rand_stream *stream, const int64_t *percentile, unsigned percentiles,
                   struct queue_scatter *scatter)
{
    struct distribution responses;
    struct queue_model drawn;
    double *x = xcalloc((1 + percentiles) * (size_t)runs, sizeof(*x));
    distribution_init(&responses);
    for (unsigned n = 0; n < runs; n++) {
        simulate(m, seconds, stream, &responses, &drawn);
        for (unsigned i = 0; i <= percentiles; i++)
            x[i * runs + n] = log_ratio(&responses, &drawn, i > 0 ? &percentile[i - 1] : NULL);
    }
    for (unsigned i = 0; i <= percentiles; i++)
        scatter[i] = scatter_of(&x[i * runs], runs);
    distribution_fini(&responses);
    free(x);
}
