/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/recovery.h"

#include "../suite.h"
#include "base/clock.h"

static struct settings settings;
static struct recovery *recovery;
static struct distribution drained;

static void before(void)
{
    settings = (struct settings){.percentile = {50 * PERCENT, 99 * PERCENT, 100 * PERCENT},
                                 .percentiles = 3};
    recovery = recovery_create(&settings, 0);
    distribution_init(&drained);
}

static void after(void)
{
    distribution_fini(&drained);
    recovery_destroy(recovery);
}

/* Adds a window that ends at `at_s`, in which all responses took `ms`. With `ms` 0 no request
 * completed. */
static void window(double at_s, int64_t ms)
{
    distribution_reset(&drained);
    for (int i = 0; ms > 0 && i < 100; i++)
        distribution_record(&drained, ms * NS_PER_MS);
    recovery_add(recovery, &drained);
    recovery_end_due_window(recovery, seconds_to_ns(at_s));
}

static double back_s(const struct recovery_watch *watch)
{
    return ns_to_seconds(watch->back_ns);
}

START_TEST(windows_and_percentile_follow_the_settings)
{
    ck_assert_int_eq(recovery_window_ns(recovery), NS_PER_SEC);
    ck_assert_int_eq(recovery_percentile(recovery), 99 * PERCENT);
    settings = (struct settings){.time_ns = 12 * NS_PER_SEC};
    struct recovery *other = recovery_create(&settings, 0);
    ck_assert_int_eq(recovery_window_ns(other), NS_PER_SEC / 5);
    ck_assert_int_eq(recovery_percentile(other), 95 * PERCENT);
    recovery_destroy(other);
}
END_TEST

/* The disturbance lasts from second 11 to 13, and response times are worse until 16. The window
 * from 16 to 17 is as good as the worst but one of the ten windows before. */
START_TEST(recovery_is_the_return_to_the_level_before)
{
    struct recovery_watch watch;
    for (int s = 1; s <= 10; s++)
        window(s, s == 4 ? 90 : s == 7 ? 9 : 5);
    recovery_watch(recovery, &watch, 0, seconds_to_ns(11));
    ck_assert_double_eq_tol(ns_to_ms(watch.level_ns), 9, 0.01);
    window(11, 5);
    window(12, 5); /* good, but the disturbance has not ended */
    watch.after_ns = seconds_to_ns(13);
    window(14, 50);
    window(15, 10);
    window(16, 0); /* no request completed */
    window(17, 8);
    window(18, 50);
    ck_assert_double_eq_tol(back_s(&watch), 16, 0.5);
}
END_TEST

START_TEST(only_windows_shortly_before_count)
{
    struct recovery_watch watch, other, none;
    for (int s = 1; s <= 30; s++)
        window(s, s <= 5 ? 100 : 5);
    recovery_watch(recovery, &watch, 0, seconds_to_ns(31));
    ck_assert_double_eq_tol(ns_to_ms(watch.level_ns), 5, 0.01);
    window(31, 70);
    window(32, 6);
    recovery_watch(recovery, &other, seconds_to_ns(31.5), seconds_to_ns(33));
    ck_assert_int_eq(other.level_ns, -1);
    recovery_watch(recovery, &none, 0, 0);
    ck_assert_int_eq(none.level_ns, -1);
    none.after_ns = 0;
    window(33, 1);
    ck_assert_int_eq(none.back_ns, -1);
    ck_assert_int_eq(watch.back_ns, -1);
}
END_TEST

RUN_SUITE_WITH("recovery", 10, before, after, windows_and_percentile_follow_the_settings,
               recovery_is_the_return_to_the_level_before, only_windows_shortly_before_count)
