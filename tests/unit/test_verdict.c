/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "arrival.h"
#include "suite.h"
#include "verdict.h"

/* A run of 20 s at 1000/s, built window by window: 200 of 0.1 s, with 100 requests each. */

#define WINDOWS 200
#define PER_WINDOW 100

static struct settings settings;
static struct summary summary;
static struct audit audit;
static struct evidence evidence;

static void begin(void)
{
    settings = (struct settings){
        .threads = 8, .rate = 1000, .percentiles = 1, .percentile = {99 * PERCENT}};
    summary = (struct summary){0};
    audit = (struct audit){0};
    snapshot_init(&summary.snapshot);
    evidence = (struct evidence){.settings = &settings,
                                 .summary = &summary,
                                 .audit = &audit,
                                 .arrivals_end_ns = INT64_MAX,
                                 .goodness = 0.01,
                                 .gaps = 20000,
                                 .client_cpu = 0.1,
                                 .steal = 0};
}

/* A window in which all requests take `response_ns` and the generator is late by `lag_ns`; `left`
 * remain in the system. */
static void add_window(int64_t response_ns, int64_t lag_ns, int64_t left)
{
    struct snapshot window;
    int64_t to_ns = (int64_t)(audit.count + 1) * NS_PER_SEC / 10;
    snapshot_init(&window);
    for (int i = 0; i < PER_WINDOW; i++) {
        /* Some spread, so that means have a variance. */
        distribution_record(&window.metric[METRIC_RESPONSE],
                            response_ns + i * 100 + (to_ns / 1000 % 97));
        distribution_record(&window.lag, lag_ns);
    }
    window.counter[COUNTER_EVENT] = PER_WINDOW;
    window.offered = (uint64_t)(PER_WINDOW + left - audit.in_system);
    audit_begin(&audit, to_ns);
    audit_add(&audit, &window);
    window.to_ns = to_ns;
    snapshot_add(&summary.snapshot, &window);
    snapshot_fini(&window);
}

static struct verdict end(void)
{
    summary.requests.offered = summary.snapshot.offered;
    struct verdict v = verdict_of(&evidence);
    audit_fini(&audit);
    snapshot_fini(&summary.snapshot);
    return v;
}

static void assert_finding(const struct verdict *v, const char *name)
{
    for (unsigned i = 0; i < v->count; i++)
        if (strcmp(v->finding[i].name, name) == 0)
            return;
    ck_abort_msg("no finding %s among %u", name, v->count);
}

START_TEST(a_steady_run_is_valid)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_msg(v.count == 0, "%s: %s", v.finding[0].name, v.finding[0].figure);
}
END_TEST

START_TEST(a_late_generator_limits_what_can_be_said)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, NS_PER_MS, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "CLIENT-LIMITED");
    ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "99%"));
}
END_TEST

START_TEST(lag_counts_against_the_response_time)
{
    /* The same millisecond is nothing when responses take 50 ms. */
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(50 * NS_PER_MS, NS_PER_MS, 50);
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_busy_client_or_a_greedy_neighbour_is_named)
{
    for (int steal = 0; steal <= 1; steal++) {
        begin();
        evidence.client_cpu = steal ? 0.1 : 0.95;
        evidence.steal = steal ? 0.2 : 0;
        for (int i = 0; i < WINDOWS; i++)
            add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
        struct verdict v = end();
        ck_assert_uint_eq(v.count, 1);
        assert_finding(&v, "CLIENT-LIMITED");
        ck_assert_ptr_nonnull(strstr(v.finding[0].figure, steal ? "hypervisor" : "95 %"));
    }
}
END_TEST

START_TEST(bursts_are_off)
{
    begin();
    evidence.goodness = 0.2;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "ARRIVALS-OFF");
}
END_TEST

START_TEST(a_backlog_that_grows_is_an_overload)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window((5 + i) * NS_PER_MS, 10 * NS_PER_US, 5 + 10 * i);
    summary.requests.queued = 5 + 10 * (WINDOWS - 1);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(waiting_for_a_frozen_server_does_not_hide_the_backlog)
{
    /* Arrivals stop after 20 s with 1000 in the system; nobody departs in the next 20 s. */
    begin();
    for (int i = 0; i < 2 * WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US,
                   i < WINDOWS / 2 ? 5 : min_i64(1000, 10 * (i - WINDOWS / 2)));
    evidence.arrivals_end_ns = 20 * NS_PER_SEC;
    summary.requests.queued = 1000;
    struct verdict v = end();
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(what_a_drain_leaves_is_an_overload)
{
    begin();
    settings.drain_ns = NS_PER_SEC;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5000);
    summary.requests.queued = 1000;
    struct verdict v = end();
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(a_run_without_requests_is_not_valid)
{
    begin();
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "NOTHING-MEASURED");
}
END_TEST

START_TEST(quiet_stretches_are_no_measure_of_a_stall)
{
    /* Nothing completes in most batches; the others are alike. */
    begin();
    for (int i = 0; i < WINDOWS; i++)
        if (i % 40 == 0)
            add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
        else
            audit_begin(&audit, (int64_t)(audit.count + 1) * NS_PER_SEC / 10);
    summary.snapshot.to_ns = 20 * NS_PER_SEC;
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_large_but_steady_backlog_is_none)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(500 * NS_PER_MS, 10 * NS_PER_US, 500);
    summary.requests.queued = 500;
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(dropped_requests_are_an_overload)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    summary.requests.dropped = 1;
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(a_drift_is_not_stationary)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS + i * 25 * NS_PER_US, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "NON-STATIONARY");
    ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "first half"));
}
END_TEST

START_TEST(a_rate_that_changes_may_drift)
{
    begin();
    settings.rate_changes = true;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS + i * 25 * NS_PER_US, 10 * NS_PER_US, 5);
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_stall_is_told_by_whose_it_was)
{
    for (int client = 0; client <= 1; client++) {
        begin();
        for (int i = 0; i < WINDOWS; i++) {
            bool stalled = i >= 100 && i < 110;
            add_window(stalled ? 900 * NS_PER_MS : NS_PER_MS,
                       stalled && client ? 900 * NS_PER_MS : 0, 1);
        }
        struct verdict v = end();
        assert_finding(&v, "NON-STATIONARY");
        const struct finding *f = &v.finding[v.count - 1];
        ck_assert_ptr_nonnull(strstr(f->figure, "from 10.0 to 11.0 s"));
        ck_assert_ptr_nonnull(
            strstr(f->advice, client ? "it was the client" : "it was not the client"));
        if (client)
            assert_finding(&v, "CLIENT-LIMITED");
    }
}
END_TEST

START_TEST(littles_law_holds_to_the_nanosecond)
{
    /* Within 10 s: one request from 1 to 3 s, one from 2 s on that is still there; one was there
     * from the start and left at 4 s. */
    struct snapshot s;
    snapshot_init(&s);
    s.to_ns = 10 * NS_PER_SEC;
    s.offered = 2;
    s.arrived_ns = (uint64_t)(1 + 2) * NS_PER_SEC;
    s.counter[COUNTER_EVENT] = 2;
    s.departed_ns = (uint64_t)(3 + 4) * NS_PER_SEC;
    distribution_record(&s.metric[METRIC_RESPONSE], 2 * NS_PER_SEC);
    distribution_record(&s.metric[METRIC_RESPONSE], 5 * NS_PER_SEC);
    struct little little = little_of(&s, 1);
    ck_assert_double_eq_tol(little.in_system, (2 + 8 + 4) / 10.0, 1e-9);
    ck_assert_double_eq_tol(little.by_law, 7 / 10.0, 1e-9);
    ck_assert_double_ge(little.error, fabs(little.in_system - little.by_law));
    ck_assert_int_eq(little_left(&s, 1), 1);
    snapshot_fini(&s);
}
END_TEST

START_TEST(sums_of_times_may_wrap)
{
    /* After 100 days at 10⁶/s the sums have passed 2^64 many times. */
    struct snapshot s;
    snapshot_init(&s);
    s.from_ns = 8640000 * NS_PER_SEC;
    s.to_ns = s.from_ns + NS_PER_SEC;
    s.offered = s.counter[COUNTER_EVENT] = 1000000;
    for (uint64_t i = 0; i < 1000000; i++) {
        s.arrived_ns += (uint64_t)s.from_ns + i * 990;
        s.departed_ns += (uint64_t)s.from_ns + i * 990 + 5000;
    }
    s.metric[METRIC_RESPONSE].sum_ns = UINT64_C(1000000) * 5000;
    struct little little = little_of(&s, 0);
    ck_assert_double_eq_tol(little.in_system, 5, 1e-9);
    ck_assert_double_eq_tol(little.by_law, 5, 1e-9);
    snapshot_fini(&s);
}
END_TEST

START_TEST(gaps_that_fit_and_gaps_that_do_not)
{
    struct settings asked = {.rand.seed = 3};
    struct arrival arrival;
    static struct goodness exact, rounded;
    ck_assert_ptr_null(rate_profile_parse(&asked.profile, "1000"));
    arrival_init(&arrival, &asked, 0, 1);
    goodness_init(&exact, &asked);
    goodness_init(&rounded, &asked);
    for (int i = 0; i < 20000; i++) {
        int64_t at_ns = arrival_next(&arrival);
        goodness_add(&exact, at_ns, at_ns);
        goodness_add(&rounded, at_ns, at_ns / NS_PER_MS * NS_PER_MS); /* a clock of 1 ms */
    }
    /* P(D > 2.6/√n) < 3·10⁻⁶. On a grid as wide as the mean gap, P(gap = 0) = 1/e while it should
     * be 0. */
    ck_assert_double_lt(goodness_distance(&exact), 2.6 / sqrt(20000));
    ck_assert_double_gt(goodness_distance(&rounded), 0.3);
    rate_profile_fini(&asked.profile);
}
END_TEST

START_TEST(evenly_spaced_arrivals_are_judged_by_their_gaps)
{
    struct settings asked = {.arrival = ARRIVAL_CONSTANT};
    static struct goodness g;
    ck_assert_ptr_null(rate_profile_parse(&asked.profile, "1000"));
    goodness_init(&g, &asked);
    for (int64_t i = 1; i <= 1000; i++)
        goodness_add(&g, i * NS_PER_MS, i * NS_PER_MS + (i % 2 == 0 ? 100 * NS_PER_US : 0));
    ck_assert_double_eq_tol(goodness_distance(&g), 0.1, 0.001);
    rate_profile_fini(&asked.profile);
}
END_TEST

RUN_SUITE("verdict", 30, a_steady_run_is_valid, a_late_generator_limits_what_can_be_said,
          lag_counts_against_the_response_time, a_busy_client_or_a_greedy_neighbour_is_named,
          bursts_are_off, a_backlog_that_grows_is_an_overload,
          waiting_for_a_frozen_server_does_not_hide_the_backlog, what_a_drain_leaves_is_an_overload,
          a_run_without_requests_is_not_valid, quiet_stretches_are_no_measure_of_a_stall,
          a_large_but_steady_backlog_is_none, dropped_requests_are_an_overload,
          a_drift_is_not_stationary, a_rate_that_changes_may_drift, a_stall_is_told_by_whose_it_was,
          littles_law_holds_to_the_nanosecond, sums_of_times_may_wrap,
          gaps_that_fit_and_gaps_that_do_not, evenly_spaced_arrivals_are_judged_by_their_gaps)
