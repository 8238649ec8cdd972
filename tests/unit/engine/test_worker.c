/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/worker.h"

#include "worker_fixture.h"

static int execute_all(void)
{
    while (worker_next())
        atomic_fetch_add(&events, 1);
    return 0;
}

/* Closed loop. */

START_TEST(workers_share_the_events)
{
    settings.threads = 4;
    settings.events = 1000;
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(atomic_load(&events), 1000);
    ck_assert_uint_eq(completed(&measured), 1000);
    ck_assert_uint_eq(atomic_load(&ended_threads), 4);
    ck_assert_uint_eq(atomic_load(&pool.exited), 4);
    ck_assert_uint_eq(atomic_load(&pool.running), 0);
    ck_assert_uint_eq(atomic_load(&notices), 3 * 4); /* ready, out of the run loop, exited */
    ck_assert(!atomic_load(&pool.failed));
}
END_TEST

START_TEST(no_event_starts_after_the_end)
{
    pool.end_ns = clock_now_ns() - 1;
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(atomic_load(&events), 0);
    ck_assert_uint_eq(completed(&measured) + failed(&measured), 0);
}
END_TEST

START_TEST(no_event_starts_after_a_stop)
{
    atomic_store(&pool.stop, true);
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(atomic_load(&events), 0);
}
END_TEST

START_TEST(an_event_belongs_to_the_phase_in_which_it_arrived)
{
    settings.events = 10;
    pool.measure_ns = INT64_MAX;
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(completed(&warmed_up), 10);
    ck_assert_uint_eq(completed(&measured), 0);
}
END_TEST

START_TEST(an_abandoned_pool_executes_nothing)
{
    settings.threads = 3;
    settings.events = 10;
    run_through(GATE_ABANDONED, execute_all);
    ck_assert_uint_eq(atomic_load(&events), 0);
    ck_assert_uint_eq(atomic_load(&ended_threads), 3);
    ck_assert_uint_eq(atomic_load(&pool.exited), 3);
}
END_TEST

START_TEST(a_pool_that_was_never_started_can_be_joined)
{
    worker_pool_join(&pool);
}
END_TEST

/* At an arrival rate. */

START_TEST(requests_are_executed_in_the_order_of_arrival)
{
    arrive(3);
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(completed(&measured), 3);
    const struct distribution *wait = &measured.metric[METRIC_WAIT];
    ck_assert_uint_eq(wait->count, 3);
    ck_assert_uint_eq(measured.metric[METRIC_SERVICE].count, 3);
    ck_assert_int_ge(wait->max_ns, 2 * NS_PER_SEC);
    /* Each request waited from its arrival to its start and was in service after that. */
    ck_assert_uint_eq((uint64_t)measured.metric[METRIC_RESPONSE].sum_ns,
                      (uint64_t)wait->sum_ns + (uint64_t)measured.metric[METRIC_SERVICE].sum_ns);
    ck_assert_int_gt(last_end_ns, pool.start_ns);
}
END_TEST

START_TEST(no_request_is_taken_after_give_up_ns)
{
    arrive(3);
    pool.give_up_ns = clock_now_ns() - 1;
    run_through(GATE_OPEN, execute_all);
    ck_assert_uint_eq(atomic_load(&events), 0);
    ck_assert_uint_eq(queue_length(pool.queue), 3);
}
END_TEST

static int look_before_taking(void)
{
    while (!worker_would_wait() && worker_next())
        atomic_fetch_add(&events, 1);
    return worker_next() ? -1 : 0;
}

START_TEST(would_wait_is_true_for_an_empty_queue)
{
    arrive(3);
    run_through(GATE_OPEN, look_before_taking);
    ck_assert_uint_eq(atomic_load(&events), 3);
    ck_assert_uint_eq(completed(&measured), 3);
}
END_TEST

/* Events that fail. */

static int fail_half(void)
{
    while (worker_next())
        if (atomic_fetch_add(&events, 1) % 2 == 0)
            worker_finish(false);
    return 0;
}

START_TEST(a_failed_event_is_recorded_as_failed)
{
    arrive(10);
    run_through(GATE_OPEN, fail_half);
    ck_assert_uint_eq(completed(&measured), 5);
    ck_assert_uint_eq(failed(&measured), 5);
    ck_assert_uint_eq(measured.metric[METRIC_WAIT].count, 10);
    ck_assert_uint_eq(measured.metric[METRIC_SERVICE].count, 5);
    ck_assert_uint_eq(measured.metric[METRIC_FAILED_SERVICE].count, 5);
    ck_assert_uint_eq((uint64_t)measured.metric[METRIC_RESPONSE].sum_ns +
                          (uint64_t)measured.metric[METRIC_FAILED].sum_ns,
                      (uint64_t)measured.metric[METRIC_WAIT].sum_ns +
                          (uint64_t)measured.metric[METRIC_SERVICE].sum_ns +
                          (uint64_t)measured.metric[METRIC_FAILED_SERVICE].sum_ns);
}
END_TEST

static int restart_twice(void)
{
    while (worker_next())
        if (!worker_restart() || !worker_restart())
            return -1;
    return 0;
}

START_TEST(a_restarted_event_is_one_event)
{
    settings.events = 2;
    run_through(GATE_OPEN, restart_twice);
    ck_assert(!atomic_load(&pool.failed));
    ck_assert_uint_eq(completed(&measured), 2);
    ck_assert_uint_eq(failed(&measured), 0);
}
END_TEST

static int restart_once(void)
{
    unsigned given_up = 0;
    while (worker_next())
        given_up += !worker_restart();
    return given_up == 1 ? 0 : -1;
}

START_TEST(an_event_is_given_up_when_its_time_is_over)
{
    settings.events = 1;
    pool.give_up_ns = clock_now_ns() - 1;
    run_through(GATE_OPEN, restart_once);
    ck_assert_uint_eq(completed(&measured), 0);
    ck_assert_uint_eq(failed(&measured), 1);
    ck_assert(!atomic_load(&pool.failed));
}
END_TEST

static int leave(void)
{
    if (worker_next())
        worker_leave();
    return 0;
}

START_TEST(a_script_may_leave_the_run)
{
    settings.threads = 2;
    run_through(GATE_OPEN, leave);
    ck_assert_uint_eq(completed(&measured), 2);
    ck_assert_uint_eq(atomic_load(&pool.left), 2);
    ck_assert(!atomic_load(&pool.stop));
}
END_TEST

/* Workloads that fail. */

static int fail_loop(void)
{
    return -1;
}

START_TEST(a_loop_that_fails_stops_the_run)
{
    run_through(GATE_OPEN, fail_loop);
    ck_assert(atomic_load(&pool.failed));
    ck_assert(atomic_load(&pool.stop));
    ck_assert_uint_eq(atomic_load(&ended_threads), 1);
}
END_TEST

START_TEST(a_thread_that_cannot_be_set_up_is_not_run)
{
    settings.threads = 2;
    refuse_thread = true;
    run_through(GATE_OPEN, execute_all);
    ck_assert(atomic_load(&pool.failed));
    ck_assert_uint_eq(atomic_load(&pool.ready), 2);
    ck_assert_uint_eq(atomic_load(&pool.exited), 2);
    ck_assert_uint_eq(atomic_load(&ended_threads), 0);
}
END_TEST

START_TEST(a_failing_thread_end_is_a_failure)
{
    settings.events = 1;
    end_code = -1;
    run_through(GATE_OPEN, execute_all);
    ck_assert(atomic_load(&pool.failed));
    ck_assert_uint_eq(completed(&measured), 1);
}
END_TEST

/* Fields that other threads may read while workers run. */

static atomic_bool hold;

static int hold_in_an_event(void)
{
    if (!worker_next())
        return -1;
    atomic_fetch_add(&events, 1);
    while (atomic_load(&hold))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    worker_finish(true);
    return 0;
}

START_TEST(the_sequence_shows_whether_a_pool_has_changed)
{
    uint64_t first, second, third;
    atomic_store(&hold, true);
    arrive(1);
    body = hold_in_an_event;
    pool.stats = stats_create(1, true);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    ck_assert(worker_pool_settled(&pool, &first));
    worker_pool_gate(&pool, GATE_OPEN);
    while (atomic_load(&events) == 0)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    ck_assert(worker_pool_settled(&pool, &second));
    ck_assert_uint_ne(first, second);
    ck_assert_int_eq(atomic_load(&pool.workers[0].serving_arrival_ns), pool.start_ns + NS_PER_SEC);
    ck_assert(worker_pool_settled(&pool, &third));
    ck_assert_uint_eq(second, third);
    atomic_store(&hold, false);
    worker_pool_join(&pool);
}
END_TEST

/* The worker starts and ends events as fast as possible. At any time each started event is either
 * in service or recorded. */
START_TEST(events_are_either_in_service_or_recorded)
{
    enum { EVENTS = 200000 };
    settings.events = EVENTS;
    body = execute_all;
    pool.stats = stats_create(1, false);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    while (atomic_load(&pool.exited) == 0) {
        uint64_t sequence, again;
        if (!worker_pool_settled(&pool, &sequence))
            continue;
        int64_t begun = EVENTS - max_i64(0, atomic_load(&pool.events_left));
        unsigned held = worker_pool_serving(&pool);
        uint64_t ended =
            atomic_load(&pool.workers[0].stats->run.cell[PHASE_MEASURED].counter[COUNTER_EVENT]);
        if (worker_pool_settled(&pool, &again) && again == sequence)
            ck_assert_int_eq(begun, (int64_t)(held + ended));
    }
    worker_pool_join(&pool);
}
END_TEST

RUN_SUITE_WITH("worker", 60, before, after, workers_share_the_events, no_event_starts_after_the_end,
               no_event_starts_after_a_stop, an_event_belongs_to_the_phase_in_which_it_arrived,
               an_abandoned_pool_executes_nothing, a_pool_that_was_never_started_can_be_joined,
               requests_are_executed_in_the_order_of_arrival, no_request_is_taken_after_give_up_ns,
               would_wait_is_true_for_an_empty_queue, a_failed_event_is_recorded_as_failed,
               a_restarted_event_is_one_event, an_event_is_given_up_when_its_time_is_over,
               a_script_may_leave_the_run, a_loop_that_fails_stops_the_run,
               a_thread_that_cannot_be_set_up_is_not_run, a_failing_thread_end_is_a_failure,
               the_sequence_shows_whether_a_pool_has_changed,
               events_are_either_in_service_or_recorded)
