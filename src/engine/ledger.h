/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator's book: which requests have arrived, how late after their arrival somebody could
 * take them, how well these times fit the process that was asked for, and which requests found no
 * room.
 *
 * A request that is put when it is due, or later, could be taken then. One that was put ahead could
 * be taken at its arrival, but where a taker has been waiting for it (hold.h): then when that one
 * was awake. The book keeps it until that is known.
 *
 * Times are CLOCK_MONOTONIC. All functions but create and destroy from any thread.
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

struct ledger;

/* Requests that found the queue full, told apart to a millisecond: none of the group arrived after
 * `latest_ns`. */
struct drop_group {
    int64_t first_ns, latest_ns; /* arrival times */
    uint64_t count;
};

struct ledger_plan {
    struct stats *stats;
    const struct arrival_plan
        *asked; /* what the arrivals are compared with; must outlive the book */
    int64_t start_ns;
    int64_t measure_ns; /* arrivals before it belong to the warm-up */
    unsigned takers;
};

struct ledger *ledger_create(const struct ledger_plan *plan);
/* NULL is harmless. */
void ledger_destroy(struct ledger *ledger);

/* Requests that arrived and were put at `now_ns`, in the order of arrival, after all others in the
 * book. */
void ledger_add(struct ledger *ledger, const struct request *requests, size_t count,
                int64_t now_ns);
/* One that arrived and found no room. */
void ledger_drop(struct ledger *ledger, int64_t arrival_ns, int64_t now_ns);
/* One that will arrive and is about to be put: fills *request. False: the book is full. */
bool ledger_expect(struct ledger *ledger, int64_t arrival_ns, struct request *request);
/* The generator is going to be awake at `until_ns`: nothing that arrives later is judged before it
 * is. */
void ledger_sleep(struct ledger *ledger, int64_t until_ns);
/* It is awake. Since `absent_ns` nobody may have been there to take what arrived, but for those who
 * waited for it: it could be taken only now. INT64_MAX: somebody was. */
void ledger_wake(struct ledger *ledger, int64_t absent_ns, int64_t now_ns);
/* Forgets what was expected after `end_ns`. */
void ledger_cut(struct ledger *ledger, int64_t end_ns);

/* Records what is known by `now_ns`. Returns how many that were expected have not arrived yet. */
size_t ledger_settle(struct ledger *ledger, int64_t now_ns);
/* The same, for the last time: a request whose taker has not woken up counts as if it did now. */
void ledger_close(struct ledger *ledger, int64_t now_ns);
/* The arrival at which half of those will have arrived that were expected at the last settling;
 * INT64_MAX: none was. */
int64_t ledger_half_ns(struct ledger *ledger);

/* When no thread adds any more. */
const struct goodness *ledger_goodness(const struct ledger *ledger);
const struct drop_group *ledger_drops(const struct ledger *ledger, size_t *count);

#endif
