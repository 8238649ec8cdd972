/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that serve terminals. */
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
        /* What it has been told behind its last request. */
        ck_assert_double_eq(worker_memo(), atomic_fetch_add(&visits[terminal], 1));
        const double think_s = worker_pause(1e-5, 1e-4, worker_memo() + 1);
        ck_assert(think_s > 0 && think_s <= 1e-3);
        if (atomic_fetch_add(&events, 1) % 5 == 0)
            worker_finish(false); /* it has failed, and the terminal goes on */
    }
    return 0;
}

/* terminals_populate() is for thread_init, which these workers do not have. */
static void begin_terminals(void)
{
    static const struct rank alone = {.count = 1};
    pool.terminals = terminals_create(3, &alone);
    terminals_populate(pool.terminals, CROWD, 0.01);
    pool.start_ns = pool.measure_ns = clock_now_ns();
    terminals_begin(pool.terminals, pool.start_ns);
    for (unsigned i = 0; i < CROWD; i++)
        atomic_store(&visits[i], 0);
}

static void serve(void)
{
    body = serve_visits;
    pool.stats = stats_create((unsigned)settings.threads, true);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
    worker_pool_join(&pool);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
}

START_TEST(each_request_is_recorded_from_when_it_was_sent)
{
    settings.threads = 3;
    settings.events = EVENTS;
    begin_terminals();
    serve();
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
    serve();
    ck_assert_uint_eq(completed(&measured) + failed(&measured), atomic_load(&events));
    terminals_destroy(pool.terminals);
}
END_TEST

RUN_SUITE_WITH("visits", 60, before, after, each_request_is_recorded_from_when_it_was_sent,
               no_request_is_begun_after_the_end)
