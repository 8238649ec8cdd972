/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arrival process and the generator that puts its arrivals into the queue when they are due.
 *
 * The schedule is absolute: next = previous + gap. It never depends on how late anything ran. After
 * a stall all that became due is enqueued at once, each request with its own scheduled time.
 */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "engine/queue.h"
#include "judge/goodness.h"
#include "measure/stats.h"
#include "options/settings.h"

/*
 * A value: made from (kind and rate, seed, rank, ranks). Several ranks superpose to one process of
 * the full rate.
 *
 * Arrivals are drawn in operational time, in which the rate is 1: unit exponential gaps (or gaps of
 * 1) are added up and mapped back through the inverse of the cumulative rate. For a Poisson process
 * whose rate changes that is exact (E. Çinlar, Introduction to Stochastic Processes, 1975,
 * ch. 4.7).
 */
struct arrival {
    enum arrival_kind kind;
    const struct rate_profile *profile; /* must outlive it */
    const struct arrival_trace *trace;  /* likewise; ARRIVAL_TRACE only */
    struct rand_stream stream;
    double ranks;
    double operational; /* of the last arrival */
    size_t index;       /* of the next one in the trace */
};

/* What is drawn as `settings` say; rank < ranks. */
void arrival_init(struct arrival *a, const struct settings *settings, unsigned rank,
                  unsigned ranks);
/* The next arrival in nanoseconds since the start of the run; never decreases. INT64_MAX: there is
 * none. */
int64_t arrival_next(struct arrival *a);

struct generator;

/* Requests that found the queue full, told apart to a millisecond: none of the group arrived after
 * `latest_ns`. */
struct drop_group {
    int64_t first_ns, latest_ns; /* arrival times, CLOCK_MONOTONIC */
    uint64_t count;
};

/* When and what the generator feeds. Times are CLOCK_MONOTONIC. */
struct generator_plan {
    struct arrival process;
    struct queue *queue;
    struct stats *stats;
    int64_t start_ns;
    int64_t measure_ns;              /* arrivals before it belong to the warm-up */
    int64_t end_ns;                  /* arrivals stop; INT64_MAX: no limit */
    int64_t events;                  /* so many arrivals at most; 0: no limit */
    const struct settings *settings; /* how to wait, what to compare the arrivals made with */
    bool drop;                       /* queue full: drop the request and go on, else end there */
    bool drain;                /* what waits at the end is worked off, else it stays unfinished */
    void (*notify)(void *arg); /* called once, by the generator's thread, when it has ended */
    void *arg;
};

/*
 * Starts the thread. It puts requests and seals the queue after the last one of the events limit,
 * or at end_ns; then it also closes the queue, unless `drain`. NULL after a logged message.
 */
struct generator *generator_start(const struct generator_plan *plan);
/* Whether it ended because the queue was full. */
bool generator_overflowed(const struct generator *g);
/* Makes it end soon; harmless when it has. */
void generator_stop(struct generator *g);
/* Waits until it has ended. From then on what follows may be read. */
void generator_join(struct generator *g);
/* How well the measured arrivals that were made fit, and the CPU time that took. */
const struct goodness *generator_goodness(const struct generator *g);
int64_t generator_cpu_ns(const struct generator *g);
const struct drop_group *generator_drops(const struct generator *g, size_t *count);
void generator_destroy(struct generator *g);

#endif
