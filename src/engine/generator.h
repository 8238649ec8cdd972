/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator: a thread that puts the requests of an arrival process into the queue. After a
 * stall it enqueues all requests that became due at once, each with its own scheduled time.
 *
 * While the generator does not spin (pacer.h), it puts requests ahead of time, and idle workers
 * wait for the arrival of their request. So it wakes up once for many requests.
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

/* Defines which requests the generator puts into the queue, and when. Times are CLOCK_MONOTONIC. */
struct generator_plan {
    struct arrival process;
    struct queue *queue;
    struct stats *stats;
    struct waits *waits; /* gets the times of late requests; NULL if they are not noted */
    int64_t start_ns;
    int64_t measure_ns;              /* earlier arrivals belong to the warm-up */
    int64_t end_ns;                  /* no request arrives at or after this time; INT64_MAX if
                                        there is no limit */
    int64_t events;                  /* maximum number of arrivals in all ranks together; 0 if
                                        there is no limit */
    const struct settings *settings; /* says how to wait for arrivals, and which arrivals are
                                        planned */
    bool drop;                       /* if the queue is full: true drops the request and goes on,
                                        false ends the run */
    bool drain;   /* at the end, true lets workers finish the queued requests, false leaves them
                     unfinished */
    bool overlap; /* workers have several events at a time, so none of them may wait for an
                     arrival */
    const atomic_uint *came;   /* number of workers that have entered their run loop; NULL if all
                                  have */
    void (*notify)(void *arg); /* called once, by the generator's thread, at its end */
    void *arg;
};

/*
 * Starts the thread. Returns NULL after logging a message if that fails.
 *
 * The thread seals the queue at end_ns, or when it is stopped, or earlier if no further arrival is
 * possible (events limit, end of a trace). It also closes the queue at end_ns or at the stop,
 * unless `drain` is set. If it ends because the queue was full, it neither seals nor closes the
 * queue.
 */
struct generator *generator_start(const struct generator_plan *plan);
/* Returns true if the generator ended because the queue was full. */
bool generator_overflowed(const struct generator *g);
/* Records the requests that have arrived by now, including those that were put ahead of time.
 * Returns how many requests were put but have not arrived yet. May be called by any thread. */
size_t generator_settle(struct generator *g);
/* Settles, and returns the lag until now of requests whose lag is not recorded yet, in nanoseconds
 * (ledger.h). May be called by any thread. */
int64_t generator_open_lag_ns(struct generator *g);
/* Like generator_settle(), for the last time, after all workers have stopped taking requests. */
void generator_close(struct generator *g);
/* Makes the generator end soon. It still puts the requests that are already due, for at most one
 * second, and no later ones. Has no effect if the generator has ended. */
void generator_stop(struct generator *g);
/* Waits until the generator has ended. The functions below may be called only after this one. */
void generator_join(struct generator *g);
/*
 * Returns when arrivals ended (CLOCK_MONOTONIC). No request that was put or dropped arrived later.
 */
int64_t generator_end_ns(const struct generator *g);
/* Returns true if the generator has ever spun while it waited for an arrival. */
bool generator_spun(const struct generator *g);
/* Return how well the measured arrivals fit the arrival process, the CPU time of the generator's
 * thread in nanoseconds, and the requests that found the queue full. */
const struct goodness *generator_goodness(const struct generator *g);
int64_t generator_cpu_ns(const struct generator *g);
const struct drop_group *generator_drops(const struct generator *g, size_t *count);
/* Frees the generator, after generator_join(). NULL is allowed. */
void generator_destroy(struct generator *g);

#endif
