/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminals: a population of users, named after the terminals of TPC-C. Each user sends a request,
 * waits for its end, thinks, enters the next request, and sends it. This is a closed loop in which
 * users are separate from workers: a thinking user needs no thread. A worker takes the earliest
 * request that was sent and is not served yet. See docs/concurrency.md for properties, operation
 * and safety.
 *
 * The population is fixed, or open at one end: then the users are sessions (user_sessions.h), which
 * arrive and leave.
 */
#ifndef TERMINALS_H
#define TERMINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/user_sessions.h"
#include "options/rank.h"

#define TERMINALS_MOST 10000000
/* A think time is cut at this multiple of its mean (TPC-C 5.11, 5.2.5.4). */
#define TERMINALS_LONGEST_THINK 10

/* One request of a terminal. */
struct visit {
    int64_t sent_ns;   /* when it was sent, CLOCK_MONOTONIC */
    unsigned terminal; /* number of the terminal in the whole run, counted from 0; for a session,
                          its slot */
    double memo;       /* value that the workload passed to terminals_return() for this request;
                          0 for the first one */
    unsigned taker;    /* taker of the request of a session */
    struct session_request session; /* all 0 for a terminal */
};

struct terminals;

/* Creates an empty population. terminals_populate() gives this rank its part of the terminals.
 * `seed` is the seed of the random streams. */
struct terminals *terminals_create(uint64_t seed, const struct rank *rank);
/* Creates a population of sessions. `settings` must outlive it. terminals_populate(),
 * terminals_think_s() and terminals_return() must not be called for it. */
struct terminals *terminals_create_sessions(const struct settings *settings);
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
/* Returns true if the users are sessions. */
bool terminals_are_sessions(const struct terminals *t);
/* Draws when each terminal sends its first request. `start_ns` is the start of the run, and
 * `measure_ns` the end of the warm-up (CLOCK_MONOTONIC). To be called once, before the first take.
 */
void terminals_begin(struct terminals *t, int64_t start_ns, int64_t measure_ns);

/*
 * Takes the earliest request; sleeps until one is sent. Returns false if no request is sent before
 * `end_ns` (CLOCK_MONOTONIC), if all sessions have ended and none will begin, or if the population
 * is closed. May be called by any thread; each request is taken exactly once. `taker` is the number
 * of the caller, counted from 0: if sessions keep their taker, the requests of a session are taken
 * by the taker of its first request only.
 */
bool terminals_take(struct terminals *t, unsigned taker, int64_t end_ns, struct visit *visit);

/* Draws the think time of a terminal, in seconds: exponential with mean `mean_s`, from the random
 * stream of this terminal. The caller must have taken the terminal's request. */
double terminals_think_s(struct terminals *t, unsigned terminal, double mean_s);
/* Ends a request that the caller has taken. The terminal sends its next request at `next_ns`
 * (CLOCK_MONOTONIC), with `memo`. */
void terminals_return(struct terminals *t, unsigned terminal, int64_t next_ns, double memo);

/* Ends the request of a session that the caller has taken, at `now_ns` (CLOCK_MONOTONIC). If the
 * session ends with it, returns when the session began, otherwise 0. */
int64_t terminals_end_request(struct terminals *t, const struct visit *visit, int64_t now_ns);

/* For sessions, by any thread. Sessions that have begun by `now_ns` (CLOCK_MONOTONIC) are included,
 * unless the population is closed. */
size_t terminals_sessions_in_progress(struct terminals *t, int64_t now_ns);
/* Returns true if more sessions than --queue-size waited for their first service. False if the
 * users are not sessions. May be called by any thread. */
bool terminals_overflowed(struct terminals *t);

/* Ends all takes. May be called by any thread, repeatedly. */
void terminals_close(struct terminals *t);
/* Removes a request that was sent by `end_ns` and not served. Returns false if no request is left.
 * To be called after terminals_close(). */
bool terminals_remove(struct terminals *t, int64_t end_ns, struct visit *visit);
/* Fills in *left with the sessions that began by `end_ns` and have not ended. The caller frees the
 * array. For a population of sessions; may be called by any thread. */
void terminals_sessions_left(struct terminals *t, int64_t end_ns, struct sessions_left *left);

#endif
