/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the order of statements within each session. The generator appends each statement to the
 * line (the queue) of its session when it puts the arrival into the request queue. A worker that
 * takes the arrival finds the statement by its arrival time.
 *
 * A statement is executed when it has arrived and is the first of its line. It is executed by the
 * worker that took its arrival, or, if an earlier statement of the session is not finished then, by
 * the worker that finishes the previous statement. Until then the arrival is parked in the line
 * (worker_park()), and its worker serves other arrivals. So a session does not wait for another
 * session, unless all workers are busy.
 */
#ifndef REPLAY_LINES_H
#define REPLAY_LINES_H

#include <pthread.h>

#include "engine/worker.h"
#include "sql/sql.h"
#include "workloads/replay/replay_item.h"

struct replay_line;

struct replay_entry {
    struct replay_item *item; /* owned by the entry */
    struct replay_line *line;
    int64_t due_ns; /* arrival time since the start of the run, in nanoseconds */
    /* When a worker took the arrival (CLOCK_MONOTONIC); 0 if none has taken it. */
    int64_t arrived_ns;
    bool last; /* true for the last statement of its session */
    struct replay_entry *next;
    struct worker_request request; /* used while the entry waits in the line */
};

struct replay_line {
    pthread_mutex_t lock; /* guards the list of entries and `busy` */
    struct replay_entry *first, *end;
    bool busy; /* a worker executes `first` */
    uint32_t session;
    /* The following fields are used only by the worker that executes. */
    sql_connection *con;                     /* NULL if the connection was not opened yet */
    char database[LOG_EVENT_DATABASE_BYTES]; /* current database of `con` */
    /* Database of the session according to the log; "" if unknown. */
    char home[LOG_EVENT_DATABASE_BYTES];
    /* The session has left its database; if the connection has done so too, `database` is "". */
    bool nowhere;
};

struct replay_lines;

/* Creates lines for `sessions` sessions. At most `most` arrivals may wait in lines. */
struct replay_lines *replay_lines_create(uint32_t sessions, int64_t most);
/* Closes the connections and frees everything. No thread may use `l` any longer; `l` may be
 * NULL. */
void replay_lines_destroy(struct replay_lines *l);

/* Called by the generator only: appends a statement that arrives at `due_ns`, which must be later
 * than that of the previous call. `last`: it is the last statement of its session. Takes ownership
 * of `item`. */
void replay_lines_put(struct replay_lines *l, struct replay_item *item, int64_t due_ns, bool last);

/* Called by workers: removes the statement that arrives at `due_ns` from the book of arrivals and
 * returns it; NULL if there is no such arrival. */
struct replay_entry *replay_lines_find(struct replay_lines *l, int64_t due_ns);
/* Returns true if the calling worker may execute the statement now. Returns false if the statement
 * waits in its line from now on, or if more statements wait than allowed; then *full is true. */
bool replay_lines_begin(struct replay_lines *l, struct replay_entry *entry, bool *full);
/*
 * Call it after the statement was executed and its event has ended. Frees the statement, and the
 * line after the last statement of the session. Returns the next statement of the line if that has
 * arrived and the run is not over: the calling worker has to execute it. Returns NULL if there is
 * no such statement.
 */
struct replay_entry *replay_lines_end(struct replay_lines *l, struct replay_entry *entry);
/* Call it when the run is over, from any worker: returns the arrivals that wait in lines to the
 * queue. */
void replay_lines_give_back(struct replay_lines *l);

#endif
