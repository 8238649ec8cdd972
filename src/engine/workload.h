/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run executes: a script or a built-in test. run.c, worker.c and reporter.c know workloads
 * by this alone.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rand.h"
#include "measure/presentation.h"
#include "measure/stats.h"
#include "measure/summary.h"
#include "options/settings.h"
#include "watch/probe.h"

/* What a worker lends to its thread of the workload. Outlives that. */
struct workload_worker {
    unsigned id;
    struct rand *rand;
    struct stats_thread *stats;
    int64_t (*give_up_ns)(
        void *arg); /* until when it pays to wait for what the next event needs; 0: not any more */
    void *arg;
};

/* Prints the built-in text of the report that a hook replaces. */
typedef void workload_text(void *arg, bool cumulative);

typedef void workload_setting(void *arg, const char *name, const char *value);

/* `self` is the workload, `thread` what thread_start() returned. All but the first three may be
 * NULL. */
struct workload_ops {
    /* In the worker, before the run: all that events need. NULL after a logged message. */
    void *(*thread_start)(void *self, const struct workload_worker *worker);
    /* In the worker: executes events until worker_next() says that there are no more. −1
     * after a logged message. */
    int (*thread_run)(void *thread);
    /* In the worker, after the run, whatever became of it: undoes thread_start(). −1 after a logged
     * message. */
    int (*thread_end)(void *thread);

    /* The workload's own lines in the header of a run. */
    void (*print_mode)(void *self, FILE *out);
    /* When all threads have started: what the reports of this workload look like. */
    void (*set_presentation)(void *self, struct presentation *presentation);
    /* Many writes changed nothing: the likely cause, to be freed; NULL: not known. In the
     * controlling thread, when no worker is in an event any more. */
    char *(*explain_no_ops)(void *self, const struct effects *effects);
    /* The run never began: logs what may explain that. */
    void (*explain_failure)(void *self);

    /* When all threads have started, before the first event. What is to be watched beside the run;
     * NULL: nothing. */
    struct probes *(*probes)(void *self);
    /* Then, too: hands over the settings that results depend on, of whatever the load goes to.
     * `add` is NULL where there is no report to hold them. */
    void (*describe)(void *self, workload_setting *add, void *arg);
    /*
     * After the run: adds to the report how what was done, by counters since the start of the run,
     * and what was counted there compare. `effects` is NULL when they are not known for the whole
     * run.
     */
    void (*check)(void *self, const uint64_t *counters, const struct effects *effects,
                  struct probes *probes, struct probe_report *report);

    /*
     * A session apart from those of the workers, for --inject; the first of the four may be NULL,
     * and then all are. Opened, used and closed by one thread; session_cancel() is called by
     * another, never after session_close() has begun, and makes a session_execute() that goes on
     * return soon. NULL and −1: `failure` or `answer` says why; else `answer` gets what came of it.
     */
    void *(*session_open)(void *self, char *failure, size_t bytes);
    int (*session_execute)(void *session, const char *text, char *answer, size_t bytes);
    void (*session_cancel)(void *session);
    void (*session_close)(void *session);

    /* Report hooks: true when there is one and it was called; it stands in for the text. */
    bool (*report_intermediate)(void *self, const struct interval *interval, workload_text *text,
                                void *arg);
    bool (*report_cumulative)(void *self, const struct summary *summary, workload_text *text,
                              void *arg);
    /* Whether any of these calls has failed. */
    bool (*report_failed)(void *self);
};

struct workload {
    const struct workload_ops *ops;
    void *self;
};

#endif
