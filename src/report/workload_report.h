/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contributions of a workload to the report of its run: its own headings and figures in the
 * text, hooks that replace the text, observations of the server, and explanations of failures. */
#ifndef WORKLOAD_REPORT_H
#define WORKLOAD_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/remarks.h"
#include "result/summary.h"
#include "stats/effects.h"
#include "stats/probe.h"

/* The workload's choices for the built-in text. */
struct presentation {
    /*
     * The heading of the statement counters ("SQL statistics"), for workloads that count
     * statements: transactions and queries are then reported. NULL if the workload counts events
     * only.
     */
    const char *statements;
    const char *targets; /* heading of the table of targets, such as "Hosts"; NULL if there is no
                          * table */
    /*
     * The workload's own figures. interval_figures() writes the rest of an interval's first line in
     * place of the built-in text, without the newline; summary_figures() writes a block before the
     * section Throughput. NULL if the workload has no such figures.
     */
    void (*interval_figures)(void *arg, FILE *out, const struct interval *interval);
    void (*summary_figures)(void *arg, FILE *out, const struct summary *summary);
    /*
     * Writes the first lines of the section Throughput; NULL if the workload does not have such
     * lines. If it has them, sysbench 1.1 prints no other lines there and ends with the latency;
     * sysbench 1.0 has no such section.
     */
    void (*throughput_figures)(void *arg, FILE *out, const struct summary *summary);
    void *arg;
};

typedef void workload_setting(void *arg, const char *name, const char *value);

/*
 * All operations are called in the controlling thread. `self` and `server` are those of the
 * workload (engine/workload.h). An operation is NULL if the workload does not have it.
 */
struct workload_report {
    /* Text. */

    /* Prints the workload's own lines in the header of a run. */
    void (*print_mode)(void *self, FILE *out);
    /* When all threads have started: fills in `presentation`, whose members are all zero. */
    void (*set_presentation)(void *self, struct presentation *presentation);

    /* Hooks. The first two operations return true if the workload has such a hook and it was
     * called: the built-in text is then left out. */

    bool (*intermediate)(void *self, const struct interval *interval);
    bool (*cumulative)(void *self, const struct summary *summary);
    /* Returns true if a call of a hook has failed. */
    bool (*hook_failed)(void *self);
    /* Returns true if a hook has asked for the end of the run, which is an error. */
    bool (*wants_end)(void *self);
    /* Collects the workload's remarks on a run that has ended. Returns false if the workload
     * makes no remarks. */
    bool (*remarks)(void *self, const struct summary *summary, struct remarks *remarks);

    /* Observations of the server during the run: a workload has either all five operations or
     * none of them. All but check() are called when all threads have started. */

    /* Before the first event: starts to sample the server. Returns NULL if nothing is sampled. */
    struct probes *(*probes)(void *server);
    /* Hands over the settings that results depend on. `add` is NULL if there is no report to hold
     * them. */
    void (*describe)(void *server, workload_setting *add, void *arg);
    /* True if the server runs on this machine, or the database is in this process. */
    bool (*shares_machine)(void *server);
    /* True if the server is another process, here or on another machine. */
    bool (*has_server)(void *server);
    /*
     * After the run: compares the `counters` since the start of the run with those of the server,
     * and adds the comparison to the report. `effects` is NULL if the effects of writes are not
     * known for the whole run.
     */
    void (*check)(void *server, const uint64_t *counters, const struct effects *effects,
                  struct probes *probes, struct probe_report *report);

    /* After the run, when no worker executes statements: returns the plans of the statements, or NULL
     * if they were not asked for. May be NULL. */
    struct plans *(*plans)(void *server);

    /* Explanations of failures. */

    /* Called if many writes changed nothing, after all workers have left their events: returns
     * the likely cause, to be freed by the caller, or NULL if the cause is not known. */
    char *(*explain_no_ops)(void *self, const struct effects *effects);
    /* The run never began: logs possible reasons. */
    void (*explain_failure)(void *self);
    /* The run failed before its first event ended: returns true if the workload has logged what
     * was missing, so that the figures of the run would add nothing. */
    bool (*is_void)(void *self);
};

/* A workload as the report sees it. `ops` may be NULL. */
struct reported_workload {
    const struct workload_report *ops;
    void *self, *server;
};

#endif
