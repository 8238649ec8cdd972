/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes snapshots of the statistics during a run, adds them up, and passes intervals and
 * checkpoints to the presenter. To be used by the controlling thread only.
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
#include "result/certain/until_watch.h"
#include "result/outage_watch.h"
#include "result/result.h"
#include "result/slo_judge.h"
#include "result/summary.h"
#include "run/wait_sampler.h"
#include "stats/certain/batch_series.h"
#include "stats/probe.h"
#include "stats/stats.h"

/*
 * The input of a reporter without stats: snapshots of other processes. The receiver of the
 * snapshots adds them here, and each collection empties the feed.
 */
struct reporter_feed {
    struct snapshot phase[PHASES];
    struct fairness fairness; /* fairness of the part that ends with a checkpoint */
    int64_t in_service_ns;    /* sum of reporter_in_service_ns() of the other processes */
};

/* All times are nanoseconds since the start of the run. */
struct reporter {
    const struct settings *settings;
    struct stats *stats;        /* NULL if there is a feed */
    struct reporter_feed *feed; /* NULL if there are stats */
    const struct presenter *presenter;
    /* Called with each snapshot that was drained; may be NULL. */
    void (*forward)(void *arg, enum phase phase, const struct snapshot *drained);
    void *forward_arg;
    struct probes *probes;          /* the run's samplers; NULL if the run has no samplers */
    struct generator *generator;    /* the run's generator; NULL in a closed loop */
    const struct worker_pool *pool; /* the run's workers; NULL in some tests */
    int64_t late_ns;                /* largest delay of the reporter's thread at a wake-up in the
                                       current window */
    int64_t measure_ns;             /* length of the warm-up */

    struct snapshot drained;     /* snapshot that was drained last */
    struct interval interval;    /* since the last interval line */
    struct snapshot part;        /* since the last checkpoint */
    struct snapshot total;       /* since the end of the warm-up */
    struct batch_series batches; /* response times since the end of the warm-up */
    struct until_watch until;    /* decides when --until is reached */
    int64_t part_from_ns;
    int64_t arrivals_end_ns; /* end of the arrivals; INT64_MAX if arrivals go on */
    struct audit audit;
    struct slo_watch watch;           /* checks objectives during the run */
    int64_t interval_in_system;       /* requests in the system at the start of the current
                                         interval */
    int64_t interval_in_service_ns;   /* sum of the times that events in service had taken at the
                                         start of the current interval */
    struct probe_report probed;       /* samples of the last interval */
    uint64_t counters[COUNTER_TYPES]; /* since the start of the run, warm-up included */
    uint64_t dropped;                 /* dropped requests since the start of the run, warm-up
                                         included */
    struct outage_watch *outages;     /* the run's outage watch; NULL if outages are not watched */
    struct wait_sampler *waits;      /* the run's sampler of waits; NULL if waits are not sampled */
    struct wait_moment waits_now;    /* as of the last reporter_waits() */
    struct wait_moment waits_before; /* at the start of the current interval */
    int64_t open_lag_ns, open_lag_before_ns; /* lag that is not recorded yet, at the end and at the
                                                start of the current interval */
};

/* `stats`, `presenter` and the presenter's settings must outlive the reporter. */
void reporter_init(struct reporter *r, struct stats *stats, const struct presenter *presenter);
void reporter_fini(struct reporter *r);

/* Notes that the controlling thread woke `late_ns` too late. In a closed loop, this is the lag of
 * the client. */
void reporter_woke(struct reporter *r, int64_t late_ns);

/* Ends the current interval at `now_ns` and reports it. */
void reporter_interval(struct reporter *r, int64_t now_ns, struct gauges gauges);

/* Ends the current interval at `now_ns` without a report, and returns its waits. */
struct wait_span reporter_interval_waits(struct reporter *r, int64_t now_ns);

/* Ends the current part at `now_ns` without a report. Returns how evenly the threads were used in
 * this part. */
struct fairness reporter_cut(struct reporter *r, int64_t now_ns);
/* Ends the current part at `now_ns`: reports it, and starts a new part. */
void reporter_checkpoint(struct reporter *r, int64_t now_ns);

/* Adds the records since the last call to interval, part and total. `now_ns` ends a window of the
 * audit. */
void reporter_collect(struct reporter *r, int64_t now_ns);
/* Adds only the sums that the audit needs, which is cheap, and leaves the rest to the next
 * reporter_collect(). `now_ns` ends a window of the audit. */
void reporter_audit(struct reporter *r, int64_t now_ns);

/*
 * Returns true if the run should end because of --slo-abort. To be called after reporter_collect().
 * `in_system` is the number of requests that wait or are in service.
 */
bool reporter_objectives_lost(struct reporter *r, int64_t now_ns, uint64_t in_system);

/* Returns true if the figures of --until are known as precisely as asked for. To be called at the
 * end of each window. */
bool reporter_is_precise(struct reporter *r, int64_t now_ns);
/* Logs how precisely the figures of --until are known, if there are any. `now_ns` is the end of the
 * run. */
void reporter_log_until(const struct reporter *r, int64_t now_ns);

/* Returns the samples of waits until now, in `waits_now`; NULL if waits are not sampled. */
const struct wait_moment *reporter_waits(struct reporter *r);

/* Returns the sum of the times that the events in service have taken until `now_ns`, in
 * nanoseconds. Detached events are not included. */
int64_t reporter_in_service_ns(const struct reporter *r, int64_t now_ns);

/* Returns true if the current interval has any records, or has lasted for at least `ns`. */
bool reporter_interval_pending(const struct reporter *r, int64_t now_ns, int64_t ns);

/*
 * These functions add measured requests that were not completed, so that only lower bounds of their
 * times are known (censored values).
 *
 * - reporter_add_waiting() adds `count` requests that never started. They were queued or dropped
 *   `age_ns` ago, which is a lower bound of their wait and response time.
 * - reporter_add_in_service() adds one request in service. Its wait for a worker is known; its wait
 *   for connections and its service time until now give lower bounds of these and of the response
 *   time.
 * - reporter_add_detached() adds one request that was set aside. All three times are lower bounds;
 *   that of the wait is 0.
 *
 * reporter_add_session() adds a session that was in progress for `age_ns` when the run ended.
 */
void reporter_add_waiting(struct reporter *r, int64_t age_ns, uint64_t count);
void reporter_add_in_service(struct reporter *r, int64_t wait_ns, int64_t connection_wait_ns,
                             int64_t service_ns);
void reporter_add_detached(struct reporter *r, int64_t age_ns, int64_t service_ns);
void reporter_add_session(struct reporter *r, int64_t age_ns);

/*
 * Fills in the summaries, the audit and the samples of *result, which then belong to the result;
 * the reporter must not be used after that. To be called at the end of the run, after the last
 * reporter_collect() and after the three functions above. `elapsed_ns` counts from the end of the
 * warm-up. May wait up to two seconds until the samplers have counted the last work of the run.
 */
void reporter_freeze(struct reporter *r, const struct requests *requests, int64_t elapsed_ns,
                     struct result *result);
/* Fills in only the samples of *result. */
void reporter_freeze_probes(const struct reporter *r, struct result *result);
/* Fills in the precision of the response times in result->total, which must be complete. */
void reporter_freeze_precision(const struct reporter *r, struct result *result);

#endif
