/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reports are made of: an interval while the run goes on, a summary of a part or of all of it.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "result/interval_rank.h"
#include "stats/snapshot.h"
#include "stats/stats.h"

struct probe_report;

/* One reporting interval: what was recorded in it, and how things stood at its end. */
struct interval {
    struct snapshot snapshot; /* warm-up and measured together */
    bool last;                /* the run ended with it */
    bool warmup;              /* most of it lay before the end of the warm-up */
    unsigned threads_running;
    uint64_t queue_length; /* requests that wait */
    uint64_t concurrency;  /* requests in service */
    double asked_per_s;    /* arrival rate asked for, the mean over the interval */
    /*
     * Little's law (audit.h): requests in the system, by integration and by the law, and how far
     * the two may differ. At an arrival rate.
     */
    double in_system, in_system_by_law, in_system_error;
    /* Of these, requests that wait and workers in an event: means over the interval. */
    double queue, busy;
    const struct probe_report *probes; /* what was watched meanwhile (probe.h); NULL: nothing */
    const struct interval_rank *rank;  /* what each rank had, `ranks` of them; 0: there are none */
    unsigned ranks;
};

/* What became of the requests of a run that has ended (measured phase). */
struct requests {
    uint64_t offered, completed, failed, dropped;
    int64_t arrivals_ns; /* the time in which they arrived: the measured part, up to its end */
    uint64_t queued;     /* unfinished: still waiting when the run ended */
    uint64_t in_service; /* unfinished: still being executed (forced shutdown) */
    int64_t oldest_ns;   /* age of the oldest unfinished one at the end; 0: none */
    uint64_t terminals;  /* that have sent the requests; 0: none */
    double age_sum_ns;   /* ages of all unfinished ones when the measured time ended */
};

/* The whole measured part, or one part between checkpoints. */
struct summary {
    /* Unfinished, failed and dropped requests are in it as censored values. */
    struct snapshot snapshot;
    struct requests requests; /* zero in the summary of a checkpoint */
    struct fairness fairness;
    int64_t elapsed_ns;      /* start of the measured part to the last event */
    const char *no_op_cause; /* why many writes changed nothing, as far as known; else NULL */
};

#endif
