/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../capture.h"
#include "../database.h"
#include "../suite.h"

static struct database d;

static void setup(void)
{
    database_open(&d, (const char *const[]){"sqlite-db=/nosuch/folder/test.db", NULL});
}

static void teardown(void)
{
    database_close(&d);
}

/* What is said when so many of four threads have failed to connect; the caller's to free. */
static char *said_of(unsigned attempts, bool advice)
{
    struct capture c;
    struct sql *sql = sql_create(d.options, 42, 4, 4);
    if (advice)
        sql_give_advice(sql);
    sql_thread_enter(sql, NULL, 0);
    capture_start(&c, 0);
    for (unsigned i = 0; i < attempts; i++)
        ck_assert_ptr_null(sql_connect(sql_driver_open("sqlite")));
    sql_log_connections(sql);
    char *said = capture_end(&c);
    sql_destroy(sql);
    return said;
}

START_TEST(threads_that_did_not_try_are_among_those_without_a_connection)
{
    static const unsigned attempts[] = {1, 3, 4};
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        char *said = said_of(attempts[i], false);
        ck_assert_ptr_nonnull(strstr(said, "FATAL: 0 of 4 connections were opened; the last"));
        free(said);
    }
}
END_TEST

START_TEST(several_connections_of_a_thread_are_counted_as_such)
{
    char *said = said_of(5, false);
    ck_assert_ptr_nonnull(strstr(said, "FATAL: 0 of 5 connections were opened; the last"));
    free(said);
}
END_TEST

START_TEST(who_gets_advice_is_told_once)
{
    char *said = said_of(4, true);
    ck_assert_ptr_nonnull(strstr(said, "FATAL: unable to connect"));
    ck_assert_ptr_nonnull(strstr(said, "--sqlite-db"));
    ck_assert_ptr_null(strstr(said, "connections were opened"));
    free(said);
}
END_TEST

RUN_SUITE_WITH("sql_connect", 30, setup, teardown,
               threads_that_did_not_try_are_among_those_without_a_connection,
               several_connections_of_a_thread_are_counted_as_such, who_gets_advice_is_told_once)
