/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the run loop asks for: one of the three headers that are the boundary between Lua and C. The
 * others are sql/sql_api.h and workloads/script/script_api.h.
 *
 * They declare every function that scripts and the internal Lua modules call, and the opaque types
 * they hold. C includes them; the build also feeds their text, without lines that start with '#',
 * to ffi.cdef, so that the two sides cannot drift apart. Only plain declarations, therefore. None
 * of these functions calls back into Lua, so all may be called from compiled traces.
 *
 * All in this header speak of the calling thread's worker.
 */
#ifndef WORKER_API_H
#define WORKER_API_H

#include <stdbool.h>

bool worker_next(void);    /* ends the event in service, if there is one, and takes the next; false:
                              the run is over */
bool worker_restart(void); /* after an ignorable error: true: execute the same event again; false:
                              it was given up */
void worker_leave(void);   /* ends the event in service: the script wants no more of them in this
                              thread, which then must not ask for any */

/*
 * Types of events. The number of a name, for the whole run; −1: the calling thread is no worker.
 * The event in service is of that type from now on: what is recorded of it counts for the type,
 * too, and an event that starts again stays of its type.
 */
int worker_event_type(const char *name);
void worker_set_event_type(int type);

/*
 * Tallies (tallies.h): the number of a name, for the whole run; −1: the calling thread is no
 * worker. Values are whole and not negative; they count while an event of the measured part is in
 * service.
 */
int worker_tally(const char *name);
void worker_add_tally(int tally, double count, double sum, double squares);

/*
 * Deferred work (deferred.h). The number of a type, for the whole run; −1: nothing is put off, so
 * the event has to do the work itself. What is put off has up to 8 numbers; −1: its queue is full,
 * which is to end the run; −2: no event is in service that it could be put off by.
 */
int worker_deferred_type(const char *name);
int worker_defer(int type, unsigned count, const double *numbers);
/* What the calling executor has in service: the name of its type; its numbers, which are counted.
 */
const char *worker_deferred_name(void);
unsigned worker_deferred_numbers(double *numbers);

/*
 * Terminals (terminals.h), in seconds. Whether they send the requests; how many there are, −1:
 * other figures have been given; the number, from 1, of that whose request is in service, 0: none,
 * and what is known of the request; how it goes on when the event is over, which returns how long
 * the terminal is going to think.
 */
bool worker_has_terminals(void);
int worker_populate(double count, double spread_s);
unsigned worker_terminal(void);
double worker_memo(void);
double worker_pause(double keying_s, double think_s, double memo);

/* For scripts with a run loop of their own; `thread_id` is theirs, the calling thread is what
 * counts. */
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
typedef sb_counter_type_t sb_counter_type; /* scripts in the field use this name */
void sb_counter_inc(int thread_id, sb_counter_type_t type);

#endif
