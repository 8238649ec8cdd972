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

/* Fails `attempts` connects for a run with four threads, and returns the messages, which the caller
 * frees. */
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

START_TEST(threads_that_did_not_try_count_as_not_connected)
{
    static const unsigned attempts[] = {1, 3, 4};
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        char *said = said_of(attempts[i], false);
        ck_assert_ptr_nonnull(strstr(said, "FATAL: 0 of 4 connections were opened; the last"));
        free(said);
    }
}
END_TEST

START_TEST(several_connections_of_a_thread_count_separately)
{
    char *said = said_of(5, false);
    ck_assert_ptr_nonnull(strstr(said, "FATAL: 0 of 5 connections were opened; the last"));
    free(said);
}
END_TEST

START_TEST(advice_replaces_the_count_of_connections)
{
    char *said = said_of(4, true);
    ck_assert_ptr_nonnull(strstr(said, "FATAL: unable to connect"));
    ck_assert_ptr_nonnull(strstr(said, "--sqlite-db"));
    ck_assert_ptr_null(strstr(said, "connections were opened"));
    free(said);
}
END_TEST

RUN_SUITE_WITH("sql_connect", 30, setup, teardown, threads_that_did_not_try_count_as_not_connected,
               several_connections_of_a_thread_count_separately,
               advice_replaces_the_count_of_connections)
