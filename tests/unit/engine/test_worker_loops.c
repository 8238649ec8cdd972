/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of run loops that do more than "next event, execute it": several events at a time, or step
 * by step. */
#include "engine/worker_api.h"

#include "worker_fixture.h"

/* Several events at a time. */

static int overlap(void)
{
    struct worker_request first, second;
    if (!worker_next())
        return -1;
    worker_detach(&first);
    if (!worker_next() || worker_pool_serving(&pool) != 2)
        return -1;
    worker_detach(&second);
    if (worker_pool_serving(&pool) != 2)
        return -1;
    worker_resume(&first);
    worker_finish(true);
    worker_resume(&second);
    worker_finish(false);
    return worker_pool_serving(&pool) == 0 ? 0 : -1;
}

START_TEST(events_may_overlap)
{
    arrive(2);
    run_through(GATE_OPEN, overlap);
    ck_assert(!atomic_load(&pool.failed));
    ck_assert_uint_eq(completed(&measured), 1);
    ck_assert_uint_eq(failed(&measured), 1);
    ck_assert_int_ge(measured.metric[METRIC_WAIT].max_ns, NS_PER_SEC);
}
END_TEST

static int detach_and_leave(void)
{
    struct worker_request request;
    return worker_next() ? worker_detach(&request), 0 : -1;
}

START_TEST(detached_events_are_reported_as_in_service)
{
    arrive(1);
    body = detach_and_leave;
    pool.stats = stats_create(1, true);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
    const struct worker *worker = &pool.workers[0];
    ck_assert_uint_eq(serving, 1);
    ck_assert_uint_eq(atomic_load(&worker->detached[PHASE_MEASURED]), 1);
    ck_assert_int_eq(atomic_load(&worker->detached_arrival_ns), pool.start_ns + NS_PER_SEC);
    ck_assert_int_ge(atomic_load(&worker->detached_start_ns),
                     atomic_load(&worker->detached_arrival_ns));
    worker_pool_join(&pool);
}
END_TEST

/* One event is parked while the other is in service; its service begins when it is unparked. */
static int park(void)
{
    struct worker_request waits;
    if (!worker_next() || worker_arrival_ns() != NS_PER_SEC)
        return -1;
    worker_park(&waits);
    if (worker_pool_serving(&pool) != 0 || atomic_load(&pool.parked) != 1 || !worker_next())
        return -1;
    if (worker_pool_serving(&pool) != 1)
        return -1;
    worker_finish(true);
    const int64_t now_ns = clock_now_ns();
    worker_unpark(&waits);
    if (worker_pool_serving(&pool) != 1 || waits.start_ns < now_ns)
        return -1;
    worker_finish(true);
    return atomic_load(&pool.parked) == 0 ? 0 : -1;
}

START_TEST(parked_events_are_not_in_service)
{
    arrive(2);
    run_through(GATE_OPEN, park);
    ck_assert(!atomic_load(&pool.failed));
    ck_assert_uint_eq(completed(&measured), 2);
    ck_assert_int_ge(measured.metric[METRIC_WAIT].max_ns, NS_PER_SEC);
}
END_TEST

static int give_back(void)
{
    struct worker_request waits;
    if (!worker_next())
        return -1;
    worker_park(&waits);
    worker_unpark(&waits);
    worker_give_back();
    return worker_pool_serving(&pool) == 0 ? 0 : -1;
}

START_TEST(events_given_back_are_queued)
{
    struct request request;
    arrive(1);
    run_through(GATE_OPEN, give_back);
    ck_assert(!atomic_load(&pool.failed));
    ck_assert_uint_eq(completed(&measured) + failed(&measured), 0);
    ck_assert(queue_remove(pool.queue, &request));
    ck_assert_int_eq(request.arrival_ns, pool.start_ns + NS_PER_SEC);
    ck_assert(!queue_remove(pool.queue, &request));
}
END_TEST

/* Run loops of a script. */

static int own_loop(void)
{
    while (sb_more_events(0)) {
        if (!sb_more_events(0)) /* an event that was taken is kept */
            return -1;
        sb_event_start(0);
        atomic_fetch_add(&events, 1);
        sb_counter_inc(0, SB_CNT_READ);
        sb_event_stop(0);
        sb_event_stop(0);
    }
    return 0;
}

START_TEST(a_script_loop_fetches_starts_and_stops)
{
    arrive(5);
    run_through(GATE_OPEN, own_loop);
    ck_assert_uint_eq(atomic_load(&events), 5);
    ck_assert_uint_eq(completed(&measured), 5);
    ck_assert_uint_eq(measured.counter[COUNTER_READ], 5);
}
END_TEST

static int start_twice(void)
{
    sb_event_start(0);
    sb_event_start(0);
    sb_event_stop(0);
    return 0;
}

START_TEST(an_event_that_is_not_stopped_counts_as_failed)
{
    arrive(2);
    run_through(GATE_OPEN, start_twice);
    ck_assert_uint_eq(completed(&measured), 1);
    ck_assert_uint_eq(failed(&measured), 1);
}
END_TEST

static int leave_in_an_event(void)
{
    sb_event_start(0);
    return 0;
}

static int leave_with_one_taken(void)
{
    return sb_more_events(0) ? 0 : -1;
}

START_TEST(an_event_in_service_at_the_return_counts_as_failed)
{
    arrive(1);
    run_through(GATE_OPEN, leave_in_an_event);
    ck_assert_uint_eq(failed(&measured), 1);
    ck_assert_uint_eq(serving, 0);
}
END_TEST

START_TEST(an_event_that_was_not_started_counts_as_failed)
{
    arrive(1);
    run_through(GATE_OPEN, leave_with_one_taken);
    ck_assert_uint_eq(failed(&measured), 1);
}
END_TEST

START_TEST(other_threads_are_ignored)
{
    ck_assert(!sb_more_events(0));
    sb_event_start(0);
    sb_event_stop(0);
    sb_counter_inc(0, SB_CNT_READ);
}
END_TEST

RUN_SUITE_WITH("worker_loops", 60, before, after, events_may_overlap,
               detached_events_are_reported_as_in_service, parked_events_are_not_in_service,
               events_given_back_are_queued, a_script_loop_fetches_starts_and_stops,
               an_event_that_is_not_stopped_counts_as_failed,
               an_event_in_service_at_the_return_counts_as_failed,
               an_event_that_was_not_started_counts_as_failed, other_threads_are_ignored)
