/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one run: its parts, its times, how it ended. The controlling thread's. */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "base/cpu.h"
#include "engine/generator.h"
#include "engine/queue.h"
#include "engine/worker.h"
#include "run/inject.h"
#include "run/present.h"
#include "run/reporter.h"
#include "run/result.h"
#include "run/run_setup.h"

struct run {
    const struct run_setup *setup;
    const struct settings *settings;
    struct worker_pool pool;
    struct queue *queue;         /* NULL: closed loop */
    struct generator *generator; /* NULL: closed loop */
    struct presenter presenter;
    struct reporter reporter;
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

/* How things stand, for interval lines. */
static inline struct gauges run_gauges(const struct run *run)
{
    return (struct gauges){.threads_running = atomic_load(&run->pool.running),
                           .queue_length = run->queue != NULL ? queue_length(run->queue) : 0,
                           .concurrency = worker_pool_serving(&run->pool)};
}

#endif
