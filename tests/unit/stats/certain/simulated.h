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
    SIMULATED_SERVERS,     /* response times of an M/M/4 queue with service times of mean 1 */
    SIMULATED_RECORDED     /* successive values of a recorded run, from random places of it, each
                            * drawn between the recorded value and the next smaller one */
};

/* Mean number of successive values from one place of a recorded run. */
#define SIMULATED_STRETCH 500

#define SIMULATED_SERVERS_COUNT 4
/* Before each series, this many requests bring a queue with four servers into equilibrium and make
 * the series independent of the one before. */
#define SIMULATED_BEFORE 5000

struct simulated {
    struct rand_stream stream;
    enum simulated_kind kind;
    double load; /* autocorrelation of the chain, or utilization of the queue */
    double level;
    double busy[SIMULATED_SERVERS_COUNT]; /* time until each server is free, in ascending order */
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

/* Returns the next response time of a queue with several servers (J. Kiefer and J. Wolfowitz,
 * 1955). */
static inline double simulated_by_servers(struct simulated *s)
{
    const double gap = simulated_exponential(s) / (SIMULATED_SERVERS_COUNT * s->load);
    for (unsigned i = 0; i < SIMULATED_SERVERS_COUNT; i++)
        s->busy[i] = fmax(0, s->busy[i] - gap);
    const double response = s->busy[0] + simulated_exponential(s);
    unsigned i = 0;
    for (; i + 1 < SIMULATED_SERVERS_COUNT && s->busy[i + 1] < response; i++)
        s->busy[i] = s->busy[i + 1];
    return s->busy[i] = response;
}

/* Starts a new series of the stream in equilibrium. */
static inline void simulated_start(struct simulated *s)
{
    for (unsigned i = 0; s->kind == SIMULATED_SERVERS && i < SIMULATED_BEFORE; i++)
        simulated_by_servers(s);
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
    case SIMULATED_SERVERS:
        return simulated_by_servers(s);
    default:
        s->level = fmax(0, s->level - simulated_exponential(s) / s->load);
        return s->level += simulated_exponential(s);
    }
}

/* Returns the probability that a request waits (A. K. Erlang, 1917). */
static inline double simulated_waits(const struct simulated *s)
{
    const double offered = SIMULATED_SERVERS_COUNT * s->load;
    double term = 1, sum = 0;
    for (unsigned k = 0; k < SIMULATED_SERVERS_COUNT; k++) {
        sum += term;
        term *= offered / (k + 1);
    }
    return term / (1 - s->load) / (sum + term / (1 - s->load));
}

/* Returns the probability that the response time of a queue with several servers is above `t` (D.
 * Gross and C. M. Harris, Fundamentals of Queueing Theory, section "Multi-server queues"). The load
 * must not be 0.75, where `idle` is 1. */
static inline double simulated_above(const struct simulated *s, double t)
{
    const double idle = SIMULATED_SERVERS_COUNT * (1 - s->load); /* mean number of idle servers */
    return exp(-t) * (1 + simulated_waits(s) / (idle - 1) * (1 - exp(-t * (idle - 1))));
}

static inline double simulated_servers_quantile(const struct simulated *s, double share)
{
    double low = 0, high = 100;
    while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        *(simulated_above(s, middle) > 1 - share ? &low : &high) = middle;
    }
    return low;
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
    case SIMULATED_SERVERS:
        return simulated_servers_quantile(s, share);
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
    if (s->kind == SIMULATED_SERVERS)
        return 1 + simulated_waits(s) / SIMULATED_SERVERS_COUNT / (1 - s->load);
    return s->kind == SIMULATED_QUEUE ? 1 / (1 - s->load) : mean[s->kind];
}

#endif
