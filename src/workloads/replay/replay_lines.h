/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of sessions. The generator puts each statement into the line of its session when it
 * puts the arrival into the queue, and a worker that has taken an arrival finds the statement by
 * its time.
 *
 * A statement is begun when it has arrived and is the first of its line, by one worker at a time:
 * the worker that took the arrival, or, if the line was not that far, the one that executes the
 * statement before it. Meanwhile the arrival waits in the line (worker_park()) and its worker
 * serves others. So a session never waits for another one, unless no worker is free.
 */
#ifndef REPLAY_LINES_H
#define REPLAY_LINES_H

#include <pthread.h>

#include "engine/worker.h"
#include "sql/sql.h"
#include "workloads/replay/replay_item.h"

struct replay_line;

struct replay_entry {
    struct replay_item *item; /* the entry's */
    struct replay_line *line;
    int64_t due_ns;     /* since the start of the run: its arrival */
    int64_t arrived_ns; /* a worker took it (CLOCK_MONOTONIC); 0: none has */
    bool last;          /* of its session */
    struct replay_entry *next;
    struct worker_request request; /* while it waits in the line */
};

struct replay_line {
    pthread_mutex_t lock; /* guards what is in the line */
    struct replay_entry *first, *end;
    bool busy; /* a worker executes `first` */
    uint32_t session;
    /* Of the worker that executes: */
    sql_connection *con;                     /* NULL: not opened yet */
    char database[LOG_EVENT_DATABASE_BYTES]; /* where that is */
    /* Where the session has gone; "": not known, wherever it is. */
    char home[LOG_EVENT_DATABASE_BYTES];
    bool nowhere; /* it has gone to none; `database` of a connection that is there, too, is "" */
};

struct replay_lines;

/* Room for `sessions` lines. At most `most` arrivals wait in lines. */
struct replay_lines *replay_lines_create(uint32_t sessions, int64_t most);
/* No thread may use it any more; closes connections. NULL is harmless. */
void replay_lines_destroy(struct replay_lines *l);

/* The generator only: a statement that arrives at `due_ns`, later than the one before. */
void replay_lines_put(struct replay_lines *l, struct replay_item *item, int64_t due_ns, bool last);

/* Workers: the statement that arrives at `due_ns`, which nobody has asked for before. */
struct replay_entry *replay_lines_find(struct replay_lines *l, int64_t due_ns);
/* The calling worker serves the arrival. False: it waits in the line from now on. *full: more wait
 * than may. */
bool replay_lines_begin(struct replay_lines *l, struct replay_entry *entry, bool *full);
/*
 * The statement was executed, and its event has ended. Frees it, and the line behind its last one.
 * Returns the next one of the line, if that has arrived and the run is not over: the calling worker
 * serves it. NULL: there is none.
 */
struct replay_entry *replay_lines_end(struct replay_lines *l, struct replay_entry *entry);
/* When the run is over: gives the arrivals that wait in lines back to the queue. Any worker. */
void replay_lines_give_back(struct replay_lines *l);

#endif
