/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of workers that serve terminals. */
#include <string.h>

#include "base/log.h"
#include "worker_fixture.h"

enum { CROWD = 50, EVENTS = 2000 };

static atomic_uint visits[CROWD];

static int serve_visits(void)
{
    ck_assert_int_eq(worker_populate(CROWD, 0.01), 0);
    ck_assert_uint_eq(worker_terminal(), 0);
    ck_assert_double_eq(worker_pause(1, 1, 1), 0);
    while (worker_next()) {
        const unsigned terminal = worker_terminal() - 1;
        ck_assert_uint_lt(terminal, CROWD);
        /* The memo is the one that was set with the terminal's previous request. */
        ck_assert_double_eq(worker_memo(), atomic_fetch_add(&visits[terminal], 1));
        const double think_s = worker_pause(1e-5, 1e-4, worker_memo() + 1);
        ck_assert(think_s > 0 && think_s <= 1e-3);
        if (atomic_fetch_add(&events, 1) % 5 == 0)
            worker_finish(false); /* the event has failed, and the terminal continues */
    }
    return 0;
}

/* terminals_populate() is called here because these workers have no thread_init. */
static void begin_terminals(void)
{
    static const struct rank alone = {.count = 1};
    pool.terminals = terminals_create(3, &alone);
    terminals_populate(pool.terminals, CROWD, 0.01);
    pool.start_ns = pool.measure_ns = clock_now_ns();
    terminals_begin(pool.terminals, pool.start_ns, pool.measure_ns);
    for (unsigned i = 0; i < CROWD; i++)
        atomic_store(&visits[i], 0);
}

static void serve(int (*how)(void))
{
    body = how;
    pool.stats = stats_create((unsigned)settings.threads, true);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
    worker_pool_join(&pool);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
}

START_TEST(response_times_begin_when_requests_are_sent)
{
    settings.threads = 3;
    settings.events = EVENTS;
    begin_terminals();
    serve(serve_visits);
    ck_assert_uint_eq(completed(&measured) + failed(&measured), EVENTS);
    ck_assert_uint_eq(failed(&measured), EVENTS / 5);
    ck_assert_uint_eq(measured.metric[METRIC_WAIT].count, EVENTS);
    ck_assert_uint_eq(measured.metric[METRIC_SERVICE].count, EVENTS - EVENTS / 5);
    ck_assert(measured.metric[METRIC_WAIT].min_ns >= 0);
    terminals_destroy(pool.terminals);
}
END_TEST

START_TEST(no_request_is_begun_after_the_end)
{
    settings.threads = 3;
    begin_terminals();
    pool.end_ns = pool.start_ns + 50 * NS_PER_MS;
    serve(serve_visits);
    ck_assert_uint_eq(completed(&measured) + failed(&measured), atomic_load(&events));
    terminals_destroy(pool.terminals);
}
END_TEST

/* Sessions. */

static atomic_uint requests[501];

static int serve_sessions(void)
{
    while (worker_next()) {
        atomic_fetch_add(&events, 1);
        ck_assert(!worker_has_terminals());
        ck_assert_uint_eq(worker_terminal(), 0);
        ck_assert_double_eq(worker_pause(1, 1, 1), 0);
        const double number = worker_session(), index = worker_session_index();
        ck_assert(number >= 1 && number <= 500);
        ck_assert_double_eq(index, atomic_fetch_add(&requests[(unsigned)number], 1) + 1);
        ck_assert_int_eq(worker_session_ends(), index == 3);
    }
    ck_assert_double_eq(worker_session(), 0);
    ck_assert(!worker_session_ends());
    return 0;
}

/* 500 sessions with 3 requests each begin 1 ms apart; the warm-up lasts until the 100th one. Their
 * two think times of 5 ms are a lower bound of their durations. */
START_TEST(sessions_are_recorded_when_they_end)
{
    settings.threads = 3;
    settings.queue_size = EVENTS;
    settings.sessions = (struct session_plan){.on = true, .most = 500};
    settings.sessions.arrivals.kind = ARRIVAL_CONSTANT;
    rate_profile_parse(&settings.sessions.arrivals.profile, "1000");
    session_length_parse(&settings.sessions.length, "3");
    think_law_parse(&settings.sessions.think, "5ms");
    pool.terminals = terminals_create_sessions(&settings);
    pool.start_ns = clock_now_ns();
    pool.measure_ns = pool.start_ns + 100 * NS_PER_MS;
    terminals_begin(pool.terminals, pool.start_ns, pool.measure_ns);
    body = serve_sessions;
    pool.stats = stats_create((unsigned)settings.threads, true);
    stats_add_sessions(pool.stats);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
    worker_pool_join(&pool);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
    stats_drain(pool.stats, PHASE_WARMUP, &warmed_up);
    ck_assert_uint_eq(atomic_load(&events), 1500);
    ck_assert_uint_eq(completed(&measured) + completed(&warmed_up), 1500);
    ck_assert_uint_eq(warmed_up.metric[METRIC_SESSION].count, 99);
    ck_assert_uint_eq(measured.metric[METRIC_SESSION].count, 401);
    ck_assert_int_ge(measured.metric[METRIC_SESSION].min_ns, 10 * NS_PER_MS);
    terminals_destroy(pool.terminals);
    session_plan_fini(&settings.sessions);
}
END_TEST

/* Run loops of a script that fetch the next event while one is in service. */

static int ask_before_stop(void)
{
    bool more = sb_more_events(0);
    while (more) {
        sb_event_start(0);
        atomic_fetch_add(&events, 1);
        more = sb_more_events(0);
        /* The terminal of the event in service was released, and the next event has not started. */
        ck_assert_uint_eq(worker_terminal(), 0);
        sb_event_stop(0);
    }
    return 0;
}

static int ask_twice(void)
{
    while (sb_more_events(0) && sb_more_events(0)) {
        sb_event_start(0);
        atomic_fetch_add(&events, 1);
    }
    return 0;
}

static int stop_every_second(void)
{
    for (unsigned n = 0; sb_more_events(0); n++) {
        sb_event_start(0);
        atomic_fetch_add(&events, 1);
        if (n % 2 == 1)
            sb_event_stop(0);
    }
    return 0;
}

/* Checks that after all events each terminal is waiting to send its next request, exactly once. */
static void check_no_terminal_is_lost(int (*how)(void), unsigned threads)
{
    struct visit visit;
    unsigned there[CROWD] = {0};
    settings.threads = threads;
    settings.events = EVENTS;
    begin_terminals();
    /* Far longer than the test takes. It makes the test end even if all terminals are lost. */
    pool.end_ns = pool.start_ns + 20 * NS_PER_SEC;
    serve(how);
    ck_assert_uint_eq(completed(&measured) + failed(&measured), EVENTS);
    ck_assert_uint_eq(atomic_load(&events), EVENTS);
    terminals_close(pool.terminals);
    while (terminals_remove(pool.terminals, INT64_MAX, &visit))
        there[visit.terminal]++;
    for (unsigned i = 0; i < CROWD; i++)
        ck_assert_uint_eq(there[i], 1);
    terminals_destroy(pool.terminals);
}

START_TEST(asking_before_stopping_loses_no_terminal)
{
    check_no_terminal_is_lost(ask_before_stop, 3);
    ck_assert_uint_eq(completed(&measured), EVENTS);
}
END_TEST

/* Each worker holds a terminal when it fetches the next event. */
START_TEST(asking_with_a_terminal_for_each_worker_does_not_block)
{
    check_no_terminal_is_lost(ask_before_stop, CROWD);
    ck_assert_uint_eq(completed(&measured), EVENTS);
}
END_TEST

START_TEST(events_that_are_not_stopped_lose_no_terminal)
{
    check_no_terminal_is_lost(ask_twice, 3);
    ck_assert_uint_eq(failed(&measured), EVENTS);
}
END_TEST

START_TEST(events_that_are_stopped_or_not_lose_no_terminal)
{
    check_no_terminal_is_lost(stop_every_second, 1);
    ck_assert_uint_eq(completed(&measured), EVENTS / 2);
    ck_assert_uint_eq(failed(&measured), EVENTS / 2);
}
END_TEST

static unsigned warnings;

static void count_warning(void *arg, const char *text)
{
    (void)arg;
    warnings += strstr(text, "sb_event_stop()") != NULL;
}

START_TEST(asking_before_stopping_is_warned_about_once)
{
    check_no_terminal_is_lost(ask_before_stop, 3);
    warnings = 0;
    log_each_warning(count_warning, NULL);
    ck_assert_uint_eq(warnings, 1);
}
END_TEST

RUN_SUITE_WITH("visits", 60, before, after, response_times_begin_when_requests_are_sent,
               no_request_is_begun_after_the_end, sessions_are_recorded_when_they_end, asking_before_stopping_loses_no_terminal,
               asking_with_a_terminal_for_each_worker_does_not_block,
               events_that_are_not_stopped_lose_no_terminal,
               events_that_are_stopped_or_not_lose_no_terminal,
               asking_before_stopping_is_warned_about_once)
