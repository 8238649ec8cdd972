/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_end.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "document/html.h"
#include "options/exit_codes.h"

static const char *const end_names[] = {"",       "time",       "events", "script",
                                        "signal", "queue_full", "slo",    "error"};

/* What became of the requests that were not completed. */

static void add_age(struct requests *requests, int64_t age_ns)
{
    requests->oldest_ns = max_i64(requests->oldest_ns, age_ns);
    requests->age_sum_ns += (double)age_ns;
}

/* It belongs to a span of time, too, where there are any. */
static void censor_span(struct run *run, int64_t arrival_ns, int64_t age_ns, uint64_t count)
{
    if (run->pool.spans != NULL)
        spans_censor(run->pool.spans, arrival_ns, age_ns, count);
}

static void add_waiting(struct run *run, int64_t arrival_ns, int64_t now_ns,
                        struct requests *requests)
{
    if (arrival_ns < run->pool.measure_ns)
        return;
    requests->queued++;
    add_age(requests, now_ns - arrival_ns);
    reporter_add_waiting(&run->reporter, now_ns - arrival_ns);
    censor_span(run, arrival_ns, now_ns - arrival_ns, 1);
}

static void count_queued(struct run *run, int64_t now_ns, struct requests *requests)
{
    struct request request;
    while (run->queue != NULL && queue_remove(run->queue, &request))
        add_waiting(run, request.arrival_ns, now_ns, requests);
}

/* What a worker holds that does not come back. */
struct held {
    int64_t claimed_ns, serving_ns, start_ns, detached_ns;
    uint32_t detached;
};

static struct held held_by(const struct worker *worker)
{
    return (struct held){.claimed_ns = atomic_load(&worker->claimed_ns),
                         .serving_ns = atomic_load(&worker->serving_ns),
                         .start_ns = atomic_load(&worker->start_ns),
                         .detached_ns = atomic_load(&worker->detached_ns),
                         .detached = atomic_load(&worker->detached[PHASE_MEASURED])};
}

static void add_in_service(struct run *run, int64_t wait_ns, int64_t service_ns,
                           struct requests *requests)
{
    requests->in_service++;
    add_age(requests, wait_ns + service_ns);
    reporter_add_in_service(&run->reporter, wait_ns, service_ns);
}

static void count_held(struct run *run, const struct held *held, int64_t now_ns,
                       struct requests *requests)
{
    if (run->queue != NULL)
        add_waiting(run, held->claimed_ns, now_ns, requests);
    /* Events set aside have no times of their own here: each is at least as old as the youngest. */
    for (uint32_t i = 0; i < held->detached; i++)
        add_in_service(run, 0, now_ns - held->detached_ns, requests);
    censor_span(run, held->detached_ns, now_ns - held->detached_ns, held->detached);
    if (held->serving_ns < run->pool.measure_ns)
        return;
    add_in_service(run, held->start_ns - held->serving_ns, max_i64(0, now_ns - held->start_ns),
                   requests);
    censor_span(run, held->serving_ns, now_ns - held->serving_ns, 1);
}

static void add_dropped(struct run *run, int64_t now_ns)
{
    size_t count = 0;
    const struct drop_group *drops =
        run->generator != NULL ? generator_drops(run->generator, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (drops[i].first_ns < run->pool.measure_ns)
            continue;
        for (uint64_t n = 0; n < drops[i].count; n++)
            reporter_add_waiting(&run->reporter, now_ns - drops[i].latest_ns);
        censor_span(run, drops[i].latest_ns, now_ns - drops[i].latest_ns, drops[i].count);
    }
}

static uint64_t wait_for_rest(const struct run *run)
{
    uint64_t moves;
    while (!worker_pool_at_rest(&run->pool, &moves))
        interrupt_wait(clock_now_ns() + NS_PER_MS);
    return moves;
}

/* The last snapshot, and what workers hold at that moment: again, when one that was stuck has come
 * loose meanwhile. */
static void collect_last(struct run *run, int64_t now_ns, struct held *held)
{
    uint64_t moves, moves_then;
    do {
        moves = wait_for_rest(run);
        for (unsigned i = 0; i < run->pool.count; i++)
            held[i] = held_by(&run->pool.workers[i]);
        reporter_collect(&run->reporter, now_ns - run->start_ns);
        if (run->pool.spans != NULL)
            spans_settle(run->pool.spans);
    } while (!worker_pool_at_rest(&run->pool, &moves_then) || moves_then != moves);
}

static struct requests account(struct run *run, int64_t now_ns)
{
    struct requests requests = {0};
    struct held *held = xcalloc(run->pool.count, sizeof(*held));
    /* First: a worker that was still taking one when the queue was closed then holds it. */
    count_queued(run, now_ns, &requests);
    collect_last(run, now_ns, held);
    for (unsigned i = 0; i < run->pool.count; i++)
        count_held(run, &held[i], now_ns, &requests);
    free(held);
    add_dropped(run, now_ns);

    const struct snapshot *total = &run->reporter.total;
    requests.completed = total->counter[COUNTER_EVENT];
    requests.failed = total->counter[COUNTER_FAILED];
    requests.dropped = total->dropped;
    requests.offered = run->queue != NULL
                           ? total->offered
                           : requests.completed + requests.failed + requests.in_service;
    return requests;
}

/* From the end of the warm-up to the end of the run: the time limit where it counts, else the last
 * event. */
static int64_t elapsed_ns(const struct run *run)
{
    int64_t last_ns = worker_pool_last_end_ns(&run->pool);
    bool by_events = run->end == END_EVENTS || run->end == END_SCRIPT;
    int64_t end_ns = by_events && last_ns > 0 ? last_ns : max_i64(run->ended_ns, last_ns);
    return max_i64(0, end_ns - run->pool.measure_ns);
}

static int exit_code(const struct run *run)
{
    if (atomic_load(&run->pool.failed) || run->end == END_QUEUE_FULL)
        return EXIT_FAILED;
    if (interrupt_signal() != 0)
        return EXIT_BY_SIGNAL + interrupt_signal();
    return run->abandoned ? EXIT_FAILED : EXIT_WELL;
}

static void add_warning(void *json, const char *text)
{
    report_json_warning(json, text);
}

/* Behind all else that may warn. */
static void add_warnings(struct run *run)
{
    if (run->json != NULL)
        log_each_warning(add_warning, run->json);
}

/* To the file and behind the intervals on standard output. */
static int write_json(const struct run *run)
{
    const struct settings *settings = run->settings;
    if (settings->report_format == REPORT_FORMAT_JSON)
        report_json_print_line(run->json, stdout);
    return settings->json_path != NULL ? report_json_write(run->json, settings->json_path) : 0;
}

void run_report_failure(struct run *run)
{
    add_warnings(run);
    write_json(run);
}

static int write_request_log(const struct run *run)
{
    const char *path = run->settings->request_log_path;
    if (path == NULL)
        return 0;
    if (run->abandoned) {
        log_text(LOG_FATAL, "--request-log=%s is not written: stuck workers may still add to it",
                 path);
        return -1;
    }
    return request_log_write(run->pool.log, run->start_ns, path);
}

/* The JSON report, and the page that is drawn from it. */
static int write_reports(const struct run *run)
{
    const struct settings *settings = run->settings;
    int status = write_json(run);
    if (settings->html_path != NULL && html_write_report(settings->html_path, run->json) != 0)
        status = -1;
    return status;
}

/* Who ends a run by a signal, or by objectives that it misses, knows that it does. */
static enum cut cut_of(const struct run *run)
{
    if (atomic_load(&run->pool.failed))
        return CUT_ERROR;
    return run->abandoned && interrupt_signal() == 0 ? CUT_FORCED : CUT_NONE;
}

static struct trust gather_trust(const struct run *run, int64_t now_ns)
{
    int64_t generator_ns = generator_cpu_ns(run->generator);
    int64_t standby_ns = queue_standby_ns(run->queue);
    struct cpu_shares shares = cpu_usage_end(&run->cpu, generator_ns + standby_ns);
    const struct goodness *goodness = generator_goodness(run->generator);
    return (struct trust){
        .evidence = {.goodness = goodness_distance(goodness),
                     .gaps = goodness->count,
                     .cut = cut_of(run),
                     .arrivals_end_ns = run->ended_ns - run->start_ns,
                     .generator_cpu = (double)generator_ns / (double)(now_ns - run->start_ns),
                     .standby_cpu = (double)standby_ns / (double)(now_ns - run->start_ns),
                     .client_cpu = shares.client,
                     .steal = shares.steal}};
}

static bool any_doubtful(const struct effects *e)
{
    bool doubtful = false;
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        doubtful = doubtful || effects_doubtful(e, kind);
    return doubtful;
}

/* Asks the database, so only where it has answered until now. */
static void explain_no_ops(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    const struct effects *e = &run->reporter.total.effects;
    bool well = !run->abandoned && run->end != END_ERROR && run->end != END_SIGNAL;
    if (well && workload->explanations != NULL && any_doubtful(e))
        run->reporter.no_op_cause = workload->explanations->no_ops(workload->self, e);
}

static void report_injections_of(struct run *run)
{
    unsigned count;
    const struct injection *results = inject_results(run->inject, run->ended_ns, &count);
    if (count > 0 && log_enabled(LOG_NOTICE))
        report_injections(stdout, run->settings, results, count);
    log_flush_stdout();
    if (count > 0 && run->json != NULL)
        report_json_injections(run->json, run->settings, results, count);
}

int run_report_end(struct run *run)
{
    int64_t now_ns = clock_now_ns();
    int64_t elapsed = elapsed_ns(run);
    struct gauges gauges = run_gauges(run);
    gauges.threads_running =
        run->pool.count; /* they have left by now, but ran in the last interval */
    struct requests requests = account(run, now_ns);
    int64_t since_start_ns = run->settings->warmup_ns + elapsed;
    if (run->next_interval_ns != INT64_MAX &&
        reporter_interval_pending(&run->reporter, since_start_ns, NS_PER_MS))
        reporter_interval(&run->reporter, since_start_ns, gauges);

    explain_no_ops(run);
    int code = exit_code(run);
    const char *end =
        run->abandoned && code == EXIT_FAILED ? "forced_shutdown" : end_names[run->end];
    struct trust trust = {0};
    if (run->queue != NULL)
        trust = gather_trust(run, now_ns);
    /* Only now: requests do not get older by waiting for them. */
    run->inject_left = !inject_finish(run->inject);
    code = reporter_final(&run->reporter, &requests, elapsed, run->queue != NULL ? &trust : NULL,
                          end, code);
    report_injections_of(run);
    add_warnings(run);
    int failed = write_reports(run);
    if (write_request_log(run) != 0)
        failed = -1;
    return failed != 0 && code == EXIT_WELL ? EXIT_FAILED : code;
}
