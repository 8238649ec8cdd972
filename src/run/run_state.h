/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one run: parts, times, reason of the end. To be used by the controlling thread. */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "base/clock.h"
#include "base/cpu.h"
#include "engine/generator.h"
#include "engine/queue.h"
#include "engine/worker.h"
#include "report/present.h"
#include "result/result.h"
#include "run/inject.h"
#include "run/reporter.h"
#include "run/run_setup.h"
#include "run/wait_sampler.h"
#include "stats/slow/exemplars.h"

struct run {
    const struct run_setup *setup;
    const struct settings *settings;
    struct worker_pool pool;
    struct worker_pool executors; /* threads for deferred work (run_deferred.h); may be empty */
    struct queue *queue;          /* NULL in a closed loop */
    struct generator *generator;  /* NULL in a closed loop */
    struct terminals *terminals;  /* NULL if terminals do not send the requests */
    struct presenter presenter;
    struct presenter silent; /* used by a rank whose results rank 0 presents */
    struct outputs no_outputs;
    struct reporter reporter;
    void *ranks;              /* object made by setup->ranks.ops; NULL in a run of one process */
    struct report_json *json; /* NULL if not asked for */
    struct outputs outputs;
    struct probes *probes; /* NULL if the run has no samplers */
    struct idle_pool *idle; /* NULL if there are no idle connections */
    void *staleness; /* of the workload's staleness_source; NULL if it is not measured */
    struct inject *inject; /* NULL if the run has no injections */
    struct outage_watch *outages;
    struct waits *waits;               /* NULL if waits and slow requests are not recorded */
    struct exemplars *exemplars;       /* NULL if slow requests are not recorded */
    struct wait_sampler *wait_sampler; /* NULL if waits are not sampled */

    int64_t start_ns;         /* CLOCK_MONOTONIC, like all times here */
    int64_t end_ns;           /* when arrivals stop; INT64_MAX if there is no limit */
    int64_t next_interval_ns; /* INT64_MAX if this process reports no intervals */
    int64_t next_window_ns;   /* end of the audit's window; INT64_MAX after the end of the run */
    struct cpu_usage cpu;     /* CPU use since the start */
    unsigned next_checkpoint;
    unsigned threads_ran; /* number of workers in their run loop at the last interval line */
    enum end end;
    int64_t ended_ns; /* end of the run: end of the arrivals, or, in a closed loop, when `end`
                         was decided */
    bool slo_lost;    /* the run must end because of --slo-abort */
    bool until_reached; /* the run must end because of --until */
    bool abandoned;   /* stuck workers were left alone */
    bool inject_left; /* a stuck injection was left alone */
    bool waits_left;  /* a sampler that waits for its server was left alone */
};

/* Returns the length of the audit's windows: about 1/200 of the run, at least 50 ms, and at most
 * half a second, so that a stall of two seconds covers three windows. */
static inline int64_t run_window_ns(const struct run *run)
{
    int64_t longest_ns = NS_PER_SEC / 2;
    if (run->end_ns == INT64_MAX)
        return longest_ns;
    return max_i64(NS_PER_SEC / 20, min_i64(longest_ns, (run->end_ns - run->start_ns) / 200));
}

/* True if the workload has failed. */
static inline bool run_failed(const struct run *run)
{
    return atomic_load(&run->pool.failed) || atomic_load(&run->executors.failed);
}

/* Returns how many threads of the workload have not ended yet. */
static inline unsigned run_threads_left(const struct run *run)
{
    return run->pool.count - atomic_load(&run->pool.exited) + run->executors.count -
           atomic_load(&run->executors.exited);
}

/* Returns how many threads of the workload are not ready yet. */
static inline unsigned run_threads_missing(const struct run *run)
{
    return run->pool.count - atomic_load(&run->pool.ready) + run->executors.count -
           atomic_load(&run->executors.ready);
}

/* True if this process presents the run: it is the only one, or rank 0. */
static inline bool run_presents(const struct run *run)
{
    return !run->setup->ranks.silent;
}

/* True if ranks talk to each other during the run, and rank 0 presents all of them. */
static inline bool run_in_team(const struct run *run)
{
    return run->setup->ranks.ops != NULL && run->setup->ranks.ops->step != NULL;
}

/* Returns how many requests have arrived and wait, for a worker or for something else. Requests
 * that are in the queue but have not arrived are not counted. */
static inline uint64_t run_queued(const struct run *run)
{
    if (run->generator == NULL)
        return 0;
    uint64_t to_come = generator_settle(run->generator);
    uint64_t length = queue_length(run->queue);
    return length - (length < to_come ? length : to_come) + atomic_load(&run->pool.parked);
}

/*
 * For use after the end of the run. run_drains() returns true if waiting requests are still started
 * (--drain). run_drained_ns() and run_deferred_drained_ns() return until when requests and deferred
 * work are still started (CLOCK_MONOTONIC); this is the end of the run if they are not.
 */
static inline bool run_drains(const struct run *run)
{
    return run->queue != NULL && (run->end == END_TIME || run->end == END_UNTIL) &&
           run->settings->drain_ns > 0;
}

static inline int64_t run_drained_ns(const struct run *run)
{
    return run_drains(run) ? clock_after_ns(run->end == END_UNTIL ? run->ended_ns : run->end_ns,
                                              run->settings->drain_ns)
                             : run->ended_ns;
}

static inline int64_t run_deferred_drained_ns(const struct run *run)
{
    const bool drains = run->pool.deferred != NULL &&
                        (run->end == END_TIME || run->end == END_EVENTS || run->end == END_SCRIPT ||
                         run->end == END_UNTIL);
    return drains ? clock_after_ns(run->ended_ns, run->settings->drain_ns) : run->ended_ns;
}

/* Returns until when anything is still started (CLOCK_MONOTONIC). */
static inline int64_t run_all_drained_ns(const struct run *run)
{
    return max_i64(run_drained_ns(run), run_deferred_drained_ns(run));
}

/* Returns how many sessions are in progress. */
static inline uint64_t run_sessions(const struct run *run)
{
    return run->settings->sessions.on
               ? terminals_sessions_in_progress(run->terminals, min_i64(clock_now_ns(), run->end_ns))
               : 0;
}

/* Returns the present state of the run, for interval lines. */
static inline struct gauges run_gauges(const struct run *run)
{
    const struct idle_counts idle = idle_pool_counts(run->idle);
    return (struct gauges){.threads_running = atomic_load(&run->pool.running),
                           .queue_length = run_queued(run),
                           .concurrency = worker_pool_serving(&run->pool),
                           .sessions = run_sessions(run),
                           .idle_wanted = idle.wanted,
                           .idle_open = idle.open};
}

#endif
