/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/limits.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "../capture.h"
#include "../suite.h"

static struct capture capture;

static void set_limit(rlim_t soft, rlim_t hard)
{
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){soft, hard}), 0);
}

static rlim_t soft_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

/* Returns the last file that could be opened. */
static int open_all(void)
{
    int last = -1;
    for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;)
        last = fd;
    return last;
}

static void assert_spent(int64_t threads, bool spent, const char *message)
{
    capture_start(&capture, 0);
    int last = open_all();
    for (int i = 0; i < (spent ? 4 : 5); i++)
        close(last - i);
    ck_assert_int_eq(limits_files_spent(threads), spent);
    char *logged = capture_end(&capture);
    ck_assert_str_eq(logged, message);
    free(logged);
}

START_TEST(an_exhausted_limit_above_the_threads_has_no_figure)
{
    set_limit(64, 64);
    assert_spent(1, true, "FATAL: too many open files (ulimit -n is 64, more are needed)\n");
}
END_TEST

START_TEST(an_exhausted_limit_below_the_threads_has_a_figure)
{
    set_limit(64, 64);
    assert_spent(400, true, "FATAL: too many open files (ulimit -n is 64, some 430 are needed)\n");
}
END_TEST

START_TEST(files_below_the_limit_are_left)
{
    set_limit(64, 64);
    assert_spent(400, false, "");
}
END_TEST

START_TEST(an_exhausted_limit_is_remembered)
{
    set_limit(64, 64);
    assert_spent(400, true, "FATAL: too many open files (ulimit -n is 64, some 430 are needed)\n");
    for (int fd = 40; fd < 64; fd++)
        close(fd);
    ck_assert(limits_files_spent(400));
}
END_TEST

START_TEST(the_limit_is_raised_for_threads)
{
    set_limit(40, 200);
    limits_allow_files(2);
    ck_assert_uint_eq(soft_limit(), 46);
    limits_allow_files(1000);
    ck_assert_uint_eq(soft_limit(), 200);
    limits_allow_files(1);
    ck_assert_uint_eq(soft_limit(), 200);
}
END_TEST

START_TEST(enough_are_free)
{
    set_limit(64, 200);
    ck_assert_int_eq(limits_reserve_files(30), 0);
    ck_assert_uint_eq(soft_limit(), 64);
}
END_TEST

START_TEST(the_limit_is_raised_for_files)
{
    set_limit(64, 200);
    ck_assert_int_eq(limits_reserve_files(100), 0);
    ck_assert_uint_eq(soft_limit(), 164);
}
END_TEST

START_TEST(more_than_the_hard_limit_is_refused)
{
    set_limit(64, 64);
    capture_start(&capture, 0);
    ck_assert_int_eq(limits_reserve_files(64), -1);
    char *logged = capture_end(&capture);
    ck_assert_str_eq(logged, "FATAL: too many open files (ulimit -n is 64, some 94 are needed)\n");
    free(logged);
    /* Opens files until the limit is reached. */
    int last = open_all();
    for (int i = 0; i < 20; i++)
        close(last - i);
    ck_assert_int_eq(limits_reserve_files(20), 0);
    open("/dev/null", O_RDONLY);
    capture_start(&capture, 0);
    ck_assert_int_eq(limits_reserve_files(20), -1);
    free(capture_end(&capture));
}
END_TEST

RUN_SUITE("limits", 20, an_exhausted_limit_above_the_threads_has_no_figure,
          an_exhausted_limit_below_the_threads_has_a_figure, an_exhausted_limit_is_remembered,
          files_below_the_limit_are_left, the_limit_is_raised_for_threads, enough_are_free,
          the_limit_is_raised_for_files, more_than_the_hard_limit_is_refused)
