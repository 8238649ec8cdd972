/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one run: its parts, its times, how it ended. The controlling thread's. */
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

struct run {
    const struct run_setup *setup;
    const struct settings *settings;
    struct worker_pool pool;
    struct worker_pool executors; /* of deferred work (run_deferred.h); may have none */
    struct queue *queue;          /* NULL: closed loop */
    struct generator *generator;  /* NULL: closed loop */
    struct terminals *terminals;  /* NULL: they do not send the requests */
    struct presenter presenter;
    struct presenter silent; /* of a rank: rank 0 presents for all */
    struct outputs no_outputs;
    struct reporter reporter;
    void *ranks;              /* of setup->ranks; NULL in a run of one process */
    struct report_json *json; /* NULL: not asked for */
    struct outputs outputs;
    struct probes *probes; /* NULL: nothing is watched */
    struct inject *inject; /* NULL: not asked for */
    struct outage_watch *outages;

    int64_t start_ns;         /* all times: CLOCK_MONOTONIC */
    int64_t end_ns;           /* arrivals stop; INT64_MAX: no limit */
    int64_t next_interval_ns; /* INT64_MAX: none */
    int64_t next_window_ns;   /* of the audit; INT64_MAX: none */
    struct cpu_usage cpu;     /* since the start */
    unsigned next_checkpoint;
    unsigned threads_ran; /* workers in their run loop at the last interval line */
    enum end end;
    int64_t ended_ns; /* when `end` was decided */
    bool slo_lost;    /* --slo-abort ends it */
    bool abandoned;   /* workers were left stuck */
    bool inject_left; /* an injection was */
};

/* How often the audit looks: some 200 times in a run, but neither in a rush nor less than twice a
 * second, so that a stall of two seconds covers three windows. */
static inline int64_t run_window_ns(const struct run *run)
{
    int64_t longest_ns = NS_PER_SEC / 2;
    if (run->end_ns == INT64_MAX)
        return longest_ns;
    return max_i64(NS_PER_SEC / 20, min_i64(longest_ns, (run->end_ns - run->start_ns) / 200));
}

/* Whether the workload has failed. */
static inline bool run_failed(const struct run *run)
{
    return atomic_load(&run->pool.failed) || atomic_load(&run->executors.failed);
}

/* Threads of the workload that have not left yet. */
static inline unsigned run_threads_left(const struct run *run)
{
    return run->pool.count - atomic_load(&run->pool.exited) + run->executors.count -
           atomic_load(&run->executors.exited);
}

/* Threads of the workload that are not ready yet. */
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

/* Requests that have arrived and wait, for a worker or for something else. Some may be in the queue
 * that have not arrived. */
static inline uint64_t run_queued(const struct run *run)
{
    if (run->generator == NULL)
        return 0;
    uint64_t to_come = generator_settle(run->generator);
    uint64_t length = queue_length(run->queue);
    return length - (length < to_come ? length : to_come) + atomic_load(&run->pool.parked);
}

/*
 * The run has ended: until when requests that wait are still begun, and until when deferred work
 * is, as --drain says. Where they are not, that is when the run ended. CLOCK_MONOTONIC.
 */
static inline bool run_drains(const struct run *run)
{
    return run->queue != NULL && run->end == END_TIME && run->settings->drain_ns > 0;
}

static inline int64_t run_drained_ns(const struct run *run)
{
    return run_drains(run) ? clock_after_ns(run->end_ns, run->settings->drain_ns) : run->ended_ns;
}

static inline int64_t run_deferred_drained_ns(const struct run *run)
{
    const bool drains = run->pool.deferred != NULL &&
                        (run->end == END_TIME || run->end == END_EVENTS || run->end == END_SCRIPT);
    return drains ? clock_after_ns(run->ended_ns, run->settings->drain_ns) : run->ended_ns;
}

/* Until when anything is. */
static inline int64_t run_all_drained_ns(const struct run *run)
{
    return max_i64(run_drained_ns(run), run_deferred_drained_ns(run));
}

/* How things stand, for interval lines. */
static inline struct gauges run_gauges(const struct run *run)
{
    return (struct gauges){.threads_running = atomic_load(&run->pool.running),
                           .queue_length = run_queued(run),
                           .concurrency = worker_pool_serving(&run->pool)};
}

#endif
