/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "../suite.h"
#include "result/summary.h"
#include "stats/stats.h"

START_TEST(a_snapshot_holds_what_was_recorded_since_the_last)
{
    struct stats *stats = stats_create(2, true);
    struct snapshot s;
    snapshot_init(&s);
    struct stats_thread *t = stats_thread(stats, 1);
    stats_count(t, COUNTER_EVENT, 3);
    stats_record(t, METRIC_RESPONSE, 5000);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.counter[COUNTER_EVENT], 3);
    ck_assert_uint_eq(s.metric[METRIC_RESPONSE].count, 1);
    ck_assert_int_eq(s.metric[METRIC_RESPONSE].min_ns, 5000);
    ck_assert_int_eq(s.metric[METRIC_RESPONSE].max_ns, 5000);

    stats_record(t, METRIC_RESPONSE, 7000);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.counter[COUNTER_EVENT], 0);
    ck_assert_uint_eq(s.metric[METRIC_RESPONSE].sum_ns, 7000);
    ck_assert_int_eq(s.metric[METRIC_RESPONSE].max_ns, 7000);
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

START_TEST(sums_are_taken_before_the_rest_and_nothing_twice)
{
    struct stats *stats = stats_create(1, true);
    struct snapshot sums, rest;
    snapshot_init(&sums);
    snapshot_init(&rest);
    struct stats_thread *t = stats_thread(stats, 0);
    stats_count(t, COUNTER_EVENT, 2);
    stats_record(t, METRIC_RESPONSE, 5000);
    stats_record(t, METRIC_RESPONSE, 9000);
    stats_record_arrival(stats, PHASE_MEASURED, 5);
    stats_record_lag(stats, PHASE_MEASURED, 40);
    stats_drain_sums(stats, PHASE_MEASURED, &sums);
    const struct distribution *response = &sums.metric[METRIC_RESPONSE];
    ck_assert_uint_eq(sums.counter[COUNTER_EVENT], 2);
    ck_assert_uint_eq(sums.offered, 1);
    ck_assert_uint_eq(response->count, 0);
    ck_assert_uint_eq(response->sum_ns, 14000);
    ck_assert_int_eq(response->max_ns, 9000);

    stats_drain(stats, PHASE_MEASURED, &rest);
    ck_assert_uint_eq(rest.counter[COUNTER_EVENT] + rest.offered, 0);
    ck_assert_uint_eq(rest.metric[METRIC_RESPONSE].sum_ns, 0);
    snapshot_add(&sums, &rest);
    ck_assert_uint_eq(response->count, 2);
    ck_assert_uint_eq(sums.lag.count, 1);
    ck_assert_int_eq(response->min_ns, 5000);
    ck_assert_int_eq(response->max_ns, 9000);
    ck_assert_uint_eq(response->buckets[histogram_index(5000)], 1);
    ck_assert_uint_eq(response->buckets[histogram_index(9000)], 1);
    snapshot_fini(&sums);
    snapshot_fini(&rest);
    stats_destroy(stats);
}
END_TEST

START_TEST(the_warm_up_never_reaches_the_measured_phase)
{
    struct stats *stats = stats_create(1, true);
    struct snapshot s;
    snapshot_init(&s);
    struct stats_thread *t = stats_thread(stats, 0);
    stats_enter(t, PHASE_WARMUP);
    stats_count(t, COUNTER_READ, 1);
    stats_record(t, METRIC_RESPONSE, 1);
    stats_record_arrival(stats, PHASE_WARMUP, 5);
    stats_record_lag(stats, PHASE_WARMUP, 10);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.counter[COUNTER_READ] + s.metric[METRIC_RESPONSE].count + s.offered, 0);
    stats_drain(stats, PHASE_WARMUP, &s);
    ck_assert_uint_eq(s.counter[COUNTER_READ], 1);
    ck_assert_uint_eq(s.offered, 1);
    ck_assert_uint_eq(s.lag.count, 1);
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

START_TEST(dropped_requests_were_offered)
{
    struct stats *stats = stats_create(1, true);
    struct snapshot s;
    snapshot_init(&s);
    stats_record_arrival(stats, PHASE_MEASURED, 5);
    stats_record_lag(stats, PHASE_MEASURED, 40);
    stats_record_drop(stats, PHASE_MEASURED);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.offered, 2);
    ck_assert_uint_eq(s.dropped, 1);
    ck_assert_uint_eq(s.lag.count, 1);
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

START_TEST(fairness_is_mean_and_deviation_over_threads)
{
    struct stats *stats = stats_create(2, false);
    stats_count(stats_thread(stats, 0), COUNTER_EVENT, 10);
    stats_count(stats_thread(stats, 1), COUNTER_EVENT, 20);
    stats_record(stats_thread(stats, 0), METRIC_RESPONSE, 2 * NS_PER_SEC);
    struct fairness f = stats_fairness(stats, true);
    ck_assert_double_eq_tol(f.events_mean, 15, 1e-9);
    ck_assert_double_eq_tol(f.events_stddev, 5, 1e-9);
    ck_assert_double_eq_tol(f.seconds_mean, 1, 1e-9);
    ck_assert_double_eq_tol(f.seconds_stddev, 1, 1e-9);
    f = stats_fairness(stats, false);
    ck_assert_double_eq_tol(f.events_mean, 0, 1e-9);
    stats_destroy(stats);
}
END_TEST

/* More threads than histograms record while one thread drains. The sums must be exact. */

#define THREADS 200
#define EVENTS 2000

static struct stats *shared;
static atomic_uint threads_left;

static void *record(void *arg)
{
    unsigned id = (unsigned)(uintptr_t)arg;
    struct stats_thread *t = stats_thread(shared, id);
    for (int i = 0; i < EVENTS; i++) {
        stats_count(t, COUNTER_EVENT, 1);
        stats_record(t, METRIC_RESPONSE, 1000 + id + i);
    }
    atomic_fetch_sub(&threads_left, 1);
    return NULL;
}

START_TEST(snapshots_under_load_add_up_to_the_whole)
{
    pthread_t threads[THREADS];
    struct snapshot s, total;
    shared = stats_create(THREADS, false);
    snapshot_init(&s);
    snapshot_init(&total);
    atomic_store(&threads_left, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, (void *)i);
    for (unsigned turn = 0; atomic_load(&threads_left) > 0; turn++) {
        (turn % 3 == 0 ? stats_drain : stats_drain_sums)(shared, PHASE_MEASURED, &s);
        snapshot_add(&total, &s);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    stats_drain(shared, PHASE_MEASURED, &s);
    snapshot_add(&total, &s);

    const struct distribution *d = &total.metric[METRIC_RESPONSE];
    uint64_t events = (uint64_t)THREADS * EVENTS;
    ck_assert_uint_eq(total.counter[COUNTER_EVENT], events);
    ck_assert_uint_eq(d->count, events);
    ck_assert_uint_eq(d->sum_ns, events * 1000 + (uint64_t)EVENTS * THREADS * (THREADS - 1) / 2 +
                                     (uint64_t)THREADS * EVENTS * (EVENTS - 1) / 2);
    ck_assert_int_eq(d->min_ns, 1000);
    ck_assert_int_eq(d->max_ns, 1000 + THREADS - 1 + EVENTS - 1);
    snapshot_fini(&s);
    snapshot_fini(&total);
    stats_destroy(shared);
}
END_TEST

RUN_SUITE("stats", 60, a_snapshot_holds_what_was_recorded_since_the_last,
          sums_are_taken_before_the_rest_and_nothing_twice,
          the_warm_up_never_reaches_the_measured_phase, dropped_requests_were_offered,
          fairness_is_mean_and_deviation_over_threads, snapshots_under_load_add_up_to_the_whole)
