/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests when a rank with --start-at begins, also if the wall clock is set during the wait. */
#include "run/start_wait.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"
#include "base/clock.h"
#include "base/interrupt.h"

/* At the time set_at_ns (CLOCK_MONOTONIC), the wall clock is set forward by set_by_ns. */
static int64_t set_at_ns = INT64_MAX, set_by_ns;

/* Replaces clock_gettime() of the C library. */
int clock_gettime(clockid_t clock, struct timespec *ts)
{
    int status = (int)syscall(SYS_clock_gettime, clock, ts);
    if (clock == CLOCK_REALTIME && set_at_ns != INT64_MAX && clock_now_ns() >= set_at_ns)
        ts->tv_sec += set_by_ns / NS_PER_SEC;
    return status;
}

static int64_t wall_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* Waits for a start in `seconds`. After half a second the clock is set by `set_by_s`. */
static int wait_for(double seconds, int set_by_s, int64_t *start_ns, char **said)
{
    struct settings settings = {.start_wall_ns = wall_now_ns() + seconds_to_ns(seconds)};
    struct capture c;
    set_by_ns = set_by_s * NS_PER_SEC;
    set_at_ns = set_by_s != 0 ? clock_now_ns() + NS_PER_SEC / 2 : INT64_MAX;
    capture_start(&c, 1);
    const int status = start_wait(&settings, start_ns);
    *said = capture_end(&c);
    return status;
}

START_TEST(the_run_begins_at_the_given_time)
{
    const int64_t from_ns = clock_now_ns();
    int64_t start_ns;
    char *said;
    ck_assert_int_eq(wait_for(1.2, 0, &start_ns, &said), 0);
    ck_assert_int_ge(start_ns, from_ns + 12 * NS_PER_SEC / 10);
    ck_assert_int_le(start_ns, from_ns + 12 * NS_PER_SEC);
    free(said);
}
END_TEST

START_TEST(setting_the_clock_moves_the_start)
{
    const int64_t from_ns = clock_now_ns();
    int64_t start_ns;
    char *said;
    ck_assert_int_eq(wait_for(60, 58, &start_ns, &said), 0);
    ck_assert_int_ge(start_ns, from_ns + 2 * NS_PER_SEC);
    ck_assert_int_le(start_ns, from_ns + 30 * NS_PER_SEC);
    free(said);
}
END_TEST

START_TEST(setting_the_clock_past_the_start_fails)
{
    int64_t start_ns;
    char *said;
    ck_assert_int_eq(wait_for(20, 60, &start_ns, &said), -1);
    ck_assert_ptr_nonnull(strstr(said, "the wall clock was set forward by 60.0"));
    free(said);
}
END_TEST

static void init(void)
{
    ck_assert_int_eq(interrupt_init(), 0);
}

RUN_SUITE_WITH("start_wait", 60, init, interrupt_fini, the_run_begins_at_the_given_time,
               setting_the_clock_moves_the_start, setting_the_clock_past_the_start_fails)
