/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "../suite.h"
#include "base/util.h"
#include "options/arrivals/arrival_plan.h"
#include "options/arrivals/rate_profile.h"

static struct rate_profile parse(const char *text)
{
    struct rate_profile profile = {0};
    ck_assert_msg(rate_profile_parse(&profile, text) == NULL, "%s was refused", text);
    return profile;
}

START_TEST(a_number_is_a_constant_rate)
{
    struct rate_profile p = parse("2500.5");
    ck_assert(rate_profile_is_constant(&p));
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 4), 10002, 1e-9);
    ck_assert_double_eq_tol(rate_profile_time(&p, 10002), 4, 1e-12);
    rate_profile_fini(&p);
}
END_TEST

START_TEST(points_are_joined_by_lines_and_steps)
{
    struct rate_profile p = parse("0s:500,60s:3000,300s:3000,300s:800");
    ck_assert(!rate_profile_is_constant(&p));
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 30), 30 * (500 + 1750) / 2.0, 1e-6);
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 60), 105000, 1e-6);
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 300), 105000 + 240 * 3000.0, 1e-6);
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 310), 105000 + 240 * 3000.0 + 8000, 1e-6);
    rate_profile_fini(&p);
}
END_TEST

START_TEST(the_first_rate_holds_before_the_first_point)
{
    struct rate_profile p = parse("10:100,20:200");
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 10), 1000, 1e-9);
    ck_assert_double_eq_tol(rate_profile_arrivals(&p, 5), 500, 1e-9);
    rate_profile_fini(&p);
}
END_TEST

START_TEST(times_take_units)
{
    struct rate_profile p = parse("500ms:100,2m:100,1h:0");
    ck_assert_double_eq_tol(p.points[1].at_s, 0.5, 1e-12);
    ck_assert_double_eq_tol(p.points[2].at_s, 120, 1e-12);
    ck_assert_double_eq_tol(p.points[3].at_s, 3600, 1e-12);
    rate_profile_fini(&p);
}
END_TEST

START_TEST(the_inverse_is_one)
{
    static const char *const profiles[] = {"1000",
                                           "0s:500,60s:3000,300s:3000,300s:800",
                                           "0:0,100:1000",
                                           "0:1000,50:0,60:0,100:10",
                                           "sine(1000,1000,60s)",
                                           "sine(500,100,1h)"};
    for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
        struct rate_profile p = parse(profiles[i]);
        double worst = 0, last_s = -1;
        for (double n = 0.5; n < 20000; n += 7.3) {
            double at_s = rate_profile_time(&p, n);
            worst = fmax(worst, fabs(rate_profile_arrivals(&p, at_s) - n));
            ck_assert_double_ge(at_s, last_s);
            last_s = at_s;
        }
        ck_assert_double_le(worst, 1e-6);
        rate_profile_fini(&p);
    }
}
END_TEST

START_TEST(a_final_rate_of_zero_is_never_reached)
{
    struct rate_profile p = parse("0:100,10:100,10:0");
    ck_assert(isfinite(rate_profile_time(&p, 999)));
    ck_assert(isinf(rate_profile_time(&p, 1001)));
    rate_profile_fini(&p);
}
END_TEST

START_TEST(malformed_profiles_are_refused)
{
    static const char *const bad[] = {
        "",
        "x",
        "-1",
        "1e11",
        "nan",
        "1,2",
        "0:1,",
        "0:1,5",
        "10:1,5:1",
        "0:-1",
        "0:x",
        "x:1",
        "0s:1s",
        "0:0",
        "0:0,5:0",
        "0.0000001",
        "sine",
        "sine(",
        "sine(1,2,3)",
        "sine(1,1,0)",
        "sine(1,1,1)x",
        "sine(0,0,1)",
        "sine(1,-1,1)",
        "0d:1",
        "5:1e11",
        "1 ",
        " 1",
        "0:1 ,1:1",
        "0x10",
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct rate_profile p = {0};
        ck_assert_msg(rate_profile_parse(&p, bad[i]) != NULL, "'%s' was accepted", bad[i]);
        ck_assert_ptr_null(p.points);
    }
}
END_TEST

/* A mean rate of 0 would mean a closed loop: test a long log in no time, and two statements in
 * months. */
START_TEST(a_workload_has_a_rate_however_fast_it_is)
{
    struct arrival_plan plan = {0};
    arrival_plan_follow(&plan, "a.log", 33000000, 1663000);
    ck_assert_double_eq(arrival_plan_mean_rate(&plan, 0), RATE_MAX);
    arrival_plan_follow(&plan, "a.log", 2, 9000000 * NS_PER_SEC);
    ck_assert_double_eq_tol(arrival_plan_mean_rate(&plan, 0), RATE_MIN, 1e-9);
    arrival_plan_fini(&plan);
}
END_TEST

RUN_SUITE("rate_profile", 30, a_number_is_a_constant_rate, points_are_joined_by_lines_and_steps,
          the_first_rate_holds_before_the_first_point, times_take_units, the_inverse_is_one,
          a_final_rate_of_zero_is_never_reached, malformed_profiles_are_refused,
          a_workload_has_a_rate_however_fast_it_is)
