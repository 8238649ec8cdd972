/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What inject.c, the controlling thread's side, and inject_agent.c, the side of the injections' own
 * threads, share.
 */
#ifndef INJECT_INTERNAL_H
#define INJECT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "run/inject.h"
#include "run/inject_command.h"
#include "run/recovery.h"

/*
 * How long inject_finish() waits after inject_stop(): longer than a command needs that must be
 * killed.
 */
#define INJECT_PATIENCE_NS (5 * NS_PER_SEC)

#define INJECT_FAILURE_BYTES 640

enum progress { WAITING, RUNNING, ENDED };

/* One injection. What is not said to be another's is the controlling thread's. */
struct agent {
    struct inject *inject;
    const struct inject_action *action;
    struct injection result;
    struct recovery_watch watch;
    enum progress told; /* what has been reported */
    bool started, cancelled;
    pthread_t thread, canceller;

    atomic_int progress;           /* enum progress; orders what its thread writes … */
    int64_t from_ns, to_ns;        /* … CLOCK_MONOTONIC */
    unsigned first_span, end_span; /* … those of the requests that arrived meanwhile */
    enum injection_state state;
    int exit_code, signal;
    char failure[INJECT_FAILURE_BYTES]; /* … "": none */
    struct inject_tail tail;            /* … what it printed, until `done` */
    atomic_bool done, canceller_done;   /* the threads need nothing any more */

    pthread_mutex_t lock; /* for the canceller: */
    void *session;        /* NULL: none, or not any more */
};

struct inject {
    struct workload workload;
    void (*notify)(void *arg);
    unsigned threads; /* workers */
    int64_t start_ns, measure_ns;
    struct spans *spans;
    struct recovery *recovery;
    int stop_fd; /* readable from inject_stop() on */
    atomic_bool stopping;
    int64_t stop_ns;
    unsigned count, next; /* agents, and which of them is due next */
    struct agent *agents;
    struct injection *results;
};

/* The thread of an injection, from its beginning to its end; the argument is its agent. */
void *inject_agent_main(void *agent);
/* A thread that cancels what the session of an agent executes, until that has ended. */
void *inject_cancel_main(void *agent);
/* For an injection without a thread: it begins and fails, with that errno. */
void inject_agent_fail(struct agent *a, int error);

#endif
