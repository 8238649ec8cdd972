/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A population of users, in the language of TPC-C terminals: each sends a request, waits for its
 * end, thinks, enters the next one, and sends that. A closed loop, in which the users are apart
 * from the workers: what a user waits for needs no thread. A worker takes the request that was sent
 * first and is not served yet. docs/concurrency.md has its page "properties, operation, safety".
 */
#ifndef TERMINALS_H
#define TERMINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "options/rank.h"

#define TERMINALS_MOST 10000000
/* A think time that is drawn is cut at so many times its mean (TPC-C 5.11, 5.2.5.4). */
#define TERMINALS_LONGEST_THINK 10

/* A request of a terminal. */
struct visit {
    int64_t sent_ns;   /* CLOCK_MONOTONIC */
    unsigned terminal; /* its number in the whole run, from 0 */
    double memo;       /* what the workload has told of it */
};

struct terminals;

/* Nobody sends anything yet. Of those that are going to, the rank has its part. */
struct terminals *terminals_create(uint64_t seed, const struct rank *rank);
/* No thread may use it any more. NULL is allowed. */
void terminals_destroy(struct terminals *t);

/*
 * There are `count` terminals in the whole run, 1 … TERMINALS_MOST, and their first requests come
 * evenly spread over `spread_s` seconds. Before the run, in any thread. −1: other figures have been
 * given before.
 */
int terminals_populate(struct terminals *t, unsigned count, double spread_s);
/* Of the whole run; 0: nobody has said. */
unsigned terminals_count(const struct terminals *t);
/* Of this rank. */
unsigned terminals_local(const struct terminals *t);
/* The run begins: fixes when each sends first. Before the first take. */
void terminals_begin(struct terminals *t, int64_t start_ns);

/*
 * Takes the request that was sent first, sleeping until there is one. False: none is sent before
 * `end_ns`, or nothing is taken any more. Any thread; each is taken exactly once.
 */
bool terminals_take(struct terminals *t, int64_t end_ns, struct visit *visit);

/* Draws how long a terminal thinks, whose request the caller has taken: exponential with that mean,
 * from a stream of the terminal's own. Seconds. */
double terminals_think_s(struct terminals *t, unsigned terminal, double mean_s);
/* What the caller has taken is over: the terminal sends its next request at `next_ns`. */
void terminals_return(struct terminals *t, unsigned terminal, int64_t next_ns, double memo);

/* Takers get nothing more. Any thread, any number of times. */
void terminals_close(struct terminals *t);
/* When it is closed: takes a request that was sent by `end_ns` and not served. False: there is
 * none. */
bool terminals_remove(struct terminals *t, int64_t end_ns, struct visit *visit);

#endif
