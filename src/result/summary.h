/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of reports: an interval of a run in progress, and a summary of a part of the run or
 * of all of it.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "result/certain/precision.h"
#include "result/waits/wait_span.h"
#include "stats/snapshot.h"
#include "stats/stats.h"

struct probe_report;

/*
 * The figures of one rank in an interval, if a run has several ranks. Reports draw a line per rank
 * from them. All other figures of an interval are sums over the ranks.
 */
struct interval_rank {
    unsigned number; /* number of the rank, from 0 on */
    bool known;      /* true if the rank has sent records of the interval */
    uint64_t completed;
    struct distribution response;
};

/* Returns an array of `count` empty elements, numbered from 0. */
struct interval_rank *interval_ranks_create(unsigned count);
void interval_ranks_destroy(struct interval_rank *ranks, unsigned count);

/* Adds records of a rank for the interval or a part of it. */
void interval_rank_add(struct interval_rank *rank, const struct snapshot *recorded);
/* Clears all elements for the next interval. */
void interval_ranks_reset(struct interval_rank *ranks, unsigned count);

/* One report interval: its records, and the state at its end. */
struct interval {
    struct snapshot snapshot; /* warm-up and measured part together */
    bool last;                /* true if the run ended in this interval */
    bool warmup;              /* true if most of the interval was before the end of the warm-up */
    unsigned threads_running;
    uint64_t queue_length; /* number of waiting requests */
    uint64_t concurrency;  /* number of requests in service */
    uint64_t sessions;     /* number of sessions in progress */
    uint64_t idle_open;    /* number of open idle connections */
    double asked_per_s;    /* mean arrival rate asked for during the interval */
    /* Little's law (audit.h), at an arrival rate only: requests in the system by integration and by
     * the law, and how far the two may differ. */
    double in_system, in_system_by_law, in_system_error;
    /* Mean numbers of waiting requests and of workers in an event, over the interval. */
    double queue, busy;
    /* Samples of the interval (probe.h); NULL if nothing is sampled. */
    const struct probe_report *probes;
    struct wait_span waits;           /* `names` is NULL if waits are not sampled */
    const struct interval_rank *rank; /* figures of each rank: an array of `ranks` elements */
    unsigned ranks;
};

/* The sessions of a run that has ended; all 0 if it had none. Sessions that began during the
 * warm-up count in `earlier` and `mean` only. Durations are in the snapshot (METRIC_SESSION). */
struct session_totals {
    uint64_t begun, ended, in_progress; /* begun = ended + in_progress at the end of the run */
    uint64_t earlier; /* number of sessions of the warm-up that were in progress at the end */
    double mean;      /* mean number of sessions in progress, over the measured time */
};

/* The requests of a run that has ended, by outcome (measured part only). */
struct requests {
    uint64_t offered, completed, failed, dropped;
    /* Duration of the arrivals: from the start of the measured part to the end of the run. */
    int64_t arrivals_ns;
    uint64_t queued; /* unfinished requests that were waiting when the run ended */
    /* Unfinished requests that were in service when the run ended (forced shutdown). */
    uint64_t in_service;
    int64_t oldest_ns; /* age of the oldest unfinished request at the end; 0 if all have finished */
    /* Number of terminals that sent the requests; 0 if the workload has no terminals. */
    uint64_t terminals;
    struct session_totals sessions;
    double age_sum_ns; /* sum of the ages of all unfinished requests when the measured time ended */
};

/* The whole measured part, or the part between two checkpoints. */
struct summary {
    /* Unfinished, failed and dropped requests count as censored values. */
    struct snapshot snapshot;
    struct requests requests; /* numbers of requests; all 0 in the summary of a checkpoint */
    struct fairness fairness;
    int64_t elapsed_ns;      /* from the start of the measured part to the last event */
    struct precision precision; /* of the response times; of the whole measured part only */
    const char *no_op_cause; /* why many writes changed nothing, if known; else NULL */
};

#endif
