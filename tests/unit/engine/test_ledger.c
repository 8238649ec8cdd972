/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/ledger.h"

#include "../suite.h"
#include "base/clock.h"
#include "options/settings.h"
#include "stats/snapshot.h"

/* Start of the ledger's time. Times in the tests are in milliseconds since then. */
#define START_NS NS_PER_SEC

static struct settings settings;
static struct stats *stats;
static struct ledger *ledger;
static struct snapshot seen; /* everything that was recorded */

static int64_t at(double ms)
{
    return START_NS + (int64_t)(ms * (double)NS_PER_MS);
}

static void before(void)
{
    settings = (struct settings){.arrivals.kind = ARRIVAL_CONSTANT};
    ck_assert_ptr_null(rate_profile_parse(&settings.arrivals.profile, "1000"));
    stats = stats_create(1, true);
    const struct ledger_plan plan = {.stats = stats,
                                     .asked = &settings.arrivals,
                                     .start_ns = START_NS,
                                     .measure_ns = START_NS,
                                     .takers = 4};
    ledger = ledger_create(&plan);
    snapshot_init(&seen);
}

static void after(void)
{
    snapshot_fini(&seen);
    ledger_destroy(ledger);
    stats_destroy(stats);
    arrival_plan_fini(&settings.arrivals);
}

static void expect_request(double ms, struct request *request)
{
    ck_assert(ledger_expect(ledger, at(ms), request));
    ck_assert_int_eq(request->arrival_ns, at(ms));
    ck_assert_int_eq(atomic_load(request->ready_ns), at(ms));
}

/* hold() marks that a worker waits for the request; wake() that it woke `late_ms` after the
 * arrival. */
static void hold(const struct request *request)
{
    atomic_store(request->ready_ns, -request->arrival_ns);
}

static void wake(const struct request *request, double late_ms)
{
    atomic_store(request->ready_ns, request->arrival_ns + (int64_t)(late_ms * (double)NS_PER_MS));
}

/* Checks what was recorded until now: number of arrivals, number of lags, and sum of the lags. */
static void check_recorded(uint64_t offered, uint64_t lags, double sum_ms)
{
    struct snapshot now;
    snapshot_init(&now);
    stats_drain(stats, PHASE_MEASURED, &now);
    snapshot_add(&seen, &now);
    snapshot_fini(&now);
    ck_assert_uint_eq(seen.offered, offered);
    ck_assert_uint_eq(seen.lag.count, lags);
    ck_assert_double_eq_tol((double)seen.lag.sum_ns / (double)NS_PER_MS, sum_ms, 1e-9);
}

START_TEST(due_requests_are_recorded_at_once)
{
    const struct request due[] = {{.arrival_ns = at(1)}, {.arrival_ns = at(2)}};
    ledger_add(ledger, due, 2, at(2.5));
    check_recorded(2, 2, 2);
    ck_assert_uint_eq(ledger_goodness(ledger)->count, 2);
}
END_TEST

START_TEST(requests_put_ahead_arrive_when_they_are_due)
{
    struct request r[3];
    for (int i = 0; i < 3; i++)
        expect_request(10 * (i + 1), &r[i]);
    ck_assert_uint_eq(ledger_settle(ledger, at(9.9)), 3);
    check_recorded(0, 0, 0);
    ck_assert_int_eq(ledger_half_ns(ledger), at(20));
    ck_assert_uint_eq(ledger_settle(ledger, at(10)), 2);
    check_recorded(1, 0, 0); /* a worker might be about to mark the request */
    ck_assert_uint_eq(ledger_settle(ledger, at(35)), 0);
    check_recorded(3, 3, 0); /* no worker waited for them: they could be taken at their arrival */
    ck_assert_int_eq(ledger_half_ns(ledger), INT64_MAX);
}
END_TEST

START_TEST(a_sleeping_worker_delays_lags_but_not_arrivals)
{
    struct request r[2];
    expect_request(10, &r[0]);
    expect_request(20, &r[1]);
    hold(&r[0]);
    ck_assert_uint_eq(ledger_settle(ledger, at(40)), 0);
    check_recorded(2, 0, 0);
    wake(&r[0], 31);
    ledger_settle(ledger, at(42));
    check_recorded(2, 2, 31);
    ck_assert_int_eq(atomic_load(r[0].ready_ns), 0); /* the entry was judged */
}
END_TEST

START_TEST(arrivals_are_not_judged_while_the_generator_sleeps)
{
    struct request r[2];
    expect_request(10, &r[0]);
    expect_request(20, &r[1]);
    ledger_sleep(ledger, at(15));
    ledger_settle(ledger, at(30));
    check_recorded(2, 1, 0);
    ledger_wake(ledger, INT64_MAX, at(30));
    ledger_settle(ledger, at(31));
    check_recorded(2, 2, 0);
}
END_TEST

/* r[0] arrived before the absence, a worker waited for r[1], and r[3] arrived after the wake-up. */
/* The process was stopped at 2 ms and continues at 10 ms. The generator has not run yet: the
 * requests of 4 and 5 ms are late by 6 and 5 ms, unlike the one of 1 ms. The worker of the request
 * of 6 ms has woken up 0.5 ms late. */
START_TEST(lag_is_known_before_it_is_settled)
{
    struct request first, second, third, fourth;
    expect_request(1, &first);
    expect_request(4, &second);
    expect_request(5, &third);
    expect_request(6, &fourth);
    ledger_sleep(ledger, at(2));
    hold(&fourth);
    wake(&fourth, 0.5);
    ck_assert_int_eq(ledger_open_lag_ns(ledger, at(3)), 0);
    ck_assert_int_eq(ledger_open_lag_ns(ledger, at(10)), at(11.5) - at(0));
    ledger_wake(ledger, at(2), at(10));
    ck_assert_int_eq(ledger_open_lag_ns(ledger, at(12)), 0);
    check_recorded(4, 4, 11.5);
}
END_TEST

START_TEST(arrivals_without_running_workers_are_late)
{
    struct request r[4];
    for (int i = 0; i < 4; i++)
        expect_request(10 * (i + 1), &r[i]);
    hold(&r[1]);
    ledger_sleep(ledger, at(15));
    wake(&r[1], 13);
    ledger_wake(ledger, at(15), at(35));
    ledger_settle(ledger, at(50));
    check_recorded(4, 4, 13 + 5);
}
END_TEST

START_TEST(late_requests_follow_those_put_ahead)
{
    struct request r;
    const struct request late = {.arrival_ns = at(11)};
    expect_request(10, &r);
    hold(&r);
    ledger_add(ledger, &late, 1, at(13));
    ledger_settle(ledger, at(15));
    check_recorded(2, 0, 0);
    wake(&r, 0.5);
    ledger_settle(ledger, at(15));
    check_recorded(2, 2, 2.5);
}
END_TEST

START_TEST(workers_may_wake_in_any_order)
{
    /* The requests are planned for 1, 2, 3, 4 ms and could be taken at 4, 3, 2, 1 ms. In sorted
     * order these times match the plan exactly. */
    struct request r[4];
    for (int i = 0; i < 4; i++)
        expect_request(i + 1, &r[i]);
    for (int i = 0; i < 4; i++)
        atomic_store(r[i].ready_ns, at(4 - i));
    ledger_settle(ledger, at(10));
    ck_assert_uint_eq(ledger_goodness(ledger)->count, 4);
    ck_assert_double_eq_tol(goodness_distance(ledger_goodness(ledger)), 0, 1e-12);
}
END_TEST

START_TEST(a_cut_removes_later_arrivals)
{
    struct request r[3];
    for (int i = 0; i < 3; i++)
        expect_request(10 * (i + 1), &r[i]);
    ledger_cut(ledger, at(20));
    ledger_close(ledger, at(100));
    check_recorded(2, 2, 0);
}
END_TEST

START_TEST(at_the_close_a_sleeping_worker_counts_as_awake)
{
    struct request r;
    expect_request(10, &r);
    hold(&r);
    ledger_close(ledger, at(17));
    check_recorded(1, 1, 7);
}
END_TEST

START_TEST(a_full_ledger_takes_no_more_until_settled)
{
    struct request r;
    int64_t n = 0;
    while (ledger_expect(ledger, at(0) + n, &r))
        n++;
    ck_assert_int_ge(n, 8192);
    ck_assert_ptr_null(r.ready_ns);
    ledger_settle(ledger, at(10));
    check_recorded((uint64_t)n, (uint64_t)n, 0);
    expect_request(20, &r);
}
END_TEST

START_TEST(a_worker_that_never_wakes_does_not_block_a_full_ledger)
{
    struct request r;
    expect_request(0, &r);
    hold(&r);
    uint64_t n = 1;
    for (struct request more; ledger_expect(ledger, at(1), &more);)
        n++;
    const struct request late = {.arrival_ns = at(2)};
    ledger_add(ledger, &late, 1, at(5));
    ledger_close(ledger, at(6));
    check_recorded(n + 1, n + 1, 5 + 3);
    /* The entry may belong to another request now, so the worker's compare-and-swap must fail. */
    ck_assert_int_ne(atomic_load(r.ready_ns), -r.arrival_ns);
}
END_TEST

START_TEST(drops_are_grouped)
{
    size_t groups;
    ledger_drop(ledger, at(1), at(1));
    ledger_drop(ledger, at(1.5), at(1.5));
    ledger_drop(ledger, at(3), at(3));
    const struct drop_group *drop = ledger_drops(ledger, &groups);
    ck_assert_uint_eq(groups, 2);
    ck_assert_uint_eq(drop[0].count, 2);
    ck_assert_int_eq(drop[0].latest_ns, at(1.5));
    check_recorded(3, 0, 0);
}
END_TEST

RUN_SUITE_WITH("ledger", 60, before, after, due_requests_are_recorded_at_once,
               requests_put_ahead_arrive_when_they_are_due,
               a_sleeping_worker_delays_lags_but_not_arrivals,
               arrivals_are_not_judged_while_the_generator_sleeps,
               lag_is_known_before_it_is_settled, arrivals_without_running_workers_are_late,
               late_requests_follow_those_put_ahead, workers_may_wake_in_any_order,
               a_cut_removes_later_arrivals, at_the_close_a_sleeping_worker_counts_as_awake,
               a_full_ledger_takes_no_more_until_settled,
               a_worker_that_never_wakes_does_not_block_a_full_ledger, drops_are_grouped)
