/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator's ledger. It records which requests have arrived, their lag (how long after its
 * arrival a request could be taken by a worker), how well these times fit the arrival process that
 * was asked for, and which requests found the queue full.
 *
 * A request that is put when it is due, or later, can be taken from that moment on. A request that
 * is put ahead of time can be taken at its arrival. If a worker has been waiting for the arrival
 * (hold.h), the request can be taken when this worker is awake. The ledger keeps an entry for the
 * request until this time is known, and then settles the entry: it records the lag and the goodness
 * of fit.
 *
 * Times are CLOCK_MONOTONIC. All functions except ledger_create() and ledger_destroy() may be
 * called by any thread.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/goodness.h"
#include "engine/queue.h"
#include "options/arrivals/arrival_plan.h"
#include "stats/stats.h"

struct waits;

struct ledger;

/* Requests that found the queue full within the same millisecond. No request of the group arrived
 * after `latest_ns`. */
struct drop_group {
    int64_t first_ns, latest_ns; /* arrival times of the first and the last request */
    uint64_t count;
};

struct ledger_plan {
    struct stats *stats;
    const struct arrival_plan
        *asked; /* planned arrivals, for the goodness of fit; must outlive the ledger */
    uint64_t seed;   /* seed of the arrivals */
    int64_t start_ns;
    int64_t measure_ns; /* earlier arrivals belong to the warm-up */
    unsigned takers;
    struct waits *waits; /* for ledger_add_noting_late() only */
};

struct ledger *ledger_create(const struct ledger_plan *plan);
/* NULL is allowed. */
void ledger_destroy(struct ledger *ledger);

/* Adds requests that have arrived and were put into the queue at `now_ns`. They are in the order of
 * arrival, and arrived after all other requests in the ledger. */
void ledger_add(struct ledger *ledger, const struct request *requests, size_t count,
                int64_t now_ns);
/* Like ledger_add(), but also notes in `waits` (stats/waits.h) which requests were put too late. */
void ledger_add_noting_late(struct ledger *ledger, const struct request *requests, size_t count,
                            int64_t now_ns);
/* Adds a request that has arrived and found the queue full. */
void ledger_drop(struct ledger *ledger, int64_t arrival_ns, int64_t now_ns);
/* Adds a request that will arrive later and is about to be put into the queue; fills in *request.
 * Returns false if the ledger is full. */
bool ledger_expect(struct ledger *ledger, int64_t arrival_ns, struct request *request);
/* Notes that the generator sleeps until `until_ns`. Until ledger_wake(), requests that arrive after
 * `until_ns` are not settled. */
void ledger_sleep(struct ledger *ledger, int64_t until_ns);
/* Notes that the generator is awake at `now_ns`. If workers may not have been running since
 * `absent_ns`, requests that arrived after `absent_ns` could be taken only now, except for those
 * whose worker was waiting for them. `absent_ns` is INT64_MAX if workers were running. */
void ledger_wake(struct ledger *ledger, int64_t absent_ns, int64_t now_ns);
/* Removes expected requests that would arrive after `end_ns`. */
void ledger_cut(struct ledger *ledger, int64_t end_ns);

/*
 * Records all that is known by `now_ns`. Returns how many expected requests have not arrived yet.
 */
size_t ledger_settle(struct ledger *ledger, int64_t now_ns);
/* Settles, and returns the lag in nanoseconds, until `now_ns`, of all requests together that have
 * arrived and are not settled: their worker, or the generator, is not known to be awake. */
int64_t ledger_open_lag_ns(struct ledger *ledger, int64_t now_ns);
/* Like ledger_settle(), for the last time: if a worker that waits for a request has not woken up,
 * it is assumed to wake at `now_ns`. */
void ledger_close(struct ledger *ledger, int64_t now_ns);
/* Returns the time at which half of the requests will have arrived that were still expected at the
 * last call of ledger_settle(), or INT64_MAX if no request was. */
int64_t ledger_half_ns(struct ledger *ledger);

/* For use when no thread adds requests any longer. */
const struct goodness *ledger_goodness(const struct ledger *ledger);
const struct drop_group *ledger_drops(const struct ledger *ledger, size_t *count);

#endif
