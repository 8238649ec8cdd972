/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/reporter.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "report/workload_report.h"

/* How long to wait until the counts of the server agree with those of the client. */
#define CHECK_WAIT_NS (2 * NS_PER_SEC)

/* Returns about 1/40 of the measured time, at least 0.1 s and at most 1 s; 0.1 s if the run may end
 * long before. */
static int64_t batch_span_ns(const struct settings *settings)
{
    if (settings->time_ns == 0)
        return NS_PER_SEC;
    if (settings->until.count > 0)
        return NS_PER_SEC / 10;
    return max_i64(NS_PER_SEC / 10, min_i64(NS_PER_SEC, settings->time_ns / 40));
}

void reporter_init(struct reporter *r, struct stats *stats, const struct presenter *presenter)
{
    const struct settings *settings = presenter->settings;
    *r = (struct reporter){.settings = settings,
                           .stats = stats,
                           .presenter = presenter,
                           .measure_ns = settings->warmup_ns,
                           .part_from_ns = settings->warmup_ns,
                           .arrivals_end_ns = INT64_MAX};
    snapshot_init(&r->drained);
    snapshot_init(&r->interval.snapshot);
    snapshot_init(&r->part);
    snapshot_init(&r->total);
    batch_series_init(&r->batches, settings->warmup_ns, batch_span_ns(settings));
    until_watch_init(&r->until, &settings->until, r->batches.span_ns,
                     max_i64(1, settings->time_ns));
    slo_watch_init(&r->watch, &settings->slo, settings->slo_abort_ns, settings->warmup_ns);
}

void reporter_fini(struct reporter *r)
{
    snapshot_fini(&r->drained);
    snapshot_fini(&r->interval.snapshot);
    snapshot_fini(&r->part);
    snapshot_fini(&r->total);
    batch_series_fini(&r->batches);
    audit_fini(&r->audit);
    slo_watch_fini(&r->watch);
}

static void count_drained(struct reporter *r)
{
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        r->counters[i] += r->drained.counter[i];
    r->dropped += r->drained.dropped;
    if (r->outages != NULL)
        outage_watch_collect(r->outages, &r->drained);
}

static double asked_until(const struct reporter *r, int64_t ns)
{
    return settings_arrivals_asked(r->settings, min_i64(ns, r->arrivals_end_ns));
}

/* Adds the number of arrivals that the arrival process plans to the audit. If the arrivals follow a
 * trace, the requests that arrived count, because the times of a trace of a workload are not known
 * here. */
static void note_asked(struct reporter *r)
{
    const size_t count = r->audit.count;
    if (r->settings->rate == 0 || r->settings->arrivals.kind == ARRIVAL_TRACE || count == 0)
        return;
    const struct audit_window *w = &r->audit.windows[count - 1];
    audit_note_asked(&r->audit, asked_until(r, w->to_ns) - asked_until(r, w->from_ns));
}

typedef void (*drain_function)(struct stats *stats, enum phase phase, struct snapshot *out);

/* Adds events in service and lag to the audit of a closed loop. At an arrival rate, the audit uses
 * the arrivals instead. */
static void note_closed_loop(struct reporter *r)
{
    const unsigned serving = r->pool != NULL ? worker_pool_serving(r->pool) : 0;
    if (r->settings->rate > 0)
        return;
    audit_note(&r->audit, serving, r->late_ns);
    r->late_ns = 0;
}

void reporter_woke(struct reporter *r, int64_t late_ns)
{
    r->late_ns = max_i64(r->late_ns, late_ns);
}

/* Moves the records of the phase to r->drained. */
static void take_phase(struct reporter *r, enum phase phase, drain_function drain)
{
    if (r->feed != NULL) {
        snapshot_reset(&r->drained);
        snapshot_add(&r->drained, &r->feed->phase[phase]);
        snapshot_reset(&r->feed->phase[phase]);
    } else {
        drain(r->stats, phase, &r->drained);
    }
    if (r->forward != NULL)
        r->forward(r->forward_arg, phase, &r->drained);
}

static void collect(struct reporter *r, int64_t now_ns, drain_function drain)
{
    audit_begin(&r->audit, now_ns);
    if (r->generator != NULL)
        generator_settle(r->generator);
    if (r->settings->warmup_ns > 0) {
        take_phase(r, PHASE_WARMUP, drain);
        outputs_collect(r->presenter->outputs, &r->drained);
        snapshot_add(&r->interval.snapshot, &r->drained);
        audit_add(&r->audit, &r->drained);
        count_drained(r);
    }
    take_phase(r, PHASE_MEASURED, drain);
    count_drained(r);
    outputs_collect(r->presenter->outputs, &r->drained);
    audit_add(&r->audit, &r->drained);
    note_closed_loop(r);
    note_asked(r);
    snapshot_add(&r->interval.snapshot, &r->drained);
    snapshot_add(&r->part, &r->drained);
    snapshot_add(&r->total, &r->drained);
    batch_series_add(&r->batches, r->feed != NULL || drain == stats_drain ? now_ns : 0,
                     &r->drained.metric[METRIC_RESPONSE]);
    if (r->settings->slo_abort_ns > 0)
        slo_watch_add(&r->watch, &r->drained);
}

void reporter_collect(struct reporter *r, int64_t now_ns)
{
    collect(r, now_ns, stats_drain);
}

void reporter_audit(struct reporter *r, int64_t now_ns)
{
    collect(r, now_ns, stats_drain_sums);
}

/* Returns how many requests the measured part will have; INFINITY if that is not known. Arrivals
 * with variance or bursts may be many more than expected. */
static double arrivals_in_all(const struct settings *settings)
{
    double limit =
        settings->events > 0 ? (double)settings->events * rank_share(&settings->rank) : INFINITY;
    if (settings->rate == 0 || settings->time_ns == 0 ||
        settings->arrivals.kind == ARRIVAL_SHAPED)
        return limit;
    return fmin(limit, settings_arrivals_asked(settings, INT64_MAX) -
                           settings_arrivals_asked(settings, settings->warmup_ns));
}

bool reporter_objectives_lost(struct reporter *r, int64_t now_ns, uint64_t in_system)
{
    const struct settings *settings = r->settings;
    if (settings->slo.count == 0 || settings->slo_abort_ns < 0 || now_ns <= r->measure_ns)
        return false;
    if (settings->slo_abort_ns == 0)
        return slo_is_lost(&settings->slo, &r->total, arrivals_in_all(settings));
    return slo_watch_look(&r->watch, now_ns, in_system);
}

bool reporter_is_precise(struct reporter *r, int64_t now_ns)
{
    if (r->batches.open)
        return false;
    return until_watch_look(&r->until, now_ns - r->measure_ns, &r->batches,
                            &r->total.metric[METRIC_RESPONSE]);
}

void reporter_log_until(const struct reporter *r, int64_t now_ns)
{
    until_watch_log(&r->until, now_ns - r->measure_ns);
}

int64_t reporter_in_service_ns(const struct reporter *r, int64_t now_ns)
{
    const struct worker_pool *pool = r->pool;
    int64_t sum_ns = 0;
    if (r->feed != NULL)
        return r->feed->in_service_ns;
    if (pool == NULL)
        return 0;
    now_ns += pool->start_ns;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct worker *w = &pool->workers[i];
        if (atomic_load_explicit(&w->serving_arrival_ns, memory_order_relaxed) != 0)
            sum_ns += max_i64(0, now_ns - atomic_load_explicit(&w->start_ns, memory_order_relaxed));
    }
    return sum_ns;
}

/* True if wait and service time are separate figures: requests arrive whether workers are free or
 * not. */
static bool separates_wait(const struct settings *settings)
{
    return settings->rate > 0 || settings->terminals;
}

/* Returns the time that workers had the events that ended in the interval. If service times are not
 * recorded, this is the response time. */
static double ended_busy_ns(const struct reporter *r)
{
    const struct distribution *metric = r->interval.snapshot.metric;
    if (separates_wait(r->settings))
        return metrics_busy_ns(metric);
    return (double)metric[METRIC_RESPONSE].sum_ns + (double)metric[METRIC_FAILED].sum_ns;
}

/*
 * Returns the mean number of workers that served an event in the interval. The busy time is the
 * service time of all events that ended in the interval, completed or failed, minus their part
 * before the interval, plus the time that events in service have taken until now.
 */
static double mean_busy(struct reporter *r)
{
    const struct snapshot *s = &r->interval.snapshot;
    const int64_t before_ns = r->interval_in_service_ns;
    r->interval_in_service_ns = reporter_in_service_ns(r, s->to_ns);
    const double busy_ns = ended_busy_ns(r) + (double)(r->interval_in_service_ns - before_ns);
    return fmax(0, busy_ns / (double)(s->to_ns - s->from_ns));
}

/* Fills in the planned arrival rate and Little's law for the interval that ends. */
static void audit_interval(struct reporter *r)
{
    struct interval *interval = &r->interval;
    const struct snapshot *s = &interval->snapshot;
    if (r->settings->rate == 0 || s->to_ns <= s->from_ns)
        return;
    struct little little = little_of(&r->audit, s, r->interval_in_system);
    interval->asked_per_s = (asked_until(r, s->to_ns) - asked_until(r, s->from_ns)) /
                            ns_to_seconds(s->to_ns - s->from_ns);
    interval->in_system = little.in_system;
    interval->in_system_by_law = little.by_law;
    interval->in_system_error = little.error;
    interval->busy = mean_busy(r);
    interval->queue = fmax(0, interval->in_system - interval->busy);
    r->interval_in_system = r->audit.in_system;
}

const struct wait_moment *reporter_waits(struct reporter *r)
{
    if (r->waits == NULL)
        return NULL;
    wait_sampler_moment(r->waits, &r->waits_now);
    return &r->waits_now;
}

/*
 * Divides the time that requests spent in the system in the interval that ends. Without an arrival
 * rate the number of waiting requests is not known: the waits of the requests that ended in the
 * interval count instead. The lag of the generator is the part of the waits that the client has
 * caused.
 */
static void divide_interval(struct reporter *r)
{
    const struct snapshot *s = &r->interval.snapshot;
    const bool timed = r->settings->rate > 0;
    const double span_ns = (double)(s->to_ns - s->from_ns);
    if (reporter_waits(r) == NULL)
        return;
    const double wait_ns =
        timed ? r->interval.queue * span_ns : (double)s->metric[METRIC_WAIT].sum_ns;
    const double lag_ns = (double)s->lag.sum_ns + (double)(r->open_lag_ns - r->open_lag_before_ns);
    const double late_ns = fmin(wait_ns, fmax(0, lag_ns));
    const struct wait_times times = {late_ns, wait_ns - late_ns,
                                     (timed ? r->interval.busy : mean_busy(r)) * span_ns};
    wait_span_between(&r->interval.waits, &r->waits_before, &r->waits_now, &times);
    r->waits_before = r->waits_now;
    r->open_lag_before_ns = r->open_lag_ns;
}

/* Adds the records until `now_ns` to the interval, which ends then. */
static void end_interval(struct reporter *r, int64_t now_ns)
{
    const int64_t from_ns = r->interval.snapshot.to_ns;
    /* Lag that is recorded after this line counts twice, now and with the opposite sign in the next
     * interval; lag is never missing. */
    if (r->waits != NULL && r->generator != NULL)
        r->open_lag_ns = generator_open_lag_ns(r->generator);
    reporter_collect(r, now_ns);
    r->interval.snapshot.from_ns = from_ns;
    r->interval.snapshot.to_ns = now_ns;
    audit_interval(r);
    if (now_ns > from_ns)
        divide_interval(r);
}

static void begin_interval(struct reporter *r)
{
    const int64_t from_ns = r->interval.snapshot.to_ns;
    snapshot_reset(&r->interval.snapshot);
    r->interval.snapshot.from_ns = r->interval.snapshot.to_ns = from_ns;
    r->interval.waits = (struct wait_span){0};
}

void reporter_interval(struct reporter *r, int64_t now_ns, struct gauges gauges)
{
    end_interval(r, now_ns);
    const struct snapshot *s = &r->interval.snapshot;
    r->interval.warmup = s->from_ns + (now_ns - s->from_ns) / 2 < r->measure_ns;
    r->interval.threads_running = gauges.threads_running;
    r->interval.queue_length = gauges.queue_length;
    r->interval.idle_open = gauges.idle_open;
    r->interval.concurrency = gauges.concurrency;
    r->interval.sessions = gauges.sessions;
    if (r->probes != NULL)
        probes_interval(r->probes, clock_now_ns(), &r->probed);
    r->interval.probes = r->probes != NULL ? &r->probed : NULL;
    present_interval(r->presenter, &r->interval);
    begin_interval(r);
}

struct wait_span reporter_interval_waits(struct reporter *r, int64_t now_ns)
{
    end_interval(r, now_ns);
    const struct wait_span waits = r->interval.waits;
    begin_interval(r);
    return waits;
}

bool reporter_interval_pending(const struct reporter *r, int64_t now_ns, int64_t ns)
{
    const struct snapshot *s = &r->interval.snapshot;
    return now_ns - s->to_ns >= ns || s->counter[COUNTER_EVENT] > 0 || s->offered > 0;
}

static struct fairness fairness_of(const struct reporter *r, bool reset)
{
    return r->feed != NULL ? r->feed->fairness : stats_fairness(r->stats, reset);
}

static void begin_part(struct reporter *r, int64_t now_ns)
{
    snapshot_reset(&r->part);
    r->part_from_ns = now_ns;
}

struct fairness reporter_cut(struct reporter *r, int64_t now_ns)
{
    reporter_collect(r, now_ns);
    begin_part(r, now_ns);
    return fairness_of(r, true);
}

void reporter_checkpoint(struct reporter *r, int64_t now_ns)
{
    reporter_collect(r, now_ns);
    struct summary part = {.snapshot = r->part,
                           .fairness = fairness_of(r, true),
                           .elapsed_ns = now_ns - r->part_from_ns};
    part.snapshot.from_ns = r->part_from_ns;
    part.snapshot.to_ns = now_ns;
    present_checkpoint(r->presenter, &part, now_ns);
    begin_part(r, now_ns);
}

static void censor(struct reporter *r, enum metric metric, int64_t lower_bound_ns, uint64_t count)
{
    distribution_censor_many(&r->part.metric[metric], lower_bound_ns, count);
    distribution_censor_many(&r->total.metric[metric], lower_bound_ns, count);
}

void reporter_add_waiting(struct reporter *r, int64_t age_ns, uint64_t count)
{
    censor(r, METRIC_WAIT, age_ns, count);
    censor(r, METRIC_RESPONSE, age_ns, count);
}

void reporter_add_session(struct reporter *r, int64_t age_ns)
{
    censor(r, METRIC_SESSION, age_ns, 1);
}

void reporter_add_in_service(struct reporter *r, int64_t wait_ns, int64_t connection_wait_ns,
                             int64_t service_ns)
{
    if (separates_wait(r->settings)) {
        distribution_record(&r->part.metric[METRIC_WAIT], wait_ns);
        distribution_record(&r->total.metric[METRIC_WAIT], wait_ns);
        censor(r, METRIC_SERVICE, service_ns, 1);
    }
    if (r->total.metric[METRIC_CONNECTION_WAIT].count > 0 || connection_wait_ns > 0)
        censor(r, METRIC_CONNECTION_WAIT, connection_wait_ns, 1);
    censor(r, METRIC_RESPONSE, wait_ns + connection_wait_ns + service_ns, 1);
}

void reporter_add_detached(struct reporter *r, int64_t age_ns, int64_t service_ns)
{
    if (separates_wait(r->settings)) {
        censor(r, METRIC_WAIT, 0, 1);
        censor(r, METRIC_SERVICE, service_ns, 1);
    }
    censor(r, METRIC_RESPONSE, age_ns, 1);
}

/* Compares the counts of the client with those of the server. Returns false if they differ. */
static bool check_probes(const struct reporter *r, struct probe_report *report)
{
    const struct reported_workload *w = &r->presenter->workload;
    const struct effects *effects = r->measure_ns == 0 ? &r->total.effects : NULL;
    bool agree = true;
    report->checks = 0;
    /* The server counts the work of all ranks, so the check needs a run of one rank. */
    if (rank_is_alone(&r->settings->rank) && w->ops->check != NULL)
        w->ops->check(w->server, r->counters, effects, r->probes, report);
    for (unsigned i = 0; i < report->checks; i++)
        agree = agree && report->check[i].agreement == PROBE_AGREES;
    return agree;
}

/* Fills in the samples of the whole run. Waits until the counts agree, because the server may take
 * a moment to count the last work. */
static void finish_probes(const struct reporter *r, struct probe_report *report)
{
    int64_t deadline_ns = clock_now_ns() + CHECK_WAIT_NS;
    while (!check_probes(r, report) && clock_now_ns() < deadline_ns) {
        clock_sleep_until_ns(clock_now_ns() + CHECK_WAIT_NS / 10);
        probes_finish(r->probes);
    }
    probes_total(r->probes, report);
    check_probes(r, report);
    probes_work(r->probes, r->counters[COUNTER_EVENT], report);
}

/* Moves the snapshot and leaves an empty one in its place. */
static struct snapshot take(struct snapshot *s, int64_t from_ns, int64_t to_ns)
{
    struct snapshot taken = *s;
    snapshot_init(s);
    snapshot_censor_failed(&taken);
    taken.from_ns = from_ns;
    taken.to_ns = to_ns;
    return taken;
}

void reporter_freeze_probes(const struct reporter *r, struct result *result)
{
    result->watched = r->probes != NULL;
    if (result->watched)
        finish_probes(r, &result->probed);
}

void reporter_freeze_precision(const struct reporter *r, struct result *result)
{
    struct summary *total = &result->total;
    total->precision =
        precision_estimate(&r->batches, &total->snapshot.metric[METRIC_RESPONSE], r->settings);
    total->precision.goals = r->settings->until.count;
    memcpy(total->precision.reached, r->until.reached, sizeof(r->until.reached));
}

void reporter_freeze(struct reporter *r, const struct requests *requests, int64_t elapsed_ns,
                     struct result *result)
{
    const int64_t end_ns = r->measure_ns + elapsed_ns;
    reporter_freeze_probes(r, result);
    result->total = (struct summary){.snapshot = take(&r->total, r->measure_ns, end_ns),
                                     .requests = *requests,
                                     .elapsed_ns = max_i64(1, elapsed_ns)};
    reporter_freeze_precision(r, result);
    result->part = (struct summary){.snapshot = take(&r->part, r->part_from_ns, end_ns),
                                    .requests = *requests,
                                    .elapsed_ns = max_i64(1, end_ns - r->part_from_ns)};
    result->total.fairness = result->part.fairness = fairness_of(r, false);
    result->total.no_op_cause = result->part.no_op_cause = result->no_op_cause;
    result->audit = r->audit;
    r->audit = (struct audit){0};
}
