/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series of response times whose true percentiles and mean are known. */
#ifndef TEST_SIMULATED_H
#define TEST_SIMULATED_H

#include <math.h>

#include "base/rand_stream.h"

enum simulated_kind {
    SIMULATED_EXPONENTIAL, /* independent, exponential, mean 1 */
    SIMULATED_LOGNORMAL,   /* independent, lognormal, σ = 1 */
    SIMULATED_PARETO,      /* independent, Pareto, α = 3 */
    SIMULATED_CHAIN,       /* lognormal, σ = 0.5, autoregressive from one request to the next */
    SIMULATED_QUEUE,       /* response times of an M/M/1 queue with service times of mean 1 */
    SIMULATED_RECORDED     /* successive values of a recorded run, from random places of it, each
                            * drawn between the recorded value and the next smaller one */
};

/* Mean number of successive values from one place of a recorded run. */
#define SIMULATED_STRETCH 500

struct simulated {
    struct rand_stream stream;
    enum simulated_kind kind;
    double load; /* autocorrelation of the chain, or utilization of the queue */
    double level;
    /* These members belong to SIMULATED_RECORDED: the ranks of the successive values, from 0, the
     * sorted values, and their number. */
    const unsigned *rank;
    const double *sorted;
    unsigned count, place;
};

static inline double simulated_exponential(struct simulated *s)
{
    return -log(1 - rand_stream_double(&s->stream));
}

static inline double simulated_normal(struct simulated *s)
{
    return sqrt(2 * simulated_exponential(s)) * cos(2 * M_PI * rand_stream_double(&s->stream));
}

/* Returns the value at `share` of the way to the sorted value `rank` from the next smaller one. */
static inline double simulated_between(const struct simulated *s, unsigned rank, double share)
{
    const double low = s->sorted[rank > 0 ? rank - 1 : 0];
    return low + share * (s->sorted[rank] - low);
}

/* Starts a new series of the stream in equilibrium. */
static inline void simulated_start(struct simulated *s)
{
    if (s->kind == SIMULATED_QUEUE)
        s->level = simulated_exponential(s) / (1 - s->load);
    else if (s->kind == SIMULATED_RECORDED)
        s->place = (unsigned)rand_stream_below(&s->stream, s->count);
    else
        s->level = simulated_normal(s);
}

/* Returns the next response time. The queue follows D. V. Lindley (1952). */
static inline double simulated_next(struct simulated *s)
{
    switch (s->kind) {
    case SIMULATED_EXPONENTIAL:
        return simulated_exponential(s);
    case SIMULATED_LOGNORMAL:
        return exp(simulated_normal(s));
    case SIMULATED_PARETO:
        return exp(simulated_exponential(s) / 3);
    case SIMULATED_CHAIN:
        s->level = s->load * s->level + sqrt(1 - s->load * s->load) * simulated_normal(s);
        return exp(s->level / 2);
    case SIMULATED_RECORDED:
        if (rand_stream_below(&s->stream, SIMULATED_STRETCH) == 0)
            s->place = (unsigned)rand_stream_below(&s->stream, s->count);
        s->place = (s->place + 1) % s->count;
        return simulated_between(s, s->rank[s->place], rand_stream_double(&s->stream));
    default:
        s->level = fmax(0, s->level - simulated_exponential(s) / s->load);
        return s->level += simulated_exponential(s);
    }
}

static inline double simulated_normal_quantile(double share)
{
    double low = -8, high = 8;
    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;
        *(erfc(-middle * M_SQRT1_2) / 2 < share ? &low : &high) = middle;
    }
    return low;
}

static inline double simulated_quantile(const struct simulated *s, double share)
{
    const unsigned rank = (unsigned)fmax(0, ceil(share * s->count) - 1);
    switch (s->kind) {
    case SIMULATED_EXPONENTIAL:
        return -log(1 - share);
    case SIMULATED_LOGNORMAL:
        return exp(simulated_normal_quantile(share));
    case SIMULATED_PARETO:
        return pow(1 - share, -1.0 / 3);
    case SIMULATED_CHAIN:
        return exp(simulated_normal_quantile(share) / 2);
    case SIMULATED_RECORDED: /* each place is equally probable at any time */
        return simulated_between(s, rank, share * s->count - rank);
    default:
        return -log(1 - share) / (1 - s->load);
    }
}

static inline double simulated_mean(const struct simulated *s)
{
    static const double mean[] = {1, 1.6487212707001282, 1.5, 1.1331484530668263};
    if (s->kind == SIMULATED_RECORDED) {
        double sum = 0;
        for (unsigned i = 0; i < s->count; i++)
            sum += simulated_between(s, i, 0.5);
        return sum / s->count;
    }
    return s->kind == SIMULATED_QUEUE ? 1 / (1 - s->load) : mean[s->kind];
}

#endif
