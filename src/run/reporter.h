/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes snapshots while a run goes on, adds them up, and hands intervals and checkpoints to who
 * presents them. Used by the thread that controls the run, by no other.
 */
#ifndef REPORTER_H
#define REPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/generator.h"
#include "engine/worker.h"
#include "engine/workload.h"
#include "options/settings.h"
#include "report/live/output.h"
#include "report/present.h"
#include "result/audit.h"
#include "result/outage_watch.h"
#include "result/result.h"
#include "result/slo_judge.h"
#include "result/summary.h"
#include "stats/probe.h"
#include "stats/stats.h"

/*
 * What other processes have recorded, for a reporter that has no stats of its own: whoever fills it
 * in adds to it, and each collection takes it all.
 */
struct reporter_feed {
    struct snapshot phase[PHASES];
    struct fairness fairness; /* of the part that a checkpoint ends */
};

/* All times in it count from the start of the run. */
struct reporter {
    const struct settings *settings;
    struct stats *stats;        /* NULL: there is a feed */
    struct reporter_feed *feed; /* NULL: there are stats */
    const struct presenter *presenter;
    /* Also gets what is taken each time; NULL: nobody does. */
    void (*forward)(void *arg, enum phase phase, const struct snapshot *drained);
    void *forward_arg;
    struct probes *probes;          /* the run's; NULL: nothing is watched */
    struct generator *generator;    /* the run's; NULL: closed loop */
    const struct worker_pool *pool; /* the run's; NULL: nobody works (tests) */
    int64_t late_ns;                /* how late the reporter itself woke, since the last window */
    int64_t measure_ns;             /* length of the warm-up */

    struct snapshot drained;  /* what was taken last */
    struct interval interval; /* since the last interval line */
    struct snapshot part;     /* since the last checkpoint */
    struct snapshot total;    /* since the end of the warm-up */
    int64_t part_from_ns;
    int64_t arrivals_end_ns; /* INT64_MAX: they have not ended */
    struct audit audit;
    struct slo_watch watch;           /* while the run goes on */
    int64_t interval_in_system;       /* when the current interval began */
    int64_t interval_in_service_ns;   /* then: what the events that went on had taken */
    struct probe_report probed;       /* over the last interval */
    uint64_t counters[COUNTER_TYPES]; /* since the start of the run, warm-up included */
    uint64_t dropped;                 /* likewise */
    struct outage_watch *outages;     /* the run's; NULL: nobody looks for outages */
};

/* `stats` and `presenter` must outlive it, and the presenter's settings. */
void reporter_init(struct reporter *r, struct stats *stats, const struct presenter *presenter);
void reporter_fini(struct reporter *r);

/* The thread that controls the run woke so late: in a closed loop, that is how late the client is.
 */
void reporter_woke(struct reporter *r, int64_t late_ns);

/* Ends the current interval at `now_ns` and reports it. */
void reporter_interval(struct reporter *r, int64_t now_ns, struct gauges gauges);

/* Ends the current part at `now_ns`, unreported. Returns how evenly threads were used in it. */
struct fairness reporter_cut(struct reporter *r, int64_t now_ns);
/* Ends the current part at `now_ns`: a full report, and a new start. */
void reporter_checkpoint(struct reporter *r, int64_t now_ns);

/* Adds what was recorded since the last call to interval, part and total; `now_ns` ends a window of
 * the audit. */
void reporter_collect(struct reporter *r, int64_t now_ns);
/* Adds what the audit needs, at little cost, and leaves the rest to the next reporter_collect();
 * `now_ns` ends a window of the audit. */
void reporter_audit(struct reporter *r, int64_t now_ns);

/*
 * After reporter_collect(): whether --slo-abort says that the run should end. `in_system`: requests
 * that wait or are in service.
 */
bool reporter_objectives_lost(struct reporter *r, int64_t now_ns, uint64_t in_system);

/* Whether the current interval holds anything, or has lasted for `ns` at least. */
bool reporter_interval_pending(const struct reporter *r, int64_t now_ns, int64_t ns);

/*
 * Measured requests that were not completed, of which only lower bounds are known.
 * reporter_add_waiting(): `count` requests that never started; they were queued or dropped `age_ns`
 * ago, which bounds their wait and response time. reporter_add_in_service(): one request in
 * service, whose wait is known; its service and response time are bounded.
 * reporter_add_detached(): one request that was set aside; all three times are bounded, the wait by
 * 0.
 */
void reporter_add_waiting(struct reporter *r, int64_t age_ns, uint64_t count);
void reporter_add_in_service(struct reporter *r, int64_t wait_ns, int64_t service_ns);
void reporter_add_detached(struct reporter *r, int64_t age_ns, int64_t service_ns);

/*
 * The run has ended, and reporter_collect() and the two above have had all of it: fills the
 * summaries, the audit and what was watched of *result. They are the result's from then on, and the
 * reporter is of no more use. `elapsed_ns` counts from the end of the warm-up. May wait for two
 * seconds, until those that were watched have counted what was done last.
 */
void reporter_freeze(struct reporter *r, const struct requests *requests, int64_t elapsed_ns,
                     struct result *result);
/* The part of it that fills in what was watched. */
void reporter_freeze_probes(const struct reporter *r, struct result *result);

#endif
