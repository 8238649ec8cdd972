/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../suite.h"

#include "base/util.h"
#include "options/until.h"

START_TEST(goals_are_parsed)
{
    struct until until;
    char name[UNTIL_NAME_BYTES];
    ck_assert_ptr_null(until_check("p99.9±3%,mean+-0.5%,throughput±1%"));
    until_parse(&until, "p99.9±3%,mean+-0.5%,throughput±1%");
    ck_assert_uint_eq(until.count, 3);
    ck_assert_int_eq(until.goal[0].kind, UNTIL_PERCENTILE);
    ck_assert_int_eq(until.goal[0].percentile, 99 * PERCENT + 9 * PERCENT / 10);
    ck_assert_double_eq_tol(until.goal[0].precision, 0.03, 1e-12);
    ck_assert_int_eq(until.goal[1].kind, UNTIL_MEAN);
    ck_assert_double_eq_tol(until.goal[1].precision, 0.005, 1e-12);
    ck_assert_int_eq(until.goal[2].kind, UNTIL_THROUGHPUT);
    ck_assert_str_eq(until_name(&until.goal[0], name), "p99.9");
    ck_assert_str_eq(until_name(&until.goal[1], name), "mean");
    ck_assert_str_eq(until_name(&until.goal[2], name), "throughput");
    until_parse(&until, NULL);
    ck_assert_uint_eq(until.count, 0);
}
END_TEST

START_TEST(malformed_goals_are_refused)
{
    static const char *const bad[] = {
        "", "p99", "p99±", "p99±3", "p99±%", "p99±-3%", "p99±0%", "p99±101%", "p0±3%", "p100±3%",
        "max±3%", "±3%", "p99±3%,", ",p99±3%", "p99±3%,p99±4%", "p99±3%mean±3%", "p99+3%",
        "p99 ±3%", "p1±3%,p2±3%,p3±3%,p4±3%,p5±3%,p6±3%,p7±3%,p8±3%,p9±3%"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(until_check(bad[i]) != NULL, "accepted: %s", bad[i]);
}
END_TEST

RUN_SUITE("until", 10, goals_are_parsed, malformed_goals_are_refused)
