/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminals: a population of users, named after the terminals of TPC-C. Each user sends a request,
 * waits for its end, thinks, enters the next request, and sends it. This is a closed loop in which
 * users are separate from workers: a thinking user needs no thread. A worker takes the earliest
 * request that was sent and is not served yet. See docs/concurrency.md for properties, operation
 * and safety.
 */
#ifndef TERMINALS_H
#define TERMINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "options/rank.h"

#define TERMINALS_MOST 10000000
/* A think time is cut at this multiple of its mean (TPC-C 5.11, 5.2.5.4). */
#define TERMINALS_LONGEST_THINK 10

/* One request of a terminal. */
struct visit {
    int64_t sent_ns;   /* when it was sent, CLOCK_MONOTONIC */
    unsigned terminal; /* number of the terminal in the whole run, counted from 0 */
    double memo;       /* value that the workload passed to terminals_return() for this request;
                          0 for the first one */
};

struct terminals;

/* Creates an empty population. terminals_populate() gives this rank its part of the terminals.
 * `seed` is the seed of the random streams. */
struct terminals *terminals_create(uint64_t seed, const struct rank *rank);
/* Frees the population. No thread may use it any longer. NULL is allowed. */
void terminals_destroy(struct terminals *t);

/*
 * Sets the number of terminals in the whole run, 1 … TERMINALS_MOST. Their first requests are
 * spread evenly over `spread_s` seconds. To be called before the run, by any thread. Returns −1 if
 * different figures were given before.
 */
int terminals_populate(struct terminals *t, unsigned count, double spread_s);
/* Returns the number of terminals in the whole run; 0 if terminals_populate() was not called. */
unsigned terminals_count(const struct terminals *t);
/* Returns the number of terminals of this rank. */
unsigned terminals_local(const struct terminals *t);
/* Draws when each terminal sends its first request. `start_ns` is the start of the run
 * (CLOCK_MONOTONIC). To be called once, before the first take. */
void terminals_begin(struct terminals *t, int64_t start_ns);

/*
 * Takes the earliest request; sleeps until one is sent. Returns false if no request is sent before
 * `end_ns` (CLOCK_MONOTONIC), or if the population is closed. May be called by any thread; each
 * request is taken exactly once.
 */
bool terminals_take(struct terminals *t, int64_t end_ns, struct visit *visit);

/* Draws the think time of a terminal, in seconds: exponential with mean `mean_s`, from the random
 * stream of this terminal. The caller must have taken the terminal's request. */
double terminals_think_s(struct terminals *t, unsigned terminal, double mean_s);
/* Ends a request that the caller has taken. The terminal sends its next request at `next_ns`
 * (CLOCK_MONOTONIC), with `memo`. */
void terminals_return(struct terminals *t, unsigned terminal, int64_t next_ns, double memo);

/* Ends all takes. May be called by any thread, repeatedly. */
void terminals_close(struct terminals *t);
/* Removes a request that was sent by `end_ns` and not served. Returns false if no request is left.
 * To be called after terminals_close(). */
bool terminals_remove(struct terminals *t, int64_t end_ns, struct visit *visit);

#endif
