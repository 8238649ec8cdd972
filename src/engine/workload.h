/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of a workload, which a run executes: a script, a built-in test or a replay. The
 * folders engine/ and run/ use workloads through these operations only. The operations of the
 * report are in report/workload_report.h.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand.h"
#include "stats/stats.h"

struct injection_outcome;
struct wait_source;

/* Passed by a worker to its thread of the workload. Outlives that thread. */
struct workload_worker {
    unsigned id; /* number in the whole run, which may be spread over several processes */
    bool first;  /* true for the first worker of this process */
    struct rand *rand;
    struct stats_thread *stats;
    /* Returns the time (CLOCK_MONOTONIC) until which a thread may wait for a resource of its next
     * event; 0 if it should stop waiting. */
    int64_t (*give_up_ns)(void *arg);
    void *arg;
};

/*
 * Connections that do nothing (--idle-connections). A connection is used by one thread at a time,
 * not always the same.
 */
struct idle_source {
    /* Returns NULL, or a phrase that says why there are no such connections. */
    const char *(*objection)(const void *server);
    /* Opens a connection; with several servers, `number` selects one of them. Returns NULL on
     * failure, with the reason in `failure`. */
    void *(*open)(void *server, unsigned number, char *failure, size_t bytes);
    /* Returns the file descriptor of the connection, which belongs to it. */
    int (*descriptor)(const void *connection);
    /* Executes a statement that does nothing. Returns false if it failed. */
    bool (*touch)(void *server, void *connection);
    void (*close)(void *connection);
};

/* Measures how old the data is that the replicas of a database return (--staleness). */
struct staleness_source {
    /* Creates the marker in the database. Its steps are `step_ns` apart. Returns the argument of
     * the other operations, or NULL after logging a message. */
    void *(*prepare)(void *server, struct stats *stats, int64_t step_ns);
    /* Starts the threads. `measure_ns` is the start of the measured part (CLOCK_MONOTONIC). Returns
     * −1 after logging a message. */
    int (*begin)(void *staleness, int64_t measure_ns);
    /* Ends the threads, removes the marker, and frees `staleness`. Takes some seconds at most if a
     * server does not answer. */
    void (*end)(void *staleness);
};

/* `self` is workload.self and `server` is workload.server. An operation is NULL if the workload
 * does not have it. thread_start(), thread_run() and thread_end() are required. */
struct workload_ops {
    /* Threads. */

    /* Called by the worker before the run: prepares all that events need. Returns the `thread`
     * argument of the next three operations, or NULL after logging a message. */
    void *(*thread_start)(void *self, const struct workload_worker *worker);
    /* Called by the worker: executes events until worker_next() returns false. Returns −1 after
     * logging a message. */
    int (*thread_run)(void *thread);
    /* Called by an executor: executes deferred work. Only called if `has_deferred` is set. Returns
     * −1 after logging a message. */
    int (*thread_run_deferred)(void *thread);
    /* Called by the worker or the executor when an event, an attempt at it, or deferred work has
     * ended: gives back what all workers share. Only called if `has_pool` is set. */
    void (*event_ended)(void);
    /* Called by the worker after the run, even if the run failed: undoes thread_start(). Returns −1
     * after logging a message. */
    int (*thread_end)(void *thread);

    /* Schedule. */

    /* For a workload that schedules its requests itself; called by the generator. Returns the next
     * arrival in nanoseconds since the start of the run, which must be later than the previous one,
     * or INT64_MAX if there are no more. A worker identifies the request by its arrival time. */
    int64_t (*next_ns)(void *self);

    /*
     * Sessions for --inject, separate from the sessions of the workers. A workload has all five
     * operations or none of them. Each session is opened, used and closed by one thread.
     * session_cancel() is called by another thread, never after session_close() has begun, and
     * makes a running session_execute() return soon. If session_open() returns NULL or
     * session_execute() returns −1, `failure` has the reason. If session_execute() succeeds,
     * `outcome` describes the effects of the text.
     */

    /* Called before the run. Returns NULL if sessions can execute `text`, otherwise a phrase that
     * says which texts are allowed. */
    const char *(*session_objection)(void *server, const char *text);
    void *(*session_open)(void *server, char *failure, size_t bytes);
    int (*session_execute)(void *session, const char *text, struct injection_outcome *outcome,
                           char *failure, size_t bytes);
    void (*session_cancel)(void *session);
    void (*session_close)(void *session);

    /* Samples of the wait events of the server's sessions, for --wait-events. */
    const struct wait_source *waits;

    /* Connections for --idle-connections. */
    const struct idle_source *idle;

    /* Markers for --staleness. */
    const struct staleness_source *staleness;
};

struct workload_report;

struct workload {
    const struct workload_ops *ops;
    const struct workload_report *report; /* never NULL in a run */
    void *self;
    void *server; /* the database, passed to the operations that use it */
    /* A thread has several events at a time (worker_detach()). So it must not wait for the arrival
     * of the next event while some are in progress. */
    bool overlaps;
    bool has_deferred; /* events defer work, so the run needs executors */
    bool has_pool;     /* workers share connections: event_ended() gives them back */
};

#endif
