/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/policies/client_policy.h"

#include "../suite.h"
#include "base/clock.h"
#include "base/util.h"

static const struct {
    const char *text;
    struct retry_policy retry;
} valid[] = {
    {"2", {2, false, 0, -1}},
    {"100", {100, false, 0, -1}},
    {"3 50ms", {3, false, 50 * NS_PER_MS, -1}},
    {"3 exp(50ms)", {3, true, 50 * NS_PER_MS, -1}},
    {" 3  exp( 2s )  budget  10% ", {3, true, 2 * NS_PER_SEC, 0.1}},
    {"3 budget 0%", {3, false, 0, 0}},
    {"3 50", {3, false, 50 * NS_PER_SEC, -1}},
    {"3 1h budget 100%", {3, false, 3600 * NS_PER_SEC, 1}},
};

START_TEST(valid_policies)
{
    for (size_t i = 0; i < ARRAY_SIZE(valid); i++) {
        struct client_policy policy;
        ck_assert_msg(client_retry_check(valid[i].text) == NULL, "'%s'", valid[i].text);
        client_policy_restore(&policy, 0, valid[i].text);
        ck_assert(policy.on);
        ck_assert_uint_eq(policy.retry.attempts, valid[i].retry.attempts);
        ck_assert(policy.retry.doubles == valid[i].retry.doubles);
        ck_assert_int_eq(policy.retry.pause_ns, valid[i].retry.pause_ns);
        ck_assert_double_eq(policy.retry.budget, valid[i].retry.budget);
    }
}
END_TEST

static const char *const invalid[] = {"",
                                      " ",
                                      "1",
                                      "0",
                                      "-3",
                                      "101",
                                      "2.5",
                                      "1e1",
                                      "99999999999999999999",
                                      "3x",
                                      "3 x",

                                      "3 50ms 10%",
                                      "3 exp(50ms",
                                      "3 exp 50ms",
                                      "3 2h",
                                      "3 budget",
                                      "3 budget 10",
                                      "3 budget 101%",
                                      "3 budget -1%",
                                      "3 budget nan%",
                                      "3 50ms budget 10% x",
                                      "3, 50ms"};

START_TEST(invalid_policies)
{
    for (size_t i = 0; i < ARRAY_SIZE(invalid); i++) {
        struct client_policy policy;
        ck_assert_msg(client_retry_check(invalid[i]) != NULL, "'%s'", invalid[i]);
        client_policy_restore(&policy, 0, invalid[i]);
        ck_assert(!policy.on);
    }
}
END_TEST

/* A report may be damaged. */
START_TEST(timeouts_of_reports)
{
    static const struct {
        double seconds;
        int64_t ns;
    } row[] = {{0.2, 200 * NS_PER_MS}, {0, 0}, {-1, 0}, {1e-9, 0}, {1e300, 0}, {3601, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        struct client_policy policy;
        client_policy_restore(&policy, row[i].seconds, NULL);
        ck_assert_int_eq(policy.timeout_ns, row[i].ns);
        ck_assert(policy.on == (row[i].ns > 0));
    }
}
END_TEST

START_TEST(kinds_of_errors)
{
    static const char *const bad[] = {"", ",", "timeout,", ",error", "timeouts", "timeout error"};
    ck_assert_ptr_null(client_retry_on_check("timeout"));
    ck_assert_ptr_null(client_retry_on_check("deadlock,error,timeout,timeout"));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(client_retry_on_check(bad[i]) != NULL, "'%s'", bad[i]);
}
END_TEST

RUN_SUITE("client_policy", 60, valid_policies, invalid_policies, timeouts_of_reports,
          kinds_of_errors)
