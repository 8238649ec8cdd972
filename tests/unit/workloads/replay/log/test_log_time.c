/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times with time zones, as the logs of servers have them. */
#include "workloads/replay/log/log_time.h"

#include "../../../suite.h"
#include "base/util.h"

static const struct {
    const char *text, *rest;
    int64_t seconds; /* since the first second of 2026, in UTC */
} times[] = {
    {"2026-01-01 00:00:01 UTC [7]", " [7]", 1},
    {"2026-01-01 00:00:01.250 UTC [7]", " [7]", 1},
    {"2026-01-01T00:00:01Z", "", 1},
    {"2026-01-01T02:00:01+02:00 x", " x", 1},
    {"2026-01-01 02:00:01 +02:10.0.0.1(5):a@b", ":10.0.0.1(5):a@b", 1},
    {"2026-01-01 05:30:01 +0530 [7]", " [7]", 1},
    {"2026-01-01 05:30:01+0530|", "|", 1},
    {"2026-01-01 03:00:01 GMT+3 [7]", " [7]", 1},
    {"2026-01-01 03:00:01 UTC+03 [7]", " [7]", 1},
    {"2026-01-01 01:00:01 CET [7]", " [7]", 1},
    {"2026-01-01 02:00:01 CEST [7]", " [7]", 1},
    {"2026-01-01 00:00:01 PST [7]", " [7]", 1 + 8 * 3600},
    {"2026-01-01 00:00:01 -03 [7]", " [7]", 1 + 3 * 3600},
    /* The server does not write these, but other programs and prefixes may. */
    {"2026-01-01 00:00:01 XYZ [7]", " [7]", 1},
    {"2026-01-01 00:00:01 [7]", " [7]", 1},
    {"2026-01-01 00:00:01 LOG:  x", " LOG:  x", 1},
    {"2026-01-01 00:00:01 UTC-6955b9a1.47-LOG:  x", "-6955b9a1.47-LOG:  x", 1},
};

START_TEST(zones)
{
    static const int64_t base_s = INT64_C(1767225600);
    const char *at = times[_i].text;
    struct log_time time;
    ck_assert(log_time_iso(&at, &time));
    ck_assert_int_eq(time.ns / NS_PER_SEC - base_s, times[_i].seconds);
    ck_assert_str_eq(at, times[_i].rest);
}
END_TEST

/* The time is before 1970 in UTC. */
START_TEST(before_1970)
{
    const char *at = "1970-01-01 00:30:00 CET";
    struct log_time time;
    ck_assert(!log_time_iso(&at, &time));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log_time");
    TCase *tcase = tcase_create("log_time");
    tcase_add_loop_test(tcase, zones, 0, (int)ARRAY_SIZE(times));
    tcase_add_test(tcase, before_1970);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
