/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "report/json/report_json_value.h"
#include "report/workload_report.h"
#include "run/run_deferred.h"
#include "run/run_end.h"
#include "run/run_outages.h"
#include "run/run_phases.h"
#include "run/run_start.h"
#include "run/run_state.h"

/* How often to log that the run still waits for workers. */
#define WAIT_NOTICE_NS (5 * NS_PER_SEC)
/* How long requests in service may take after Ctrl-C, unless --forced-shutdown is given. */
#define INTERRUPT_GRACE_NS (5 * NS_PER_SEC)

/* Adds for example "server.work_mem" to the configuration, as a number if the value is one. */
static void add_server_settings(struct report_json *json, char *const *setting)
{
    for (; setting != NULL && *setting != NULL; setting++) {
        const char *value = strchr(*setting, '=') + 1;
        char *name, *end;
        const double number = strtod(value, &end);
        const bool plain = strspn(value, "0123456789.") == strlen(value) && *end == '\0';
        if (asprintf(&name, "server.%.*s", (int)(value - 1 - *setting), *setting) < 0)
            name = checked_alloc(NULL);
        report_json_add_config(json, name, plain ? value_real(number) : value_text(value));
        free(name);
    }
}

static void add_config(void *arg, const struct option_spec *row, const struct option_value *value)
{
    if (strcmp(row->name, "server-setting") == 0)
        add_server_settings(arg, value->list);
    else
        report_json_config(arg, row->name, row, value);
}

static void create_json(struct run *run)
{
    const struct run_setup *setup = run->setup;
    const struct settings *whole = setup->whole;
    if (whole->json_path == NULL && whole->html_path == NULL && whole->archive_path == NULL &&
        whole->report_format != REPORT_FORMAT_JSON)
        return;
    char started[32];
    clock_iso8601(started, sizeof(started));
    struct report_json_run names = {.version = setup->version,
                                    .test = setup->test,
                                    .command = setup->command,
                                    .started = started};
    run->json = report_json_create(&names, whole);
    options_each(run->setup->options, add_config, run->json);
}

/*
 * Warns about given options of arrival rates and queues if the run has no arrival rate or no queue.
 */
static void warn_of_options(const struct run *run)
{
    static const struct {
        const char *name;
        bool deferred; /* also applies to deferred work */
    } row[] = {
        {"drain", true},      {"queue-full", true}, {"arrival-wait", false},
        {"queue-size", true}, {"arrival", false},   {"burst", false},
    };
    /* The last three also apply to sessions. */
    const size_t rows = ARRAY_SIZE(row) - (run->settings->sessions.on ? 3 : 0);
    for (size_t i = 0; run->queue == NULL && i < rows; i++)
        if (options_get(run->setup->options, row[i].name)->given &&
            !(row[i].deferred && run->pool.deferred != NULL))
            log_text(LOG_WARNING, "--%s has no effect without an arrival rate (--tx-rate)",
                     options_typed(run->setup->options, row[i].name));
}

/* The length of the spans for each of which a few requests are kept. */
static int64_t exemplar_span_ns(const struct settings *settings)
{
    return settings->report_interval_ns > 0 ? settings->report_interval_ns : NS_PER_SEC;
}

static void create_waits(struct run *run)
{
    const struct settings *settings = run->settings;
    const unsigned workers = (unsigned)settings->threads;
    if (settings->wait_events <= 0 && settings->slowest == 0)
        return;
    if (settings->slowest > 0)
        run->exemplars = exemplars_create(workers, (unsigned)settings->slowest,
                                          exemplar_span_ns(settings), settings->rand.seed);
    run->waits = run->pool.waits = waits_create(workers + run_deferred_threads(run->setup));
    waits_set_serving(run->waits, worker_pool_read_serving, &run->pool);
    waits_set_exemplars(run->waits, run->exemplars);
    stats_set_waits(run->pool.stats, run->waits, run->exemplars);
}

static void create_terminals(struct run *run)
{
    const struct settings *settings = run->settings;
    if (settings->sessions.on) {
        run->terminals = terminals_create_sessions(settings);
        stats_add_sessions(run->pool.stats);
    } else if (settings->terminals) {
        run->terminals = terminals_create(settings->rand.seed, &settings->rank);
    }
    run->pool.terminals = run->terminals;
}

static struct run *run_create(const struct run_setup *setup)
{
    const struct settings *settings = setup->settings;
    struct run *run = checked_alloc(aligned_alloc(_Alignof(struct run), sizeof(*run)));
    bool timed = settings->rate > 0;
    *run = (struct run){.setup = setup, .settings = settings, .next_interval_ns = INT64_MAX};
    run->queue = timed ? queue_create((uint32_t)settings->queue_size) : NULL;
    run->pool = (struct worker_pool){.settings = settings,
                                     .workload = setup->workload,
                                     .stats = stats_create_with((unsigned)settings->threads,
                                                                run_deferred_threads(setup),
                                                                timed || settings->terminals),
                                     .queue = run->queue,
                                     .notify = interrupt_notify};
    if (settings->request_log_path != NULL)
        run->pool.log = request_log_create((unsigned)settings->threads);
    create_waits(run);
    create_terminals(run);
    if (setup->workload.has_pool)
        stats_add_connection_waits(run->pool.stats);
    run_deferred_init(run);
    warn_of_options(run);
    create_json(run);
    const struct reported_workload reported = {
        setup->workload.report, setup->workload.self, setup->workload.server};
    run->presenter = presenter_of(setup->whole, reported, run->json, &run->outputs);
    run->silent = (struct presenter){.settings = settings, .outputs = &run->no_outputs};
    reporter_init(&run->reporter, run->pool.stats,
                  run_in_team(run) ? &run->silent : &run->presenter);
    run->reporter.pool = &run->pool;
    return run;
}

static void run_destroy(struct run *run)
{
    generator_destroy(run->generator);
    probes_destroy(run->probes);
    wait_sampler_destroy(run->wait_sampler);
    inject_destroy(run->inject);
    idle_pool_destroy(run->idle);
    run_end_staleness(run);
    run_phases_fini(run);
    reporter_fini(&run->reporter);
    if (run->ranks != NULL)
        run->setup->ranks.ops->destroy(run->ranks);
    outage_watch_destroy(run->outages);
    report_json_destroy(run->json);
    stats_destroy(run->pool.stats);
    waits_destroy(run->waits);
    exemplars_destroy(run->exemplars);
    request_log_destroy(run->pool.log);
    run_deferred_fini(run);
    terminals_destroy(run->terminals);
    queue_destroy(run->queue);
    free(run);
}

/* During the run: intervals and checkpoints. */

static int64_t next_checkpoint_ns(const struct run *run)
{
    if (run->next_checkpoint == run->settings->checkpoints)
        return INT64_MAX;
    int64_t at_ns = run->start_ns + run->settings->checkpoint_ns[run->next_checkpoint];
    /* A checkpoint at the end of the run is replaced by the final report. */
    return at_ns < run->end_ns ? at_ns : INT64_MAX;
}

/* True if the next interval ends with the run. It also contains the requests in service at that
 * time, so run_report_end() reports it. */
static bool ends_with_run(const struct run *run)
{
    return run->next_interval_ns == run->end_ns && run->settings->drain_ns == 0;
}

/* Workers that have ended since the last line are counted as running, because they ran in this
 * interval. */
static struct gauges interval_gauges(struct run *run)
{
    struct gauges gauges = run_gauges(run);
    unsigned running = gauges.threads_running;
    gauges.threads_running = run->threads_ran;
    run->threads_ran = running;
    return gauges;
}

/* Prints one line for all intervals that have passed, usually one. The times of later lines do not
 * change. */
static void report_due_interval(struct run *run, int64_t now_ns)
{
    if (now_ns < run->next_interval_ns || ends_with_run(run))
        return;
    reporter_interval(&run->reporter, now_ns - run->start_ns, interval_gauges(run));
    while (run->next_interval_ns <= now_ns)
        run->next_interval_ns += run->settings->report_interval_ns;
}

static void report_due_checkpoints(struct run *run, int64_t now_ns)
{
    if (now_ns < next_checkpoint_ns(run))
        return;
    reporter_checkpoint(&run->reporter, now_ns - run->start_ns);
    while (now_ns >= next_checkpoint_ns(run))
        run->next_checkpoint++;
}

/* Updates the outputs and the objectives within an interval. */
static void update_watchers(struct run *run, int64_t at_ns)
{
    struct gauges gauges = run_gauges(run);
    reporter_collect(&run->reporter, at_ns);
    gauges.waits = reporter_waits(&run->reporter);
    outputs_update(&run->outputs, gauges);
    run->slo_lost =
        reporter_objectives_lost(&run->reporter, at_ns, gauges.queue_length + gauges.concurrency);
}

/* True if an output or an objective needs records within an interval. */
static bool is_watched(const struct run *run)
{
    if (run_in_team(run))
        return false; /* rank 0 gets its records from all ranks */
    return run->settings->slo_abort_ns >= 0 || outputs_want_updates(&run->outputs);
}

static void end_due_window(struct run *run, int64_t now_ns)
{
    if (now_ns < run->next_window_ns || now_ns >= run->end_ns)
        return;
    int64_t at_ns = now_ns - run->start_ns;
    run->next_window_ns = now_ns + run_window_ns(run);
    if (is_watched(run))
        update_watchers(run, at_ns);
    else if (outage_watch_wants_times(run->outages, at_ns) ||
             batch_series_due(&run->reporter.batches, at_ns))
        reporter_collect(&run->reporter, at_ns);
    else
        reporter_audit(&run->reporter, at_ns);
    run->until_reached = run->until_reached || reporter_is_precise(&run->reporter, at_ns);
    run_outages_look(run, at_ns);
    if (outputs_want_looks(&run->outputs))
        outputs_look(&run->outputs, run_gauges(run), at_ns);
}

/* Ticks are sent before this time only; the tick at the end of the run is sent as the last one. */
static int64_t last_tick_ns(const struct run *run)
{
    return run->settings->drain_ns == 0 ? run->end_ns : INT64_MAX;
}

static struct gauges gauges_of(void *run)
{
    return run_gauges(run);
}

static void report_due(struct run *run)
{
    int64_t now_ns = clock_now_ns();
    end_due_window(run, now_ns);
    if (run_in_team(run))
        run->setup->ranks.ops->step(run->ranks, gauges_of, run, last_tick_ns(run));
    report_due_interval(run, now_ns);
    report_due_checkpoints(run, now_ns);
    if (present_wants_end(&run->presenter))
        atomic_store(&run->pool.failed, true);
    inject_step(run->inject, now_ns);
}

static int64_t next_report_ns(const struct run *run)
{
    int64_t tick_ns = run_in_team(run) ? run->setup->ranks.ops->next_ns(run->ranks) : INT64_MAX;
    int64_t interval_ns = ends_with_run(run) ? INT64_MAX : run->next_interval_ns;
    int64_t window_end_ns = run->next_window_ns < run->end_ns ? run->next_window_ns : INT64_MAX;
    return min_i64(min_i64(interval_ns, window_end_ns),
                   min_i64(next_checkpoint_ns(run), tick_ns));
}

/* The end. */

static bool has_overflowed(const struct run *run)
{
    return run->generator != NULL ? generator_overflowed(run->generator)
                                  : run->terminals != NULL && terminals_overflowed(run->terminals);
}

/* Returns why the run should end now, or END_NONE. */
static enum end check_end(const struct run *run)
{
    const struct worker_pool *pool = &run->pool;
    if (run_failed(run))
        return END_ERROR;
    if (has_overflowed(run))
        return END_QUEUE_FULL;
    if (interrupt_signal() != 0)
        return END_SIGNAL;
    if (run_in_team(run) && run->setup->ranks.ops->end(run->ranks) != END_NONE)
        return run->setup->ranks.ops->end(run->ranks);
    if (atomic_load(&pool->left) == pool->count)
        return END_SCRIPT;
    if (run->slo_lost)
        return END_SLO;
    if (clock_now_ns() >= run->end_ns)
        return END_TIME;
    if (run->until_reached)
        return END_UNTIL;
    return atomic_load(&pool->exited) == pool->count ? END_EVENTS : END_NONE;
}

/* Ends the arrivals and sets the end of the run. */
static void end_arrivals(struct run *run)
{
    run->ended_ns = min_i64(clock_now_ns(), run->end_ns);
    if (run->generator == NULL)
        return;
    generator_stop(run->generator);
    generator_join(run->generator);
    run->ended_ns = generator_end_ns(run->generator);
    run->reporter.arrivals_end_ns = run->ended_ns - run->start_ns;
}

/* Ends the last window of the audit at the end of the run. */
static void end_windows(struct run *run)
{
    const int64_t at_ns = run->ended_ns - run->start_ns;
    reporter_audit(&run->reporter, at_ns);
    run_outages_look(run, at_ns);
    run->next_window_ns = INT64_MAX;
}

/* Stops intervals and checkpoints: later records belong to the last interval and to the final
 * report. */
static void end_reports(struct run *run)
{
    run->next_interval_ns = INT64_MAX;
    run->next_checkpoint = run->settings->checkpoints;
}

/* Sleeps until `due_ns` or until a notification. */
static void sleep_until(struct run *run, int64_t due_ns)
{
    const int64_t from_ns = clock_now_ns();
    interrupt_wait(due_ns);
    reporter_woke(&run->reporter, clock_now_ns() - max_i64(from_ns, due_ns));
}

static void run_until_end(struct run *run)
{
    while ((run->end = check_end(run)) == END_NONE) {
        sleep_until(
            run, min_i64(min_i64(next_report_ns(run), inject_next_ns(run->inject)), run->end_ns));
        report_due(run);
    }
    end_arrivals(run);
    if (run_in_team(run))
        run->setup->ranks.ops->ended(run->ranks, run->end);
    end_windows(run);
    if (run->end == END_UNTIL || run->end == END_TIME)
        reporter_log_until(&run->reporter, run->ended_ns - run->start_ns);
}

/* Returns how long workers may still take after the last event was started. In a team, a signal may
 * come from a launcher, which kills its processes one second later. */
static int64_t grace_ns(const struct run *run)
{
    if (run_in_team(run) && run->end == END_SIGNAL)
        return NS_PER_SEC / 2;
    if (run->settings->forced_shutdown_ns >= 0)
        return run->settings->forced_shutdown_ns;
    return run->end == END_SIGNAL ? INTERRUPT_GRACE_NS : INT64_MAX;
}

/* Returns when the grace time of the workers begins. If the events or the script ended the run
 * before the --time limit, it begins at this limit, as in sysbench. */
static int64_t shutdown_from_ns(const struct run *run, int64_t all_drained_ns)
{
    const bool ended_before_limit = run->end == END_EVENTS || run->end == END_SCRIPT;
    const bool has_limit = run->end_ns < INT64_MAX && interrupt_signal() == 0;
    return ended_before_limit && has_limit ? max_i64(all_drained_ns, run->end_ns) : all_drained_ns;
}

/* Logs that the run still waits for workers. A second signal ends the process. */
static void log_waiting(const struct run *run, bool had_signal)
{
    log_text(LOG_WARNING, "still waiting for %u worker(s), %.0f s after the end of the run; %s",
             run_threads_left(run), ns_to_seconds(clock_now_ns() - run->ended_ns),
             had_signal ? "the report comes when they are done, or at --forced-shutdown; another "
                          "Ctrl-C ends the program without a report"
                        : "Ctrl-C ends the wait with the report (see --forced-shutdown)");
}

/* Makes workers take no more requests. */
static void end_work(struct run *run)
{
    if (run->queue != NULL)
        queue_close(run->queue);
    if (run->terminals != NULL)
        terminals_close(run->terminals);
    end_reports(run);
}

/* Waits until all workers have ended, the grace time has passed, or the user has sent a signal
 * during the wait. */
static void wait_for_workers(struct run *run)
{
    const int64_t drained_ns = run_drained_ns(run), all_drained_ns = run_all_drained_ns(run);
    const int64_t deadline_ns =
        clock_after_ns(shutdown_from_ns(run, all_drained_ns), grace_ns(run));
    int64_t notice_ns = clock_after_ns(all_drained_ns, WAIT_NOTICE_NS);
    bool had_signal = interrupt_signal() != 0;

    while (run_threads_left(run) > 0) {
        int64_t now_ns = clock_now_ns();
        if (now_ns >= deadline_ns || (!had_signal && interrupt_signal() != 0))
            return;
        if (now_ns >= drained_ns)
            end_work(run);
        run_deferred_step(run, now_ns);
        if (now_ns >= notice_ns) {
            log_waiting(run, had_signal);
            notice_ns += WAIT_NOTICE_NS;
        }
        int64_t wake_ns = min_i64(min_i64(deadline_ns, notice_ns), next_report_ns(run));
        if (now_ns < drained_ns)
            wake_ns = min_i64(wake_ns, drained_ns);
        interrupt_wait(min_i64(wake_ns, run_deferred_next_ns(run, now_ns)));
        report_due(run);
    }
}

static void stop_threads(struct run *run)
{
    inject_stop(run->inject);
    if (!run_drains(run))
        atomic_store(&run->pool.stop, true);
    wait_for_workers(run);
    atomic_store(&run->pool.stop, true);
    run_deferred_end(run);
    end_work(run);
    run->abandoned = run_threads_left(run) > 0;
    if (run->abandoned && (run->end == END_TIME || run->end == END_UNTIL) && interrupt_signal() == 0)
        log_text(LOG_FATAL, "The %s, forcing shutdown...",
                 run->end == END_TIME ? "--time limit has expired" : "run has ended by --until");
    else if (run->abandoned && (run->end == END_EVENTS || run->end == END_SCRIPT) &&
             interrupt_signal() == 0)
        log_text(LOG_FATAL,
                 "%u worker(s) have not ended by --forced-shutdown after the end of the run, "
                 "forcing shutdown...",
                 run_threads_left(run));
    else if (run->end == END_SLO && run_presents(run))
        log_text(LOG_WARNING, "the run ends early: it misses its objectives (--slo-abort)");
    else if (run->end == END_QUEUE_FULL && has_overflowed(run))
        log_text(LOG_FATAL,
                 "The event queue is full. This means the worker threads are unable to keep up "
                 "with the specified event generation rate");
}

/* For a run whose workers never began. Returns the exit code. */
static int abort_run(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    if (workload->report->explain_failure != NULL)
        workload->report->explain_failure(workload->self);
    run->abandoned = run_threads_missing(run) > 0;
    return interrupt_signal() != 0 ? EXIT_BY_SIGNAL + interrupt_signal() : EXIT_FAILED;
}

static void join_ranks(struct run *run)
{
    const struct run_setup *setup = run->setup;
    const struct ranks_context context = {.settings = run->settings,
                                          .whole = setup->whole,
                                          .reporter = &run->reporter,
                                          .presenter = &run->presenter,
                                          .json = run->json,
                                          .outputs = &run->outputs};
    if (setup->ranks.ops != NULL)
        run->ranks = setup->ranks.ops->create(setup->ranks.arg, &context);
}

/* The first rank measures for all ranks. */
static int prepare_staleness(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    const struct staleness_source *source = workload->ops->staleness;
    if (run->settings->staleness_ns == 0 || run->settings->rank.number > 0)
        return 0;
    if (source == NULL)
        log_text(LOG_FATAL, "--staleness: this test has no database");
    else
        run->staleness =
            source->prepare(workload->server, run->pool.stats, run->settings->staleness_ns);
    return run->staleness != NULL ? 0 : -1;
}

/* Joins the other ranks, if any, and starts the run together with them. */
static int get_ready(struct run *run)
{
    if (idle_pool_create(&run->idle, run->settings, &run->setup->workload, run->pool.stats) != 0 ||
        prepare_staleness(run) != 0 ||
        inject_create(&run->inject, run->settings, run->setup->workload, interrupt_notify) != 0 ||
        (run_presents(run) && outputs_init(&run->outputs, run->setup->whole) != 0))
        return -1;
    inject_use(run->inject, run->idle, run->pool.stats);
    inject_listen(run->inject, &run->outputs);
    join_ranks(run);
    return run_start_threads(run);
}

/*
 * Joins the threads of the run. Returns true if some of them are given up because they are stuck.
 * Such a thread may go on at any time until the process ends: while main() calls the done() of a
 * script, flushes its output, or waits for other ranks. Everything that it can reach must then stay
 * until _exit(). This is a complete list:
 *
 * - all that run_destroy() and worker_pool_join() free: in struct run both worker pools, with their
 *   gates, counters and workers; the statistics and the request log; the queue, and the ledger of
 *   the generator, to which takers of requests write; the terminals and the queue of deferred work;
 *   the injections with their agents, spans and descriptor; the samplers with their connections,
 *   also those of waits, and the samples of waits
 * - the event descriptor of interrupt_notify(): interrupt_leave() keeps it
 * - all that the run_setup points to: the settings, the options, and the workload with its `self`
 *   and `server`, that is a script with its source, a built-in test or a replay, and the drivers
 *   with the advice for missing tables. main() keeps these in struct program and does not call
 *   program_fini().
 *
 * Outputs may be destroyed: only the controlling thread uses them.
 */
static bool end_threads(struct run *run)
{
    const bool watching_ended = probes_stop(run->probes);
    run->waits_left = !wait_sampler_stop(run->wait_sampler);
    if (!run->abandoned) {
        worker_pool_join(&run->pool);
        worker_pool_join(&run->executors);
    }
    return run->abandoned || run->inject_left || run->waits_left || !watching_ended;
}

int run_execute(const struct run_setup *setup, bool *abandoned)
{
    int code = EXIT_FAILED;
    *abandoned = false;
    if (interrupt_init() != 0)
        return code;
    struct run *run = run_create(setup);
    if (run_presents(run))
        present_header(&run->presenter);
    if (get_ready(run) == 0) {
        run_until_end(run);
        stop_threads(run);
        run->waits_left = !wait_sampler_stop(run->wait_sampler);
        if (!run_in_team(run) || run->end != END_SIGNAL)
            probes_finish(run->probes);
        code = run_report_end(run);
    } else {
        code = abort_run(run);
        if (run_presents(run))
            present_failure(&run->presenter);
    }
    outputs_fini(&run->outputs);
    *abandoned = end_threads(run);
    if (*abandoned) {
        interrupt_leave();
    } else {
        run_destroy(run);
        interrupt_fini();
    }
    return code;
}
