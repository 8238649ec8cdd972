/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/reporter.h"

#include "../distributions.h"
#include "../suite.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/rand_stream.h"

/* One worker at an arrival rate. Intervals and results are passed to hooks, which keep them. */

static struct settings settings;
static struct stats *stats;
static struct stats_thread *worker;
static struct outputs outputs;
static struct presenter presenter;
static struct reporter reporter;
static struct requests requests;
static struct result result;
static unsigned intervals, checkpoints;
static struct interval last; /* without the objects that it points to */
static uint64_t interval_events, interval_offered, part_events;
static int64_t part_elapsed_ns;

static bool take_interval(void *self, const struct interval *interval)
{
    (void)self;
    intervals++;
    last = *interval;
    interval_events = interval->snapshot.counter[COUNTER_EVENT];
    interval_offered = interval->snapshot.offered;
    return true;
}

static bool take_summary(void *self, const struct summary *summary)
{
    (void)self;
    checkpoints++;
    part_events = summary->snapshot.counter[COUNTER_EVENT];
    part_elapsed_ns = summary->elapsed_ns;
    return true;
}

static bool never(void *self)
{
    (void)self;
    return false;
}

static const struct workload_report hooks = {
    .intermediate = take_interval, .cumulative = take_summary, .hook_failed = never};

static void before(void)
{
    log_set_verbosity(LOG_WARNING);
    settings = (struct settings){.threads = 1, .warmup_ns = NS_PER_SEC, .slo_abort_ns = -1};
    settings.rate = 100;
    ck_assert_ptr_null(rate_profile_parse(&settings.arrivals.profile, "100"));
    stats = stats_create(1, true);
    worker = stats_thread(stats, 0);
    presenter = presenter_of(&settings, (struct reported_workload){.ops = &hooks}, NULL, &outputs);
    reporter_init(&reporter, stats, &presenter);
}

static void after(void)
{
    reporter_fini(&reporter);
    result_fini(&result);
    stats_destroy(stats);
    rate_profile_fini(&settings.arrivals.profile);
}

static int64_t seconds(double s)
{
    return (int64_t)(s * NS_PER_SEC);
}

/* Records a request that arrives at `at_s`, waits 5 ms, and takes 10 ms. */
static void serve(double at_s)
{
    enum phase phase = at_s < 1 ? PHASE_WARMUP : PHASE_MEASURED;
    stats_record_arrival(stats, phase, seconds(at_s));
    stats_record_lag(stats, phase, 0);
    stats_enter(worker, phase);
    stats_count(worker, COUNTER_EVENT, 1);
    stats_record(worker, METRIC_RESPONSE, 15 * NS_PER_MS);
    stats_record(worker, METRIC_WAIT, 5 * NS_PER_MS);
    stats_record(worker, METRIC_SERVICE, 10 * NS_PER_MS);
    stats_record_departure(worker, seconds(at_s) + 15 * NS_PER_MS);
}

static const struct distribution *metric(enum metric metric)
{
    return &result.total.snapshot.metric[metric];
}

START_TEST(an_interval_may_contain_warm_up_and_measured_part)
{
    serve(0.9);
    serve(1.1);
    reporter_interval(&reporter, seconds(1.5), (struct gauges){3, 2, 1, 0, 0, 0, NULL});
    ck_assert_uint_eq(intervals, 1);
    ck_assert_uint_eq(interval_events, 2);
    ck_assert_uint_eq(interval_offered, 2);
    ck_assert_int_eq(last.snapshot.from_ns, 0);
    ck_assert_int_eq(last.snapshot.to_ns, seconds(1.5));
    ck_assert_uint_eq(last.threads_running, 3);
    ck_assert_uint_eq(last.queue_length, 2);
    ck_assert_uint_eq(last.concurrency, 1);
    ck_assert_double_eq_tol(last.asked_per_s, 100, 1e-6);
    ck_assert_ptr_null(last.probes);
}
END_TEST

/*
 * First: one event in service since 1.2 s, and 30 events that have ended. Then: only the event in
 * service.
 */
START_TEST(mean_busy_includes_events_in_service)
{
    struct worker one = {0};
    const struct worker_pool pool = {.workers = &one, .count = 1, .start_ns = seconds(100)};
    reporter.pool = &pool;
    atomic_store(&one.serving_arrival_ns, seconds(101.1));
    atomic_store(&one.start_ns, seconds(101.2));
    for (int i = 0; i < 30; i++)
        serve(0.9);
    stats_record_arrival(stats, PHASE_MEASURED, seconds(1.1));
    reporter_interval(&reporter, seconds(1.5), (struct gauges){0});
    /* 30 events of 10 ms, and 0.3 s of the one in service. They waited 5 ms each, and the last one
     * 0.1 s. */
    ck_assert_double_eq_tol(last.busy, (0.3 + 0.3) / 1.5, 1e-6);
    ck_assert_double_eq_tol(last.queue, (30 * 0.005 + 0.1) / 1.5, 1e-6);
    reporter_interval(&reporter, seconds(2), (struct gauges){0});
    ck_assert_double_eq_tol(last.busy, 1, 1e-6);
    ck_assert_double_eq_tol(last.queue, 0, 1e-6);
}
END_TEST

/* A request that starts at 1.2 s after waiting 0.1 s, and fails at 1.8 s. */
START_TEST(mean_busy_includes_failed_events)
{
    struct worker one = {0};
    const struct worker_pool pool = {.workers = &one, .count = 1, .start_ns = seconds(100)};
    reporter.pool = &pool;
    atomic_store(&one.serving_arrival_ns, seconds(101.1));
    atomic_store(&one.start_ns, seconds(101.2));
    stats_record_arrival(stats, PHASE_MEASURED, seconds(1.1));
    reporter_interval(&reporter, seconds(1.5), (struct gauges){0});
    ck_assert_double_eq_tol(last.busy, 0.3 / 1.5, 1e-6);
    atomic_store(&one.serving_arrival_ns, 0);
    stats_enter(worker, PHASE_MEASURED);
    stats_count(worker, COUNTER_FAILED, 1);
    stats_record(worker, METRIC_FAILED, seconds(0.7));
    stats_record(worker, METRIC_WAIT, seconds(0.1));
    stats_record(worker, METRIC_FAILED_SERVICE, seconds(0.6));
    stats_record_departure(worker, seconds(1.8));
    reporter_interval(&reporter, seconds(2), (struct gauges){0});
    ck_assert_double_eq_tol(last.busy, 0.3 / 0.5, 1e-6);
    ck_assert_double_eq_tol(last.queue, 0, 1e-6);
}
END_TEST

/* The middle of an interval decides to which part it belongs. */
START_TEST(an_interval_is_warm_up_if_most_of_it_is)
{
    reporter_interval(&reporter, seconds(1.5), (struct gauges){0});
    ck_assert(last.warmup);
    reporter_interval(&reporter, seconds(3), (struct gauges){0});
    ck_assert(!last.warmup);
    ck_assert_int_eq(last.snapshot.from_ns, seconds(1.5));
}
END_TEST

START_TEST(records_collected_earlier_are_in_the_interval)
{
    serve(1.1);
    reporter_collect(&reporter, seconds(1.2));
    ck_assert(reporter_interval_pending(&reporter, seconds(1.2), INT64_MAX));
    serve(1.3);
    reporter_interval(&reporter, seconds(2), (struct gauges){0});
    ck_assert_uint_eq(interval_events, 2);
    ck_assert(!reporter_interval_pending(&reporter, seconds(2.1), seconds(1)));
    ck_assert(reporter_interval_pending(&reporter, seconds(3), seconds(1)));
    reporter_interval(&reporter, seconds(3), (struct gauges){0});
    ck_assert_uint_eq(interval_events, 0);
}
END_TEST

START_TEST(a_checkpoint_ends_a_part)
{
    serve(0.5);
    serve(1.5);
    reporter_checkpoint(&reporter, seconds(2));
    ck_assert_uint_eq(part_events, 1);
    ck_assert_int_eq(part_elapsed_ns, seconds(1));
    serve(2.5);
    serve(2.6);
    reporter_checkpoint(&reporter, seconds(4));
    ck_assert_uint_eq(checkpoints, 2);
    ck_assert_uint_eq(part_events, 2);
    ck_assert_int_eq(part_elapsed_ns, seconds(2));
}
END_TEST

START_TEST(the_result_contains_only_the_measured_part)
{
    serve(0.5);
    serve(1.5);
    reporter_checkpoint(&reporter, seconds(2));
    serve(2.5);
    reporter_collect(&reporter, seconds(3));
    requests = (struct requests){.offered = 2, .completed = 2};
    reporter_freeze(&reporter, &requests, seconds(2), &result);
    ck_assert_uint_eq(result.total.snapshot.counter[COUNTER_EVENT], 2);
    ck_assert_uint_eq(result.part.snapshot.counter[COUNTER_EVENT], 1);
    ck_assert_int_eq(result.total.snapshot.from_ns, seconds(1));
    ck_assert_int_eq(result.part.snapshot.from_ns, seconds(2));
    ck_assert_int_eq(result.total.snapshot.to_ns, seconds(3));
    ck_assert_int_eq(result.part.snapshot.to_ns, seconds(3));
    ck_assert_int_eq(result.total.elapsed_ns, seconds(2));
    ck_assert_int_eq(result.part.elapsed_ns, seconds(1));
    ck_assert_uint_eq(result.total.requests.offered, 2);
    ck_assert_uint_eq(result.audit.count, 2);
    ck_assert(!result.watched);
    ck_assert_double_eq_tol(result.part.fairness.events_mean, 1, 1e-9);
}
END_TEST

/* No figure may be divided by a time of 0. */
START_TEST(a_run_may_end_during_its_warm_up)
{
    serve(0.5);
    reporter_collect(&reporter, seconds(0.6));
    reporter_freeze(&reporter, &requests, 0, &result);
    ck_assert_uint_eq(result.total.snapshot.counter[COUNTER_EVENT], 0);
    ck_assert_int_eq(result.total.snapshot.from_ns, result.total.snapshot.to_ns);
    ck_assert_int_gt(result.total.elapsed_ns, 0);
    ck_assert_int_gt(result.part.elapsed_ns, 0);
}
END_TEST

START_TEST(unfinished_requests_are_lower_bounds)
{
    serve(1.5);
    stats_enter(worker, PHASE_MEASURED);
    stats_record(worker, METRIC_FAILED, 7 * NS_PER_MS);
    stats_record(worker, METRIC_WAIT, 3 * NS_PER_MS);
    stats_record(worker, METRIC_FAILED_SERVICE, 4 * NS_PER_MS);
    reporter_collect(&reporter, seconds(2));
    reporter_add_waiting(&reporter, 100 * NS_PER_MS, 1);
    reporter_add_in_service(&reporter, 20 * NS_PER_MS, 0, 30 * NS_PER_MS);
    reporter_add_detached(&reporter, 70 * NS_PER_MS, 60 * NS_PER_MS);
    reporter_freeze(&reporter, &requests, seconds(1), &result);
    /* The wait is known of completed, failed and in-service requests. */
    ck_assert_uint_eq(metric(METRIC_WAIT)->count, 3);
    ck_assert_uint_eq(metric(METRIC_WAIT)->censored, 2);
    ck_assert_int_eq(metric(METRIC_WAIT)->min_ns, 3 * NS_PER_MS);
    ck_assert_uint_eq(metric(METRIC_SERVICE)->count, 1);
    ck_assert_uint_eq(metric(METRIC_SERVICE)->censored, 3);
    ck_assert_uint_eq(metric(METRIC_SERVICE)->censored_sum_ns, (4 + 30 + 60) * NS_PER_MS);
    ck_assert_int_eq(metric(METRIC_SERVICE)->censored_max_ns, 60 * NS_PER_MS);
    /* The failed request is censored, too. */
    ck_assert_uint_eq(metric(METRIC_RESPONSE)->count, 1);
    ck_assert_uint_eq(metric(METRIC_RESPONSE)->censored, 4);
    ck_assert_int_eq(metric(METRIC_RESPONSE)->censored_max_ns, 100 * NS_PER_MS);
}
END_TEST

static void assert_same_figures(const struct reporter *a, const struct reporter *b)
{
    for (unsigned m = 0; m < METRIC_TYPES; m++) {
        ck_assert(same_distributions(&a->total.metric[m], &b->total.metric[m]));
        ck_assert(same_distributions(&a->part.metric[m], &b->part.metric[m]));
    }
}

START_TEST(adding_waiting_requests_together_or_singly_is_the_same)
{
    struct reporter one_by_one;
    struct rand_stream stream;
    rand_stream_init(&stream, 9, RAND_WORKLOAD, 0);
    reporter_init(&one_by_one, stats, &presenter);
    for (int i = 0; i < 1000; i++) {
        const int64_t age_ns = (int64_t)(rand_stream_exponential(&stream) * 3e9);
        const uint64_t count = (uint64_t)(rand_stream_exponential(&stream) * 20) % 100;
        for (uint64_t n = 0; n < count; n++)
            reporter_add_waiting(&one_by_one, age_ns, 1);
        reporter_add_waiting(&reporter, age_ns, count);
    }
    ck_assert_uint_gt(reporter.total.metric[METRIC_RESPONSE].censored, 1000);
    assert_same_figures(&one_by_one, &reporter);
    reporter_fini(&one_by_one);
}
END_TEST

/* With one step per request, this test would take weeks. */
START_TEST(adding_many_waiting_requests_takes_one_step)
{
    reporter_add_waiting(&reporter, NS_PER_SEC, UINT64_C(1) << 50);
    ck_assert_uint_eq(reporter.total.metric[METRIC_WAIT].censored, UINT64_C(1) << 50);
    ck_assert_uint_eq(reporter.part.metric[METRIC_RESPONSE].censored, UINT64_C(1) << 50);
}
END_TEST

/* The objective is 1 ms, and requests take 15 ms. */
START_TEST(objectives_are_reported_as_lost)
{
    slo_parse(&settings.slo, "p50<1ms");
    settings.slo_abort_ns = 0;
    settings.events = 10;
    ck_assert(!reporter_objectives_lost(&reporter, seconds(1.5), 0));
    for (int i = 0; i < 40; i++)
        serve(2);
    reporter_collect(&reporter, seconds(3));
    ck_assert(reporter_objectives_lost(&reporter, seconds(3), 0));
    settings.slo_abort_ns = -1;
    ck_assert(!reporter_objectives_lost(&reporter, seconds(3), 0));
}
END_TEST

RUN_SUITE_WITH("reporter", 60, before, after, an_interval_may_contain_warm_up_and_measured_part,
               mean_busy_includes_events_in_service, mean_busy_includes_failed_events,
               an_interval_is_warm_up_if_most_of_it_is,
               records_collected_earlier_are_in_the_interval, a_checkpoint_ends_a_part,
               the_result_contains_only_the_measured_part, a_run_may_end_during_its_warm_up,
               unfinished_requests_are_lower_bounds,
               adding_waiting_requests_together_or_singly_is_the_same,
               adding_many_waiting_requests_takes_one_step, objectives_are_reported_as_lost)
