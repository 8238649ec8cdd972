/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run executes: a script or a built-in test. Workers and the room run/ know workloads by
 * this alone.
 *
 * A workload is its loop and what else it has. Each of the groups of operations below is whole:
 * where it is there, so are all its operations, unless one says otherwise. `self` and `server` are
 * always the workload's.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rand.h"
#include "options/settings.h"
#include "report/presentation.h"
#include "result/remarks.h"
#include "result/summary.h"
#include "stats/probe.h"
#include "stats/stats.h"

struct workload {
    void *self;
    const struct workload_loop *loop;     /* never NULL; of the others, any may be */
    const struct workload_loop *deferred; /* of executors; NULL: no event puts off any work */
    const struct workload_schedule *schedule;
    const struct workload_appearance *appearance;
    void *server; /* what the load goes to, for the next two */
    const struct workload_watch *watch;
    const struct workload_sessions *sessions;
    const struct workload_hooks *hooks;
    const struct workload_explanations *explanations;
    const struct workload_remarks *remarks;
};

/* What a worker lends to its thread of the workload. Outlives that. */
struct workload_worker {
    unsigned id; /* in the whole run, which may be spread over several processes */
    bool first;  /* of those in this process */
    struct rand *rand;
    struct stats_thread *stats;
    int64_t (*give_up_ns)(
        void *arg); /* until when it pays to wait for what the next event needs; 0: not any more */
    void *arg;
};

/* What workers call. `thread` is what thread_start() returned. */
struct workload_loop {
    /* In the worker, before the run: all that events need. NULL after a logged message. */
    void *(*thread_start)(void *self, const struct workload_worker *worker);
    /* In the worker: executes events until worker_next() says that there are no more. −1 after a
     * logged message. */
    int (*thread_run)(void *thread);
    /* In the worker, after the run, whatever became of it: undoes thread_start(). −1 after a logged
     * message. */
    int (*thread_end)(void *thread);
    /* A thread has several events at a time (worker_detach()), so it must not wait for the arrival
     * of the next one while some go on. */
    bool overlap;
};

/* A workload that says itself when its requests arrive. */
struct workload_schedule {
    /* In the generator: the next arrival, in nanoseconds since the start of the run, later than the
     * one before; INT64_MAX: there is none. Which request it is a worker finds by its arrival. */
    int64_t (*next_ns)(void *self);
};

/* What the text of a run shows of the workload. */
struct workload_appearance {
    /* The workload's own lines in the header of a run. NULL: none. */
    void (*print_mode)(void *self, FILE *out);
    /* When all threads have started: what the reports of this workload look like. */
    void (*set_presentation)(void *self, struct presentation *presentation);
};

typedef void workload_setting(void *arg, const char *name, const char *value);

/* What is watched beside the run, of whatever the load goes to. */
struct workload_watch {
    /* When all threads have started, before the first event. NULL: nothing is to be watched. */
    struct probes *(*probes)(void *server);
    /* When all threads have started: hands over the settings that results depend on. `add` is NULL
     * where there is no report to hold them. */
    void (*describe)(void *server, workload_setting *add, void *arg);
    /* When all threads have started: whether what the load goes to shares this machine. */
    bool (*shares_machine)(void *server);
    /* When all threads have started: whether that is a program of its own, or another machine. */
    bool (*has_server)(void *server);
    /*
     * After the run: adds to the report how what was done, by counters since the start of the run,
     * and what was counted there compare. `effects` is NULL when they are not known for the whole
     * run.
     */
    void (*check)(void *server, const uint64_t *counters, const struct effects *effects,
                  struct probes *probes, struct probe_report *report);
};

/*
 * Sessions apart from those of the workers, for --inject. Each is opened, used and closed by one
 * thread; cancel() is called by another, never after close() has begun, and makes an execute() that
 * goes on return soon. NULL and −1: `failure` or `answer` says why; else `answer` gets what came of
 * it.
 */
struct workload_sessions {
    /* Before the run: of a text that no session can execute, what is allowed; NULL: it may
     * be one. */
    const char *(*objection)(void *server, const char *text);
    void *(*open)(void *server, char *failure, size_t bytes);
    int (*execute)(void *session, const char *text, char *answer, size_t bytes);
    void (*cancel)(void *session);
    void (*close)(void *session);
};

/* Report hooks: true when there is one and it was called; it stands in for the text. */
struct workload_hooks {
    bool (*intermediate)(void *self, const struct interval *interval);
    bool (*cumulative)(void *self, const struct summary *summary);
    /* Whether any of these calls has failed. */
    bool (*failed)(void *self);
    /* Whether any of them has asked for the end of the run, as an error. NULL: none does. */
    bool (*wants_end)(void *self);
};

/* What the workload says of a run that has ended. False: nothing. */
struct workload_remarks {
    bool (*make)(void *self, const struct summary *summary, struct remarks *remarks);
};

/* What the workload knows about something that went wrong. */
struct workload_explanations {
    /* Many writes changed nothing: the likely cause, to be freed; NULL: not known. In the
     * controlling thread, when no worker is in an event any more. */
    char *(*no_ops)(void *self, const struct effects *effects);
    /* The run never began: logs what may explain that. */
    void (*failure)(void *self);
    /* The run failed before its first event was done: whether what it lacked was told, and figures
     * say no more. NULL: never. */
    bool (*is_void)(void *self);
};

#endif
