/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_end.h"

#include "archive/archive.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "report/workload_report.h"
#include "result/judgement.h"
#include "run/run_deferred.h"
#include "run/run_outages.h"
#include "run/run_phases.h"
#include "run/run_start.h"

/* The counts of all requests. */

static void add_age(struct requests *requests, int64_t age_ns)
{
    requests->oldest_ns = max_i64(requests->oldest_ns, age_ns);
    requests->age_sum_ns += (double)age_ns;
}

/* Also adds the requests to the span of their arrival, if there are spans. */
static void censor_span(struct run *run, int64_t arrival_ns, int64_t age_ns, uint64_t count)
{
    if (run->pool.spans != NULL)
        spans_censor(run->pool.spans, arrival_ns, age_ns, count);
    if (run->pool.phases != NULL)
        spans_censor(run->pool.phases, arrival_ns, age_ns, count);
}

static void add_waiting(struct run *run, int64_t arrival_ns, int64_t now_ns,
                        struct requests *requests)
{
    if (arrival_ns < run->pool.measure_ns)
        return;
    requests->queued++;
    add_age(requests, now_ns - arrival_ns);
    reporter_add_waiting(&run->reporter, now_ns - arrival_ns, 1);
    if (run->waits != NULL)
        waits_never_started(run->waits, now_ns - arrival_ns, 1);
    censor_span(run, arrival_ns, now_ns - arrival_ns, 1);
}

static void count_queued(struct run *run, int64_t now_ns, struct requests *requests)
{
    struct request request;
    while (run->queue != NULL && queue_remove(run->queue, &request))
        add_waiting(run, request.arrival_ns, now_ns, requests);
}

/* Counts the requests that terminals have sent and no worker has taken. */
static void count_sent(struct run *run, int64_t now_ns, struct requests *requests)
{
    struct visit visit;
    while (run->terminals != NULL && terminals_remove(run->terminals, run->ended_ns, &visit))
        add_waiting(run, visit.sent_ns, now_ns, requests);
}

/* Counts the sessions of a run whose measured time ended at `until_ns`. The durations of sessions
 * in progress are recorded as lower bounds. */
static void count_sessions(struct run *run, const struct sessions_left *left, int64_t until_ns,
                           struct session_totals *totals)
{
    const int64_t measure_ns = run->pool.measure_ns;
    double sum_ns = left->counts.ended_ns;
    for (size_t i = 0; i < left->count; i++) {
        const int64_t begun_ns = left->begun_ns[i];
        sum_ns += (double)max_i64(0, until_ns - max_i64(begun_ns, measure_ns));
        if (begun_ns < measure_ns) {
            totals->earlier++;
            continue;
        }
        totals->in_progress++;
        reporter_add_session(&run->reporter, max_i64(0, until_ns - begun_ns));
    }
    totals->begun = left->counts.begun;
    totals->ended = run->reporter.total.metric[METRIC_SESSION].count;
    totals->mean = until_ns > measure_ns ? sum_ns / (double)(until_ns - measure_ns) : 0;
}

/* Events that a worker had taken and not ended at the last snapshot. */
struct held {
    int64_t claimed_arrival_ns, serving_arrival_ns, start_ns, detached_arrival_ns,
        detached_start_ns;
    uint32_t detached;
};

static struct held held_by(const struct worker *worker)
{
    return (struct held){.claimed_arrival_ns = atomic_load(&worker->claimed_arrival_ns),
                         .serving_arrival_ns = atomic_load(&worker->serving_arrival_ns),
                         .start_ns = atomic_load(&worker->start_ns),
                         .detached_arrival_ns = atomic_load(&worker->detached_arrival_ns),
                         .detached_start_ns = atomic_load(&worker->detached_start_ns),
                         .detached = atomic_load(&worker->detached[PHASE_MEASURED])};
}

static void add_in_service(struct run *run, int64_t wait_ns, int64_t connection_wait_ns,
                           int64_t service_ns, struct requests *requests)
{
    requests->in_service++;
    add_age(requests, wait_ns + connection_wait_ns + service_ns);
    reporter_add_in_service(&run->reporter, wait_ns, connection_wait_ns, service_ns);
}

/* Detached events have no times of their own here. Each is at least as old as the one that arrived
 * last, and has been in service for at least as long as the one that was started last. */
static void add_detached(struct run *run, const struct held *held, int64_t now_ns,
                         struct requests *requests)
{
    const int64_t age_ns = now_ns - held->detached_arrival_ns;
    for (uint32_t i = 0; i < held->detached; i++) {
        requests->in_service++;
        add_age(requests, age_ns);
        reporter_add_detached(&run->reporter, age_ns, now_ns - held->detached_start_ns);
    }
    censor_span(run, held->detached_arrival_ns, age_ns, held->detached);
}

/* Records a request in service as if it ended now, so that its samples count. */
static void end_waits(const struct run *run, unsigned worker, const struct held *held,
                      int64_t now_ns)
{
    const struct wait_request request = {
        .arrival_ns = held->serving_arrival_ns,
        .start_ns = held->start_ns,
        .end_ns = max_i64(now_ns, held->start_ns),
        .connection_wait_ns = worker_connection_wait_ns(&run->pool.workers[worker], now_ns),
        .before_ns = atomic_load(&run->pool.workers[worker].last_end_ns),
        .measured = true,
        .outcome = EXEMPLAR_UNFINISHED,
        .type = -1};
    if (run->waits != NULL)
        waits_end_last(run->waits, worker, &request);
}

static void count_held(struct run *run, unsigned worker, const struct held *held, int64_t now_ns,
                       struct requests *requests)
{
    if (run->queue != NULL || run->terminals != NULL)
        add_waiting(run, held->claimed_arrival_ns, now_ns, requests);
    add_detached(run, held, now_ns, requests);
    if (held->serving_arrival_ns < run->pool.measure_ns)
        return;
    const int64_t since_start_ns = max_i64(0, now_ns - held->start_ns);
    const int64_t connection_wait_ns =
        min_i64(since_start_ns, worker_connection_wait_ns(&run->pool.workers[worker], now_ns));
    add_in_service(run, held->start_ns - held->serving_arrival_ns, connection_wait_ns,
                   since_start_ns - connection_wait_ns, requests);
    censor_span(run, held->serving_arrival_ns, now_ns - held->serving_arrival_ns, 1);
    end_waits(run, worker, held, now_ns);
}

/* Takes one step per group of dropped requests. An overloaded run may have dropped hundreds of
 * millions of requests, but has at most one group per millisecond. */
static void add_dropped(struct run *run, int64_t now_ns)
{
    size_t count = 0;
    const struct drop_group *drops =
        run->generator != NULL ? generator_drops(run->generator, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (drops[i].first_ns < run->pool.measure_ns)
            continue;
        const int64_t age_ns = now_ns - drops[i].latest_ns;
        reporter_add_waiting(&run->reporter, age_ns, drops[i].count);
        if (run->waits != NULL)
            waits_never_started(run->waits, age_ns, drops[i].count);
        censor_span(run, drops[i].latest_ns, age_ns, drops[i].count);
    }
}

/* Returns true if no worker or executor begins or ends an event at the moment
 * (worker_pool_settled()). */
static bool settled(const struct run *run, uint64_t *sequence)
{
    uint64_t of_executors;
    bool workers = worker_pool_settled(&run->pool, sequence);
    bool executors = worker_pool_settled(&run->executors, &of_executors);
    *sequence += of_executors;
    return workers && executors;
}

/* Waits until settled() returns true. Returns the sequence at that time. */
static uint64_t wait_until_settled(const struct run *run)
{
    uint64_t sequence;
    while (!settled(run, &sequence))
        interrupt_wait(clock_now_ns() + NS_PER_MS);
    return sequence;
}

/* Events that workers and executors had taken and not ended at the last snapshot, and the sessions
 * that were in progress then. */
struct all_held {
    struct held *worker;
    struct sessions_left sessions;
    struct deferred_entry *deferred;
    unsigned deferred_count;
};

static struct sessions_left sessions_left(const struct run *run)
{
    struct sessions_left left = {0};
    if (run->settings->sessions.on)
        terminals_sessions_left(run->terminals, run->ended_ns, &left);
    return left;
}

/* Takes the last snapshot, and copies which events workers and executors hold at that moment.
 * Retries if a thread that was stuck has continued in between. */
static void collect_last(struct run *run, int64_t now_ns, struct all_held *held)
{
    uint64_t sequence, sequence_then;
    do {
        sequence = wait_until_settled(run);
        for (unsigned i = 0; i < run->pool.count; i++)
            held->worker[i] = held_by(&run->pool.workers[i]);
        held->deferred_count = run_deferred_held(run, held->deferred);
        free(held->sessions.begun_ns);
        held->sessions = sessions_left(run);
        if (run->generator != NULL)
            generator_close(run->generator);
        reporter_collect(&run->reporter, now_ns - run->start_ns);
        if (run->pool.spans != NULL)
            spans_settle(run->pool.spans);
        if (run->pool.phases != NULL)
            spans_settle(run->pool.phases);
    } while (!settled(run, &sequence_then) || sequence_then != sequence);
}

/*
 * Counts all requests. To be called when the generator and all workers that are not stuck have
 * ended. Empties the queue, collects for the last time, and records unfinished requests with their
 * age at `now_ns` (CLOCK_MONOTONIC) as lower bounds. Fills in *sessions, whose array the caller
 * frees.
 */
static struct requests account(struct run *run, int64_t now_ns, struct sessions_left *sessions)
{
    struct requests requests = {0};
    struct all_held held = {.worker = xcalloc(run->pool.count, sizeof(*held.worker)),
                            .deferred = xcalloc(run->executors.count + 1, sizeof(*held.deferred))};
    /* Empty the queue first: a worker that was taking a request when the queue was closed holds it
     * now. */
    count_queued(run, now_ns, &requests);
    collect_last(run, now_ns, &held);
    /* Count again: workers that waited for an arrival have given their requests back. */
    count_queued(run, now_ns, &requests);
    for (unsigned i = 0; i < run->pool.count; i++)
        count_held(run, i, &held.worker[i], now_ns, &requests);
    count_sent(run, now_ns, &requests);
    add_dropped(run, now_ns);
    run_deferred_account(run, held.deferred, held.deferred_count, now_ns);
    free(held.worker);
    free(held.deferred);
    *sessions = held.sessions;

    const struct snapshot *total = &run->reporter.total;
    requests.completed = total->counter[COUNTER_EVENT];
    requests.failed = total->counter[COUNTER_FAILED];
    requests.dropped = total->dropped;
    requests.terminals = run->terminals != NULL ? terminals_local(run->terminals) : 0;
    requests.offered = run->queue != NULL ? total->offered
                                          : requests.completed + requests.failed +
                                                requests.in_service + requests.queued;
    return requests;
}

/* The result and the reports. */

/* Reports the last interval, if this process reports intervals and it has any records. Workers have
 * ended, but they ran in this interval, so they are counted. */
static void end_last_interval(struct run *run, int64_t now_ns, struct gauges gauges)
{
    gauges.threads_running = run->pool.count;
    if (run->settings->report_interval_ns > 0 && !run_in_team(run) &&
        reporter_interval_pending(&run->reporter, now_ns, NS_PER_MS)) {
        run->reporter.interval.last = true;
        reporter_interval(&run->reporter, now_ns, gauges);
    }
}

/* Returns when the measured time ended (CLOCK_MONOTONIC): at the last event, or at the end of the
 * run if that was later. A run that ended because all its events were done ended with its last
 * event. */
static int64_t measured_until_ns(const struct run *run, const struct requests *requests)
{
    int64_t last_ns = worker_pool_last_end_ns(&run->pool);
    bool by_events = run->end == END_EVENTS || run->end == END_SCRIPT;
    bool all_done = requests->queued + requests->in_service == 0;
    return by_events && all_done && last_ns > 0 ? last_ns : max_i64(run->ended_ns, last_ns);
}

/* True if the generator spun on the machine of the server, which needs processors in bursts. */
static bool spins_beside(const struct run *run)
{
    const struct workload *w = &run->setup->workload;
    return generator_spun(run->generator) && w->report->shares_machine != NULL &&
           w->report->shares_machine(w->server);
}

/* Returns the client's share of the CPU time that its workers can use. Returns −1 if there is no
 * separate server, because the database then runs in the client's process. */
static double worker_cpu(const struct run *run, double client_cpu)
{
    const struct workload *w = &run->setup->workload;
    const double processors = cpu_count(), workers = run->pool.count;
    if (client_cpu < 0 || w->report->has_server == NULL || !w->report->has_server(w->server))
        return -1;
    return workers < processors ? client_cpu * processors / workers : client_cpu;
}

static void add_arrivals(struct evidence *evidence, const struct run *run, int64_t generator_ns,
                         int64_t standby_ns, int64_t span_ns)
{
    const struct goodness *goodness = generator_goodness(run->generator);
    evidence->goodness = goodness_distance(goodness);
    evidence->gaps = goodness->count;
    /* The arrivals of one rank have another dispersion than those of the run. */
    for (unsigned i = 0; i < DISPERSION_SCALES && rank_is_alone(&run->settings->rank); i++)
        evidence->dispersion[i] = goodness_dispersion(goodness, i);
    evidence->generator_cpu = (double)generator_ns / (double)span_ns;
    evidence->standby_cpu = (double)standby_ns / (double)span_ns;
    evidence->spins_beside = spins_beside(run);
}

static struct evidence gather_evidence(const struct run *run, int64_t now_ns)
{
    const bool timed = run->queue != NULL;
    const int64_t generator_ns = timed ? generator_cpu_ns(run->generator) : 0;
    const int64_t standby_ns = timed ? queue_standby_ns(run->queue) : 0;
    const struct cpu_shares shares = cpu_usage_end(&run->cpu, generator_ns + standby_ns);
    struct evidence evidence = {.arrivals_end_ns = run->ended_ns - run->start_ns,
                                .client_cpu = shares.client,
                                .steal = shares.steal};
    if (timed)
        add_arrivals(&evidence, run, generator_ns, standby_ns, now_ns - run->start_ns);
    else
        evidence.worker_cpu = worker_cpu(run, shares.client);
    return evidence;
}

static bool any_doubtful(const struct effects *e)
{
    bool doubtful = false;
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        doubtful = doubtful || effects_doubtful(e, kind);
    return doubtful;
}

/* Returns an explanation for statements that changed no rows, or NULL. This queries the database,
 * so it is only done if the database has answered until the end. */
static char *explain_no_ops(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    const struct effects *e = &run->reporter.total.effects;
    bool well = !run->abandoned && run->end != END_ERROR && run->end != END_SIGNAL;
    if (!well || workload->report->explain_no_ops == NULL || !any_doubtful(e))
        return NULL;
    return workload->report->explain_no_ops(workload->self, e);
}

static bool is_void(const struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    return run_failed(run) && run->reporter.total.counter[COUNTER_EVENT] == 0 &&
           workload->report->is_void != NULL && workload->report->is_void(workload->self);
}

/* Subtracts `ns`, the time from the end of the measured time until now, from the ages of unfinished
 * requests. */
static void cut_ages(struct requests *requests, int64_t ns)
{
    requests->age_sum_ns -= (double)(requests->queued + requests->in_service) * (double)ns;
}

static struct ending ending_of(const struct run *run)
{
    return (struct ending){.why = run->end,
                           .failed = run_failed(run),
                           .abandoned = run->abandoned,
                           .signal = interrupt_signal()};
}

/* Notes the injections whose work the server has counted and the client has not. */
static void note_injections(struct result *result)
{
    struct probe_report *report = &result->probed;
    size_t used = 0;
    for (unsigned i = 0; i < result->injection_count; i++) {
        const struct injection *injection = &result->injections[i];
        if (!injection_is_counted(injection) || used >= sizeof(report->beside))
            continue;
        char words[INJECTION_OUTCOME_BYTES];
        injection_outcome_write(&injection->outcome, words);
        const bool known = words[0] != '\0';
        used += (size_t)snprintf(report->beside + used, sizeof(report->beside) - used,
                                 "%sinjection %u%s%s%s", used > 0 ? ", " : "", injection->number,
                                 known ? " (" : "", words, known ? ")" : "");
    }
}

static void divide_span(const struct run *run, int64_t from_ns, int64_t to_ns,
                        struct wait_span *span)
{
    if (run->wait_sampler != NULL)
        wait_sampler_span(run->wait_sampler, run->start_ns + from_ns, run->start_ns + to_ns, span);
}

static void divide_outages(const struct run *run, struct outages *outages)
{
    for (unsigned i = 0; i < outages->count; i++) {
        struct outage *o = &outages->list[i];
        divide_span(run, o->from_ns, o->to_ns, &o->waits);
    }
}

static void divide_injections(const struct run *run, struct injection *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i].state != INJECTION_NOT_STARTED)
            divide_span(run, list[i].from_ns, list[i].to_ns, &list[i].waits);
}

/* Returns the plans of statements, or NULL. The results of ranks are merged without plans. */
static struct plans *take_plans(const struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    if (workload->report->plans == NULL || run->abandoned)
        return NULL;
    if (run->settings->rank.count <= 1)
        return workload->report->plans(workload->server);
    if (options_bool(run->setup->options, "explain") && run->settings->rank.number == 0)
        log_text(LOG_WARNING, "--explain has no effect with several ranks (--node, mpirun)");
    return NULL;
}

void run_end_staleness(struct run *run)
{
    if (run->staleness != NULL)
        run->setup->workload.ops->staleness->end(run->staleness);
    run->staleness = NULL;
}

/* Makes the result. */
static void freeze(struct run *run, struct result *result)
{
    const int64_t now_ns = clock_now_ns();
    struct gauges gauges = run_gauges(run);
    struct sessions_left sessions;
    struct requests requests = account(run, now_ns, &sessions);
    /* Some requests in the queue may have been revoked. */
    gauges.queue_length = requests.queued;
    const int64_t until_ns = measured_until_ns(run, &requests);
    cut_ages(&requests, now_ns - until_ns);
    count_sessions(run, &sessions, until_ns, &requests.sessions);
    free(sessions.begun_ns);
    requests.arrivals_ns = max_i64(0, run->ended_ns - run->pool.measure_ns);
    end_last_interval(run, until_ns - run->start_ns, gauges);
    gauges.threads_running = run->pool.count;
    if (run_in_team(run))
        run->setup->ranks.ops->last_tick(run->ranks, gauges, until_ns - run->start_ns);
    *result = (struct result){.settings = run->settings, .no_op_cause = explain_no_ops(run)};
    result->ending = ending_of(run);
    result->outages = run_outages_finish(run);
    divide_outages(run, &result->outages);
    result->evidence = gather_evidence(run, now_ns);
    /* Wait only now, so that the waiting does not add to the age of requests. */
    run->inject_left = !inject_finish(run->inject);
    idle_pool_stop(run->idle);
    run_end_staleness(run);
    result->idle = idle_pool_counts(run->idle);
    struct injection *injections =
        inject_results(run->inject, run->ended_ns, &result->injection_count);
    divide_injections(run, injections, result->injection_count);
    result->injections = injections;
    result->phases = run_phases_finish(run, &result->phase_count);
    result->is_void = is_void(run);
    reporter_freeze(&run->reporter, &requests, max_i64(0, until_ns - run->pool.measure_ns), result);
    note_injections(result);
    if (run->wait_sampler != NULL) {
        result->sampled =
            wait_sampler_record(run->wait_sampler, ns_to_seconds(result->total.elapsed_ns));
        result->waits = wait_record_shares(result->sampled);
    }
    result->plans = take_plans(run);
    if (run->exemplars != NULL)
        result->slowest = slow_requests_of(run->exemplars, stats_thread(run->pool.stats, 0),
                                           run->settings, run->start_ns);
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
    return request_log_write(run->pool.log, run->start_ns, settings_worker(run->settings, 0), path);
}

static int present_alone(const struct run *run, const struct result *result)
{
    const struct judgement judgement = judgement_of(result);
    return present_result(&run->presenter, result, &judgement);
}

/*
 * Writes the report files and adds the report to the archive. Returns false if one of them failed.
 */
static bool write_report(const struct run *run)
{
    const char *archive_path = run->presenter.settings->archive_path;
    const bool written = present_files(&run->presenter) == 0;
    return (archive_path == NULL || archive_add_report(archive_path, run->json) == 0) && written;
}

int run_report_end(struct run *run)
{
    struct result result;
    freeze(run, &result);
    run_describe_again(run);
    const int code = run->ranks != NULL
                         ? run->setup->ranks.ops->report(run->ranks, &result, run->json)
                         : present_alone(run, &result);
    result_fini(&result);
    bool written = !run_presents(run) || write_report(run);
    written = write_request_log(run) == 0 && written;
    return !written && code == EXIT_WELL ? EXIT_FAILED : code;
}
