/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator: a thread that puts the requests of an arrival process into the queue. After a
 * stall all that became due is enqueued at once, each request with its own scheduled time.
 *
 * Where it does not spin (pacer.h) it puts requests ahead of time, and idle workers wait for their
 * arrival. So it wakes up once for many requests.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/arrival.h"
#include "engine/goodness.h"
#include "engine/ledger.h"
#include "engine/queue.h"
#include "options/settings.h"
#include "stats/stats.h"

struct generator;

/* When and what the generator feeds. Times are CLOCK_MONOTONIC. */
struct generator_plan {
    struct arrival process;
    struct queue *queue;
    struct stats *stats;
    int64_t start_ns;
    int64_t measure_ns;              /* arrivals before it belong to the warm-up */
    int64_t end_ns;                  /* arrivals stop; INT64_MAX: no limit */
    int64_t events;                  /* so many arrivals at most in all ranks; 0: no limit */
    const struct settings *settings; /* how to wait, what to compare the arrivals made with */
    bool drop;                       /* queue full: drop the request and go on, else end there */
    bool drain;   /* what waits at the end is worked off, else it stays unfinished */
    bool overlap; /* workers have several events at a time: none may wait for an arrival */
    const atomic_uint *came;   /* workers that have come to the queue; NULL: all */
    void (*notify)(void *arg); /* called once, by the generator's thread, when it has ended */
    void *arg;
};

/*
 * Starts the thread. It seals the queue at end_ns or when it is stopped, and sooner if there will
 * be no further arrival however long the run lasts (the events limit, the end of a trace). Having
 * waited for end_ns or the stop, it also closes the queue, unless `drain`. When it ends because the
 * queue was full it does neither. NULL after a logged message.
 */
struct generator *generator_start(const struct generator_plan *plan);
/* Whether it ended because the queue was full. */
bool generator_overflowed(const struct generator *g);
/* Records what has arrived by now, also that which was put ahead. Returns how many of those that
 * were put have not arrived yet. Any thread. */
size_t generator_settle(struct generator *g);
/* The same for the last time, when no worker takes any more. */
void generator_close(struct generator *g);
/* Makes it end soon: what was due by then is put still, for a second at most, and nothing after it.
 * Harmless when it has ended. */
void generator_stop(struct generator *g);
/* Waits until it has ended. From then on what follows may be read. */
void generator_join(struct generator *g);
/* When arrivals ended, CLOCK_MONOTONIC: all that were put, or found no room, came before or then.
 */
int64_t generator_end_ns(const struct generator *g);
/* Whether it has ever spun for an arrival. */
bool generator_spun(const struct generator *g);
/* How well the measured arrivals that were made fit, and the CPU time that took. */
const struct goodness *generator_goodness(const struct generator *g);
int64_t generator_cpu_ns(const struct generator *g);
const struct drop_group *generator_drops(const struct generator *g, size_t *count);
/* After generator_join(). NULL is harmless. */
void generator_destroy(struct generator *g);

#endif
