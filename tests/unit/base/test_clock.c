/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "../suite.h"
#include "base/clock.h"

static void ignore_signal(int number)
{
    (void)number;
}

START_TEST(sleep_ends_at_the_deadline_despite_signals)
{
    struct sigaction action = {.sa_handler = ignore_signal};
    struct itimerval every_ms = {{0, 1000}, {0, 1000}};
    sigaction(SIGALRM, &action, NULL);
    int64_t deadline_ns = clock_now_ns() + 30 * NS_PER_MS;
    setitimer(ITIMER_REAL, &every_ms, NULL);
    clock_sleep_until_ns(deadline_ns);
    int64_t woke_ns = clock_now_ns();
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    ck_assert_int_ge(woke_ns, deadline_ns);
}
END_TEST

START_TEST(sleep_returns_at_once_when_the_deadline_is_over)
{
    int64_t before_ns = clock_now_ns();
    clock_sleep_until_ns(before_ns - NS_PER_SEC);
    clock_sleep_until_ns(0);
    ck_assert_int_lt(clock_now_ns() - before_ns, NS_PER_SEC);
}
END_TEST

/* The second wait is longer than one slice of the wait that replaces a missing sem_clockwait(). */
START_TEST(a_semaphore_is_waited_for_until_the_deadline)
{
    static const int64_t spans_ns[] = {-NS_PER_SEC, 1100 * NS_PER_MS};
    sem_t sem;
    ck_assert_int_eq(sem_init(&sem, 0, 1), 0);
    ck_assert(clock_sem_wait(&sem, 0));
    for (size_t i = 0; i < ARRAY_SIZE(spans_ns); i++) {
        int64_t deadline_ns = clock_now_ns() + spans_ns[i];
        ck_assert(!clock_sem_wait(&sem, deadline_ns));
        ck_assert_int_ge(clock_now_ns(), deadline_ns);
    }
    sem_post(&sem);
    ck_assert(clock_sem_wait(&sem, INT64_MAX));
}
END_TEST

START_TEST(slack_is_set_and_never_0)
{
    clock_set_slack_ns(10 * NS_PER_US);
    ck_assert_int_eq(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 10000);
    clock_set_slack_ns(0);
    ck_assert_int_eq(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1);
}
END_TEST

START_TEST(cpu_time_counts_work_and_not_sleep)
{
    int64_t start_ns = clock_thread_cpu_ns();
    while (clock_thread_cpu_ns() - start_ns < 2 * NS_PER_MS)
        ;
    int64_t worked_ns = clock_thread_cpu_ns();
    clock_sleep_until_ns(clock_now_ns() + 50 * NS_PER_MS);
    ck_assert_int_lt(clock_thread_cpu_ns() - worked_ns, 25 * NS_PER_MS);
}
END_TEST

START_TEST(timespec_splits_nanoseconds)
{
    struct timespec ts = clock_timespec(3 * NS_PER_SEC + 7);
    ck_assert_int_eq(ts.tv_sec, 3);
    ck_assert_int_eq(ts.tv_nsec, 7);
}
END_TEST

START_TEST(iso8601_is_utc_now)
{
    char buf[32];
    struct tm tm = {0};
    int ms;
    setenv("TZ", "Asia/Kathmandu", 1);
    tzset();
    time_t before = time(NULL);
    clock_iso8601(buf, sizeof(buf));
    const char *rest = strptime(buf, "%Y-%m-%dT%H:%M:%S", &tm);
    ck_assert_ptr_nonnull(rest);
    ck_assert_int_eq(sscanf(rest, ".%3dZ", &ms), 1);
    ck_assert_uint_eq(strlen(buf), strlen("2026-01-31T23:59:59.123Z"));
    /* time() may be one tick later than the clock that clock_iso8601() reads. */
    ck_assert_int_ge(timegm(&tm), before);
    ck_assert_int_le(timegm(&tm), time(NULL) + 1);
}
END_TEST

START_TEST(seeds_are_within_their_bounds)
{
    for (int i = 0; i < 1000; i++) {
        int64_t seed = clock_seed(INT64_MAX), small = clock_seed(CLOCK_SHORT_SEED);
        ck_assert(seed >= 1 && small >= 1 && small <= CLOCK_SHORT_SEED);
    }
    ck_assert_int_eq(clock_seed(1), 1);
}
END_TEST

START_TEST(seeds_differ)
{
    int64_t first = clock_seed(INT64_MAX);
    clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    ck_assert_int_ne(clock_seed(INT64_MAX), first);
}
END_TEST

RUN_SUITE("clock", 30, sleep_ends_at_the_deadline_despite_signals,
          sleep_returns_at_once_when_the_deadline_is_over,
          a_semaphore_is_waited_for_until_the_deadline, slack_is_set_and_never_0,
          cpu_time_counts_work_and_not_sleep, timespec_splits_nanoseconds, iso8601_is_utc_now,
          seeds_are_within_their_bounds, seeds_differ)
