/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/lateness.h"

#include "../suite.h"
#include "options/percentiles.h"

#define MEDIAN (50 * PERCENT)

static struct snapshot s;

static void before(void)
{
    snapshot_init(&s);
}

static void after(void)
{
    snapshot_fini(&s);
}

/* Records one request, with times in microseconds. */
static void record(int64_t lag_us, int64_t service_us, int64_t response_us)
{
    distribution_record(&s.lag, lag_us * NS_PER_US);
    distribution_record(&s.metric[METRIC_SERVICE], service_us * NS_PER_US);
    distribution_record(&s.metric[METRIC_RESPONSE], response_us * NS_PER_US);
}

static void check(int64_t us, bool matters)
{
    int64_t ns = lateness_ns(&s, MEDIAN);
    ck_assert_int_ge(ns, us * 990);
    ck_assert_int_le(ns, us * 1010);
    ck_assert_int_eq(lateness_matters(&s, MEDIAN), matters);
}

START_TEST(a_large_lateness_matters)
{
    record(50, 100, 150);
    check(50, true);
}
END_TEST

START_TEST(a_small_lateness_does_not_matter)
{
    record(9, 100, 109);
    check(9, false);
}
END_TEST

START_TEST(waiting_for_a_worker_is_not_lateness)
{
    record(1, 100, 900);
    check(1, false);
}
END_TEST

START_TEST(lateness_is_at_most_the_waiting_time)
{
    record(500, 100, 120);
    check(20, true);
}
END_TEST

START_TEST(an_empty_snapshot_is_not_late)
{
    ck_assert_int_eq(lateness_ns(&s, MEDIAN), 0);
    ck_assert(!lateness_matters(&s, MEDIAN));
}
END_TEST

RUN_SUITE_WITH("lateness", 30, before, after, a_large_lateness_matters,
               a_small_lateness_does_not_matter, waiting_for_a_worker_is_not_lateness,
               lateness_is_at_most_the_waiting_time, an_empty_snapshot_is_not_late)
