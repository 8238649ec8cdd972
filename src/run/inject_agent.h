/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two threads of an injection: the first executes it, the second cancels the statement that a
 * session still executes at the end of the run.
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
#include "run/connections/idle_pool.h"
#include "result/injection.h"
#include "run/inject_tail.h"
#include "stats/spans.h"

/*
 * How long an injection may take to end after it was asked to: longer than it takes to kill a
 * command.
 */
#define INJECT_PATIENCE_NS (5 * NS_PER_SEC)

#define INJECT_FAILURE_BYTES 640

/*
 * State that all injections of a run share. The controlling thread writes the first block before
 * any injection starts. At the end of the run it sets stop_ns, then `stopping`, then writes to
 * stop_fd.
 */
struct inject_stage {
    struct workload workload;
    void (*notify)(void *arg); /* called by any thread when the progress of an injection has
                                  changed */
    struct spans *spans;
    struct spans *connect_spans; /* of the times to connect; NULL if there are no storms */
    struct idle_pool *idle;      /* the connections for storms; NULL if there are none */
    int stop_fd; /* readable when all injections must end */

    int64_t stop_ns; /* CLOCK_MONOTONIC; set before `stopping` */
    atomic_bool stopping;
};

enum inject_progress { INJECT_WAITING, INJECT_RUNNING, INJECT_ENDED };

struct inject_agent {
    struct inject_stage *stage;
    const struct inject_action *action;

    /* These fields are written by the injection's thread. Other threads may read from_ns and
     * first_span once the progress is INJECT_RUNNING, and the others once it is INJECT_ENDED. */
    atomic_int progress;           /* enum inject_progress */
    int64_t from_ns, to_ns;        /* CLOCK_MONOTONIC */
    unsigned first_connect_span, end_connect_span;
    unsigned first_span, end_span; /* spans of the requests that arrived during the injection */
    enum injection_state state;
    int exit_code, signal;              /* of a command; −1 and 0 if the command has no exit code
                                           or signal */
    char failure[INJECT_FAILURE_BYTES]; /* reason of a failure; empty if the injection did not
                                           fail */
    struct injection_outcome outcome;

    struct inject_tail tail;          /* output of the injection; others may read it once `done`
                                         is set */
    atomic_bool cancelled;            /* set before the session is cancelled for the first time */
    atomic_bool done, canceller_done; /* the thread has ended and uses nothing any longer */

    pthread_mutex_t lock; /* guards `session` */
    void *session;        /* session that can be cancelled, or NULL */
};

void inject_agent_init(struct inject_agent *a, struct inject_stage *stage,
                       const struct inject_action *action);
/* To be called when both threads have ended. */
void inject_agent_fini(struct inject_agent *a);

/* The thread function of an injection; the argument is the struct inject_agent. */
void *inject_agent_main(void *agent);
/* The thread function that cancels a session once `stopping` is set. It cancels the session
 * repeatedly until the injection has ended, for at most INJECT_PATIENCE_NS. */
void *inject_cancel_main(void *agent);
/* Marks the injection as failed with errno `error`, if no thread can be created for it. */
void inject_agent_fail(struct inject_agent *a, int error);

#endif
