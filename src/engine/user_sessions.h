/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions of a partly open system (Schroeder, Wierman, Harchol-Balter, "Open Versus Closed: A
 * Cautionary Tale", NSDI 2006): users arrive as a process of their own, send requests with think
 * times in between, and leave. This part holds the sessions in progress and draws their arrivals,
 * lengths and think times; terminals.h decides which request is served next.
 *
 * Every rank draws the arrivals of all sessions and keeps its own (arrival.h). Length and think
 * times of a session come from a random stream whose index is the number of the session in the
 * whole run. So the sessions of a run depend on the seed only, not on the number of ranks or on the
 * response times.
 *
 * No function locks; the caller must see to it that one thread at a time calls them. Times are
 * CLOCK_MONOTONIC.
 */
#ifndef USER_SESSIONS_H
#define USER_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/settings.h"

/* A request within its session. */
struct session_request {
    uint64_t number; /* number of the session in the whole run, from 1; 0 if there is no session */
    uint64_t index;  /* number of the request within the session, from 1 */
    bool last;       /* the session ends with this request */
};

/* Sessions of the measured part: those that began after the warm-up. */
struct session_counts {
    uint64_t begun;
    double ended_ns; /* sum of the times that all ended sessions, also those of the warm-up, were in
                        progress after the warm-up */
};

/* The sessions that are in progress. */
struct sessions_left {
    int64_t *begun_ns; /* when each session began, in no order */
    size_t count;
    struct session_counts counts;
};

struct user_sessions;

/* Creates an empty population. `settings` must outlive it. */
struct user_sessions *user_sessions_create(const struct settings *settings);
/* NULL is allowed. */
void user_sessions_destroy(struct user_sessions *s);
/* Draws the first arrival. To be called once, before the functions below. `measure_ns` is the end
 * of the warm-up. */
void user_sessions_start(struct user_sessions *s, int64_t start_ns, int64_t measure_ns);

/* Returns when the next session begins, or INT64_MAX if no further session begins. */
int64_t user_sessions_next_ns(const struct user_sessions *s);
/* Begins the next session and draws the arrival after it. Returns the slot of the session, which it
 * keeps until it ends. */
unsigned user_sessions_begin(struct user_sessions *s);
/* Describes the present request of a session, which is about to be served. */
struct session_request user_sessions_serve(struct user_sessions *s, unsigned slot);
/*
 * Ends the present request of a session at `now_ns`. If the session goes on, returns true and sets
 * *at_ns to the time at which it sends its next request. Otherwise the session ends and its slot is
 * free: returns false and sets *at_ns to the time at which the session began.
 */
bool user_sessions_end_request(struct user_sessions *s, unsigned slot, int64_t now_ns,
                               int64_t *at_ns);

/* Returns true if no session is in progress and no further session begins. */
bool user_sessions_are_over(const struct user_sessions *s);
/* Returns true if more sessions than --queue-size waited for the service of their first request. No
 * session begins after that. */
bool user_sessions_overflowed(const struct user_sessions *s);
/* Returns the number of sessions in progress. */
size_t user_sessions_in_progress(const struct user_sessions *s);
/* Fills in *left. The caller frees the array. */
void user_sessions_list(const struct user_sessions *s, struct sessions_left *left);

/* Draws of the laws, for sessions and tests. session_length_draw() returns 0 if the length is
 * unlimited. think_draw() returns seconds, at most TIME_MAX_S (quantity.h). */
uint64_t session_length_draw(const struct session_length *law, struct rand_stream *stream);
double think_draw(const struct think_law *law, struct rand_stream *stream);

#endif
