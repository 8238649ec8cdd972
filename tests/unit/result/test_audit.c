/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence for a verdict: Little's law, and the fit of the arrivals. */
#include <math.h>

#include "../suite.h"
#include "engine/arrival.h"
#include "engine/goodness.h"
#include "result/audit.h"

static const struct audit no_windows;

START_TEST(littles_law_holds_to_the_nanosecond)
{
    /* Requests within 10 s: one was there from the start and left at 4 s, one was there from 1 to 3
     * s, and one came at 2 s and is still there. */
    struct snapshot s;
    snapshot_init(&s);
    s.to_ns = 10 * NS_PER_SEC;
    s.offered = 2;
    s.arrived_ns = (uint64_t)(1 + 2) * NS_PER_SEC;
    s.counter[COUNTER_EVENT] = 2;
    s.departed_ns = (uint64_t)(3 + 4) * NS_PER_SEC;
    distribution_record(&s.metric[METRIC_RESPONSE], 2 * NS_PER_SEC);
    distribution_record(&s.metric[METRIC_RESPONSE], 5 * NS_PER_SEC);
    struct little little = little_of(&no_windows, &s, 1);
    ck_assert_double_eq_tol(little.in_system, (2 + 8 + 4) / 10.0, 1e-9);
    ck_assert_double_eq_tol(little.by_law, 7 / 10.0, 1e-9);
    ck_assert_double_ge(little.error, fabs(little.in_system - little.by_law));
    snapshot_fini(&s);
}
END_TEST

/* Departures were counted although their arrivals are counted only in the next interval. */
START_TEST(no_mean_is_below_0)
{
    struct snapshot s;
    snapshot_init(&s);
    s.to_ns = NS_PER_SEC;
    s.offered = 1000;
    s.counter[COUNTER_EVENT] = 1010;
    s.arrived_ns = 1000 * (uint64_t)(NS_PER_SEC / 2);
    s.departed_ns = 1010 * (uint64_t)(NS_PER_SEC / 2);
    ck_assert_double_eq_tol(little_of(&no_windows, &s, 0).in_system, 0, 1e-9);
    snapshot_fini(&s);
}
END_TEST

START_TEST(sums_of_times_may_wrap)
{
    /* After 100 days at 10⁶/s the sums have wrapped at 2^64 many times. */
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
    struct little little = little_of(&no_windows, &s, 0);
    ck_assert_double_eq_tol(little.in_system, 5, 1e-9);
    ck_assert_double_eq_tol(little.by_law, 5, 1e-9);
    snapshot_fini(&s);
}
END_TEST

/*
 * 131 072 requests arrive in the first hour and wait for 30 hours. Then a quarter of them leaves.
 */
START_TEST(a_long_queue_for_days_does_not_overflow)
{
    const int64_t hour_ns = 3600 * NS_PER_SEC;
    struct audit audit = {0};
    struct snapshot s;
    snapshot_init(&s);
    for (int64_t hour = 1; hour <= 31; hour++) {
        audit_begin(&audit, hour * hour_ns);
        struct snapshot part = {.offered = hour == 1 ? 131072 : 0};
        part.counter[COUNTER_EVENT] = hour == 31 ? 32768 : 0;
        audit_add(&audit, &part);
        s.offered += part.offered;
        s.counter[COUNTER_EVENT] += part.counter[COUNTER_EVENT];
    }
    s.to_ns = 31 * hour_ns;
    s.arrived_ns = 131072 * (uint64_t)hour_ns;
    s.departed_ns = 32768 * 31 * (uint64_t)hour_ns;
    struct little little = little_of(&audit, &s, 0);
    ck_assert_double_eq_tol(little.in_system, 131072 * 30 / 31.0, 1e-6);
    audit_fini(&audit);
    snapshot_fini(&s);
}
END_TEST

START_TEST(gaps_that_fit_and_gaps_that_do_not)
{
    struct settings asked = {.rand.seed = 3};
    struct arrival arrival;
    static struct goodness exact, rounded;
    ck_assert_ptr_null(rate_profile_parse(&asked.arrivals.profile, "1000"));
    arrival_init(&arrival, &asked);
    goodness_init(&exact, &asked.arrivals);
    goodness_init(&rounded, &asked.arrivals);
    for (int i = 0; i < 20000; i++) {
        int64_t at_ns = arrival_next(&arrival);
        goodness_add(&exact, at_ns, at_ns);
        /* a clock with a resolution of 1 ms */
        goodness_add(&rounded, at_ns, at_ns / NS_PER_MS * NS_PER_MS);
    }
    /* P(D > 2.6/√n) < 3·10⁻⁶ for exact times. If times are rounded to a grid as wide as the mean
     * gap, P(gap = 0) is 1/e, but it should be 0. */
    ck_assert_double_lt(goodness_distance(&exact), 2.6 / sqrt(20000));
    ck_assert_double_gt(goodness_distance(&rounded), 0.3);
    rate_profile_fini(&asked.arrivals.profile);
}
END_TEST

START_TEST(a_stall_of_the_generator_does_not_spoil_the_fit)
{
    for (int slow = 0; slow <= 1; slow++) {
        struct settings asked = {.arrivals.kind = ARRIVAL_CONSTANT};
        static struct goodness g;
        ck_assert_ptr_null(rate_profile_parse(&asked.arrivals.profile, "1000"));
        goodness_init(&g, &asked.arrivals);
        /* Either two of four seconds of arrivals come at once, or all take twice as long as they
         * should. */
        for (int64_t i = 1; i <= 4000; i++)
            goodness_add(&g, i * NS_PER_MS,
                         slow                    ? 2 * i * NS_PER_MS
                         : i >= 1000 && i < 3000 ? 3 * NS_PER_SEC
                                                 : i * NS_PER_MS);
        ck_assert_uint_eq(g.count, slow ? 4000 : 2000);
        ck_assert_double_eq_tol(goodness_distance(&g), slow, 0.001);
        rate_profile_fini(&asked.arrivals.profile);
    }
}
END_TEST

START_TEST(evenly_spaced_arrivals_are_judged_by_their_gaps)
{
    struct settings asked = {.arrivals.kind = ARRIVAL_CONSTANT};
    static struct goodness g;
    ck_assert_ptr_null(rate_profile_parse(&asked.arrivals.profile, "1000"));
    goodness_init(&g, &asked.arrivals);
    for (int64_t i = 1; i <= 1000; i++)
        goodness_add(&g, i * NS_PER_MS, i * NS_PER_MS + (i % 2 == 0 ? 100 * NS_PER_US : 0));
    ck_assert_double_eq_tol(goodness_distance(&g), 0.1, 0.001);
    rate_profile_fini(&asked.arrivals.profile);
}
END_TEST

RUN_SUITE("audit", 30, littles_law_holds_to_the_nanosecond, sums_of_times_may_wrap,
          no_mean_is_below_0, a_long_queue_for_days_does_not_overflow,
          gaps_that_fit_and_gaps_that_do_not, a_stall_of_the_generator_does_not_spoil_the_fit,
          evenly_spaced_arrivals_are_judged_by_their_gaps)
