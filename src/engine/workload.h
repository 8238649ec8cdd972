/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload is executed by a run: a script, a built-in test or a replay. The engine and the room
 * run/ know workloads by these operations alone. report/workload_report.h has those of the report.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand.h"
#include "stats/stats.h"

struct injection_outcome;

/* A worker lends this to its thread of the workload. It outlives the thread. */
struct workload_worker {
    unsigned id; /* in the whole run, which may be spread over several processes */
    bool first;  /* of those in this process */
    struct rand *rand;
    struct stats_thread *stats;
    /* Returns the time (CLOCK_MONOTONIC) until which a thread may wait for a resource of its next
     * event; 0 if it should stop waiting. */
    int64_t (*give_up_ns)(void *arg);
    void *arg;
};

/* `self` and `server` are the workload's. An operation is NULL if the workload does not have it;
 * the threads need thread_start(), thread_run() and thread_end(). */
struct workload_ops {
    /* Threads. */

    /* In the worker, before the run: prepares everything that events need. Returns the `thread` of the next three,
     * or NULL after a logged message. */
    void *(*thread_start)(void *self, const struct workload_worker *worker);
    /* In the worker: executes events until worker_next() says that there are no more. −1 after a
     * logged message. */
    int (*thread_run)(void *thread);
    /* The same in an executor: executes deferred work. Only called if `has_deferred` is set. */
    int (*thread_run_deferred)(void *thread);
    /* In the worker, after the run, whatever became of it: undoes thread_start(). −1 after a logged
     * message. */
    int (*thread_end)(void *thread);

    /* Schedule. */

    /* The workload schedules its requests itself. In the generator: the next arrival, in
     * nanoseconds since the start of the run, later than the one before; INT64_MAX if there are no
     * more. A worker identifies the request by its arrival time. */
    int64_t (*next_ns)(void *self);

    /*
     * Sessions apart from those of the workers, for --inject: a workload has all five operations or
     * none. Each session is opened, used and closed by one thread. session_cancel() is called by
     * another thread, never after session_close() has begun, and makes a running session_execute()
     * return soon. session_open() returns NULL and session_execute() −1 if they fail; the reason is
     * then in `failure`. If session_execute() succeeds, `outcome` has what the text did.
     */

    /* Before the run: if no session can execute `text`, returns a phrase that says which texts are
     * allowed; else NULL. */
    const char *(*session_objection)(void *server, const char *text);
    void *(*session_open)(void *server, char *failure, size_t bytes);
    int (*session_execute)(void *session, const char *text, struct injection_outcome *outcome,
                           char *failure, size_t bytes);
    void (*session_cancel)(void *session);
    void (*session_close)(void *session);
};

struct workload_report;

struct workload {
    const struct workload_ops *ops;
    const struct workload_report *report; /* never NULL in a run */
    void *self;
    void *server; /* handed to operations on the database */
    /* A thread has several events at a time (worker_detach()), so it must not wait for the arrival
     * of the next one while some are in progress. */
    bool overlaps;
    bool has_deferred; /* events defer work, which needs executors */
};

#endif
