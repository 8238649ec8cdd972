/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/connections/lifetime.h"

#include "base/util.h"
#include "tests/unit/suite.h"

static void is(const char *text, double seconds, double spread)
{
    struct lifetime l;
    ck_assert_msg(lifetime_check(text) == NULL, "%s", text);
    lifetime_parse(&l, text);
    ck_assert_int_eq(l.ns, seconds_to_ns(seconds));
    ck_assert_double_eq_tol(l.spread, spread, 1e-12);
}

START_TEST(a_time_and_a_spread)
{
    is("0", 0, 0);
    is("30s", 30, 0);
    is("1.5", 1.5, 0);
    is("30s±20%", 30, 0.2);
    is("2m+-12.5%", 120, 0.125);
    is("10ms±100%", 0.01, 1);
}
END_TEST

START_TEST(anything_else_is_refused)
{
    static const char *const wrong[] = {"",      "x",        "-1s",  "30s±",     "30s±20",
                                        "0.1ms", "30s±101%", "±20%", "30s±20%,", "0±20%"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        ck_assert_msg(lifetime_check(wrong[i]) != NULL, "%s", wrong[i]);
}
END_TEST

START_TEST(no_text_is_no_lifetime)
{
    struct lifetime l = {1, 1};
    lifetime_parse(&l, NULL);
    ck_assert_int_eq(l.ns, 0);
}
END_TEST

RUN_SUITE("lifetime", 30, a_time_and_a_spread, anything_else_is_refused, no_text_is_no_lifetime)
