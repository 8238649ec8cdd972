/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_start.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "report/workload_report.h"
#include "run/run_deferred.h"
#include "run/run_outages.h"
#include "run/run_phases.h"
#include "run/start_wait.h"

static bool wait_until_ready(struct run *run)
{
    struct worker_pool *pool = &run->pool;
    int64_t deadline_ns = clock_now_ns() + run->settings->thread_init_timeout_ns;
    while (run_threads_missing(run) > 0) {
        if (interrupt_signal() != 0)
            return false;
        if (clock_now_ns() >= deadline_ns) {
            log_text(
                LOG_FATAL,
                "Worker threads failed to initialize within %.0f seconds! (%u of %u are ready)",
                ns_to_seconds(run->settings->thread_init_timeout_ns),
                pool->count + run->executors.count - run_threads_missing(run),
                pool->count + run->executors.count);
            atomic_store(&pool->failed, true);
            return false;
        }
        interrupt_wait(deadline_ns);
    }
    return !run_failed(run);
}

/* Returns the start of the run, which is now or very soon; −1 if the run does not start. */
static int64_t begin_ns(struct run *run)
{
    int64_t start_ns;
    if (run_in_team(run)) {
        start_ns = run->setup->ranks.ops->start(run->ranks);
        cpu_usage_begin(&run->cpu);
        return start_ns;
    }
    if (start_wait(run->settings, &start_ns) != 0)
        return -1;
    /* This takes milliseconds on a machine with many processors, and arrivals begin at start_ns. */
    cpu_usage_begin(&run->cpu);
    return run->settings->start_wall_ns != 0 ? start_ns : clock_now_ns();
}

/* Sets all times that depend on start_ns. */
static void set_times(struct run *run)
{
    const struct settings *settings = run->settings;
    struct worker_pool *pool = &run->pool;
    pool->start_ns = run->start_ns;
    pool->measure_ns = run->start_ns + settings->warmup_ns;
    run->end_ns =
        settings->time_ns > 0 ? clock_after_ns(pool->measure_ns, settings->time_ns) : INT64_MAX;
    pool->end_ns = run->end_ns;
    run->threads_ran = pool->count;
    pool->give_up_ns =
        run->queue != NULL ? clock_after_ns(run->end_ns, settings->drain_ns) : run->end_ns;
    run_deferred_begin(run);
    if (run->terminals != NULL)
        terminals_begin(run->terminals, run->start_ns, pool->measure_ns);
    inject_begin(run->inject, run->start_ns, pool->measure_ns);
    pool->spans = inject_spans(run->inject);
    run_phases_begin(run);
    if (run->exemplars != NULL)
        exemplars_begin(run->exemplars, run->start_ns, worker_pool_read_serving, pool);
    pool->observed = pool->spans != NULL || pool->phases != NULL || pool->waits != NULL ||
                     settings->policy.on || pool->workload.has_pool;
    run->next_window_ns = run->start_ns + run_window_ns(run);
    run_outages_begin(run, run_window_ns(run));
    if (settings->report_interval_ns > 0 && !run_in_team(run)) /* rank 0 reports the intervals */
        run->next_interval_ns = run->start_ns + settings->report_interval_ns;
}

static int start_generator(struct run *run)
{
    const struct settings *settings = run->settings;
    if (run->queue == NULL)
        return 0;
    struct generator_plan plan = {.queue = run->queue,
                                  .stats = run->pool.stats,
                                  .waits = run->waits,
                                  .start_ns = run->start_ns,
                                  .measure_ns = run->pool.measure_ns,
                                  .end_ns = run->end_ns,
                                  .events = settings->events,
                                  .settings = settings,
                                  .drop = settings->queue_full == QUEUE_FULL_DROP,
                                  .drain = settings->drain_ns > 0,
                                  .overlap = run->setup->workload.overlaps,
                                  .came = &run->pool.came,
                                  .notify = interrupt_notify};
    arrival_init(&plan.process, settings);
    const struct workload *workload = &run->setup->workload;
    if (workload->ops->next_ns != NULL)
        arrival_follow(&plan.process, workload->ops->next_ns, workload->self);
    run->generator = run->reporter.generator = generator_start(&plan);
    return run->generator != NULL ? 0 : -1;
}

static void add_setting(void *arg, const char *name, const char *value)
{
    report_json_setting(arg, name, value);
}

static void describe_server(const struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    workload->report->describe(workload->server, run->json != NULL ? add_setting : NULL, run->json);
}

/* Starts the samplers. The server is reachable, otherwise the workers would not be ready. */
static void start_watching(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    /* The first rank samples for all ranks. */
    if (workload->report->probes == NULL || run->settings->rank.number > 0)
        return;
    describe_server(run);
    run->probes = workload->report->probes(workload->server);
    if (run_in_team(run))
        run->setup->ranks.ops->watch(run->ranks, run->probes);
    else
        run->reporter.probes = run->probes;
    interrupt_mask();
    probes_start(run->probes);
    interrupt_unmask();
}

/* Returns true if an injection was due before the measured part and none during it. */
static bool injected_early_only(const struct run *run)
{
    const struct inject_plan *plan = &run->settings->inject;
    const int64_t warmup_ns = run->settings->warmup_ns, lasted_ns = run->ended_ns - run->start_ns;
    /* Actions are sorted by time. */
    if (plan->count == 0 || plan->actions[0].at_ns > warmup_ns)
        return false;
    for (unsigned i = 1; i < plan->count; i++)
        if (plan->actions[i].at_ns > warmup_ns && plan->actions[i].at_ns <= lasted_ns)
            return false;
    return true;
}

void run_describe_again(const struct run *run)
{
    if (!injected_early_only(run) || run->json == NULL ||
        run->setup->workload.report->probes == NULL || run->settings->rank.number > 0 ||
        interrupt_signal() != 0 || run->abandoned)
        return;
    describe_server(run);
}

static void start_wait_sampler(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    if (run->settings->wait_events <= 0)
        return;
    interrupt_mask();
    run->wait_sampler =
        wait_sampler_start(run->settings, run->waits, workload->ops->waits, workload->server);
    run->reporter.waits = run->wait_sampler;
    interrupt_unmask();
}

/* Returns true after logging a message if terminals are required and the script has not set their
 * number in thread_init. */
static bool lacks_terminals(const struct run *run)
{
    if (run->terminals == NULL || run->settings->sessions.on ||
        terminals_count(run->terminals) > 0)
        return false;
    log_text(LOG_FATAL, "--pacing=terminals: the test has no terminals (a script sets their "
                        "number with sysbench.terminals.populate() in thread_init)");
    return true;
}

/* Begins the run when all threads are ready. The caller then opens the gate. */
static int begin(struct run *run)
{
    run->start_ns = begin_ns(run);
    if (run->start_ns < 0)
        return -1;
    set_times(run);
    if (run->ranks != NULL && run->setup->ranks.ops->begin != NULL)
        run->setup->ranks.ops->begin(run->ranks, run->start_ns);
    probes_begin(run->probes, run->start_ns);
    interrupt_mask();
    const int status = start_generator(run);
    interrupt_unmask();
    clock_sleep_until_ns(run->start_ns);
    if (status != 0 || idle_pool_start(run->idle, run->pool.measure_ns) != 0)
        return -1;
    return run->staleness != NULL
               ? run->setup->workload.ops->staleness->begin(run->staleness, run->pool.measure_ns)
               : 0;
}

int run_start_threads(struct run *run)
{
    log_text(LOG_NOTICE, "Initializing worker threads...\n");
    interrupt_mask();
    bool ready = worker_pool_start(&run->pool) == 0 && run_deferred_start(run) == 0;
    interrupt_unmask();
    if (ready && wait_until_ready(run) && !lacks_terminals(run)) {
        start_watching(run);
        start_wait_sampler(run);
        /* Log this before scripts print, and before the clock starts, because the reader of the
         * output may be slow. */
        log_text(LOG_NOTICE, "Threads started!\n");
        if (run->settings->warmup_ns > 0)
            log_text(LOG_NOTICE, "Warming up for %.15g seconds...\n",
                     ns_to_seconds(run->settings->warmup_ns));
        ready = begin(run) == 0;
    } else {
        ready = false;
    }
    worker_pool_gate(&run->pool, ready ? GATE_OPEN : GATE_ABANDONED);
    run_deferred_gate(run, ready ? GATE_OPEN : GATE_ABANDONED);
    return ready ? 0 : -1;
}
