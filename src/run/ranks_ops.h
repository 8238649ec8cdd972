/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run takes part in a run on several ranks. The room ranks implements these operations twice:
 * for ranks that talk to each other while they run (team_ops), and for ranks that leave a spool in
 * their report for `sysrate merge` (node_ops). A run of one process has no operations at all.
 *
 * Only the controlling thread calls them.
 */
#ifndef RANKS_OPS_H
#define RANKS_OPS_H

#include "report/json/report_json.h"
#include "report/live/outputs.h"
#include "report/present.h"
#include "run/reporter.h"

/* The parts of the run that the operations work on. All of them outlive the object that create()
 * returns. */
struct ranks_context {
    const struct settings *settings; /* of this rank */
    const struct settings *whole;    /* of the run that all ranks make */
    struct reporter *reporter;
    const struct presenter *presenter;
    struct report_json *json; /* NULL if no report was asked for */
    struct outputs *outputs;
};

/* An operation is NULL if this way of taking part does not need it. */
struct ranks_ops {
    /* Joins the run, before its threads start; `arg` is that of `struct run_ranks`. Returns NULL if
     * the process takes no part. */
    void *(*create)(void *arg, const struct ranks_context *context);
    void (*destroy)(void *self);
    /* Passes the samplers of the run to the reporter whose results are presented. */
    void (*watch)(void *self, struct probes *probes);
    /*
     * To be called when all workers are ready. Returns when the run starts (CLOCK_MONOTONIC), a
     * moment in the near future, or −1 if the run does not start; some rank has logged the reason.
     */
    int64_t (*start)(void *self);
    /* Notes that the run starts at `start_ns` (CLOCK_MONOTONIC). Called before the first interval
     * begins. */
    void (*begin)(void *self, int64_t start_ns);
    /* Exchanges messages. gauges(arg) is called for each tick that is sent, and not otherwise. No
     * tick is sent at `end_ns` (CLOCK_MONOTONIC) or later. */
    void (*step)(void *self, struct gauges (*gauges)(void *arg), void *arg, int64_t end_ns);
    /* Returns when step() must be called again at the latest (CLOCK_MONOTONIC). */
    int64_t (*next_ns)(const void *self);
    /* Returns why other ranks want this run to end, or END_NONE. */
    enum end (*end)(const void *self);
    /* Notes that the run of this rank has ended for the reason `why`. */
    void (*ended)(void *self, enum end why);
    /* Sends the last tick. Called when the run of this rank has ended, `end_ns` after its start,
     * and all records were collected. */
    void (*last_tick)(void *self, struct gauges gauges, int64_t end_ns);
    /* Presents the result, or has rank 0 present it. Returns the exit code. */
    int (*report)(void *self, const struct result *result, struct report_json *json);
};

/* How a run takes part; `ops` is NULL in a run of one process. */
struct run_ranks {
    const struct ranks_ops *ops;
    void *arg;   /* of create() */
    bool silent; /* true if another rank presents the results of this rank */
};

#endif
