/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One injection, as its own thread executes it, and the thread that cancels what a session still
 * executes when the run is over.
 */
#ifndef INJECT_AGENT_H
#define INJECT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/workload.h"
#include "options/inject_plan.h"
#include "result/injection.h"
#include "run/inject_tail.h"
#include "stats/spans.h"

/*
 * How long an injection may take to end when it is told to: longer than a command needs that must
 * be killed.
 */
#define INJECT_PATIENCE_NS (5 * NS_PER_SEC)

#define INJECT_FAILURE_BYTES 640

/*
 * What the injections of a run share. The controlling thread writes it: the first block before any
 * of them starts, then stop_ns, `stopping` and to the descriptor, in this order.
 */
struct inject_stage {
    struct workload workload;
    void (*notify)(void *arg); /* any thread: the progress of one has changed */
    struct spans *spans;
    int stop_fd; /* readable: they shall end */

    int64_t stop_ns; /* CLOCK_MONOTONIC; set when `stopping` is */
    atomic_bool stopping;
};

enum inject_progress { INJECT_WAITING, INJECT_RUNNING, INJECT_ENDED };

struct inject_agent {
    struct inject_stage *stage;
    const struct inject_action *action;

    /* Of its thread. Others may read from_ns and first_span once it is INJECT_RUNNING, the rest of
     * them once it is INJECT_ENDED. */
    atomic_int progress;           /* enum inject_progress */
    int64_t from_ns, to_ns;        /* CLOCK_MONOTONIC */
    unsigned first_span, end_span; /* those of the requests that arrived meanwhile */
    enum injection_state state;
    int exit_code, signal;              /* of a command; −1 and 0: none */
    char failure[INJECT_FAILURE_BYTES]; /* "": none */
    struct injection_outcome outcome;

    struct inject_tail tail;          /* what it printed; others may read it once it is `done` */
    atomic_bool cancelled;            /* from before the session is cancelled for the first time */
    atomic_bool done, canceller_done; /* the thread needs nothing any more */

    pthread_mutex_t lock; /* guards: */
    void *session;        /* what there is to cancel; NULL: nothing */
};

void inject_agent_init(struct inject_agent *a, struct inject_stage *stage,
                       const struct inject_action *action);
/* When its threads are gone. */
void inject_agent_fini(struct inject_agent *a);

/* The thread of an injection, from its beginning to its end; the argument is its agent. */
void *inject_agent_main(void *agent);
/* The canceller of a session, once `stopping` is set: it comes again until the session has ended,
 * INJECT_PATIENCE_NS at most. */
void *inject_cancel_main(void *agent);
/* In place of inject_agent_main(), where no thread can be had: it begins and fails, with that
 * errno. */
void inject_agent_fail(struct inject_agent *a, int error);

#endif
