/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that a run loop calls. This is one of the three headers that form the boundary between
 * Lua and C; the others are sql/sql_api.h and workloads/script/script_api.h.
 *
 * These headers declare every function that scripts and the internal Lua modules call, and the
 * opaque types that they hold. C includes them. The build also passes their text, without lines
 * that start with '#', to ffi.cdef, so that both sides always agree. Therefore they contain only
 * plain declarations. None of the functions calls back into Lua, so all may be called from compiled
 * traces.
 *
 * All functions in this header refer to the worker of the calling thread.
 */
#ifndef WORKER_API_H
#define WORKER_API_H

#include <stdbool.h>

bool worker_next(void);    /* ends the event in service, if any, and takes the next one; returns
                              false if the run is over */
bool worker_restart(void); /* to be called after an ignorable error: returns true if the same
                              event is to be executed again, false if it was given up */
void worker_leave(void);   /* ends the event in service; the script wants no more events in this
                              thread and must not fetch any */

/*
 * Types of events. worker_event_type() returns the number of a type, which is the same in the whole
 * run, or −1 if the calling thread is not a worker. worker_set_event_type() gives the event in
 * service this type: it is also recorded for the type. An event keeps its type when it is
 * restarted.
 */
int worker_event_type(const char *name);
void worker_set_event_type(int type);

/*
 * Tallies (tallies.h). worker_tally() returns the number of a tally, which is the same in the whole
 * run, or −1 if the calling thread is not a worker. Values are non-negative integers; they count
 * only while an event of the measured part is in service.
 */
int worker_tally(const char *name);
void worker_add_tally(int tally, double count, double sum, double squares);

/*
 * Quality figures (quality/qualities.h). worker_quality() returns the number of a figure, which is
 * the same in the whole run; −1 if the calling thread is not a worker; −2 if the name is not
 * allowed (slo_quality_name()). Values are finite; they count only while an event of the measured
 * part is in service.
 */
int worker_quality(const char *name);
void worker_add_quality(int figure, double value);

/*
 * Deferred work (deferred.h). worker_deferred_type() returns the number of a type, which is the
 * same in the whole run, or −1 if work cannot be deferred, so that the event must do it itself.
 * worker_defer() defers work with up to 8 numbers. It returns −1 if the queue is full and that must
 * end the run, and −2 if no event is in service.
 */
int worker_deferred_type(const char *name);
int worker_defer(int type, unsigned count, const double *numbers);
/* The deferred work that the calling executor has in service: the name of its type, and its
 * numbers. worker_deferred_numbers() returns how many numbers there are. */
const char *worker_deferred_name(void);
unsigned worker_deferred_numbers(double *numbers);

/*
 * Terminals (terminals.h). Times are in seconds.
 *
 * - worker_has_terminals() returns true if terminals send the requests.
 * - worker_populate() sets the number of terminals. It returns −1 if different figures were given
 *   before.
 * - worker_terminal() returns the number of the terminal whose request is in service, counted from
 *   1, or 0 if no such request is in service.
 * - worker_memo() returns the `memo` that was passed to worker_pause() in the terminal's previous
 *   event.
 * - worker_pause() sets how long the terminal pauses after this event, and the memo for its next
 *   event. The think time is drawn with mean `think_s` and returned.
 */
bool worker_has_terminals(void);
int worker_populate(double count, double spread_s);
unsigned worker_terminal(void);
double worker_memo(void);
double worker_pause(double keying_s, double think_s, double memo);

/*
 * Sessions (user_sessions.h), for the request in service: the number of its session in the whole
 * run and its own number within the session, both counted from 1; and whether the session ends with
 * it. 0 and false if no request of a session is in service.
 */
double worker_session(void);
double worker_session_index(void);
bool worker_session_ends(void);

/* For scripts with a run loop of their own. `thread_id` is ignored: the functions refer to the
 * calling thread. */
bool sb_more_events(int thread_id);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);

typedef enum {
    SB_CNT_OTHER,
    SB_CNT_READ,
    SB_CNT_WRITE,
    SB_CNT_EVENT,
    SB_CNT_ERROR,
    SB_CNT_RECONNECT,
    SB_CNT_BYTES_READ,
    SB_CNT_BYTES_WRITTEN
} sb_counter_type_t;
typedef sb_counter_type_t sb_counter_type; /* the name that existing scripts use */
void sb_counter_inc(int thread_id, sb_counter_type_t type);

#endif
