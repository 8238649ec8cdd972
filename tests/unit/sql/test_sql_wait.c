/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests messages about statements that wait for the server. */
#include "../capture.h"
#include "../fake_driver.h"
#include "../suite.h"
#include "base/clock.h"
#include "base/log.h"

static struct database d;

static void setup(void)
{
    database_open(&d, (const char *const[]){"null-service=300ms", NULL});
    log_set_verbosity(LOG_NOTICE);
}

static void teardown(void)
{
    database_close(&d);
}

/* Executes `text` with a message every 50 ms and returns the output, which the caller frees. */
static char *told_of(const char *text)
{
    struct capture c;
    sql_report_waits(d.sql, NS_PER_SEC, 50 * NS_PER_MS);
    sql_thread_report_waits();
    sql_connection *con = connect_to("null");
    capture_start(&c, 1);
    query(con, text);
    char *told = capture_end(&c);
    sql_connection_free(con);
    return told;
}

START_TEST(a_waiting_statement_is_named)
{
    char *told = told_of("CREATE INDEX k\n ON t(k)");
    ck_assert_ptr_nonnull(
        strstr(told, "Waiting for the server since 0 s: CREATE INDEX k  ON t(k)\n"));
    free(told);
}
END_TEST

START_TEST(a_long_statement_is_truncated)
{
    char text[1000], *told;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    told = told_of(text);
    ck_assert_ptr_nonnull(strstr(told, "since 0 s: xxx"));
    ck_assert_uint_lt(strcspn(told, "\n"), 160);
    free(told);
}
END_TEST

START_TEST(the_connect_timeout_has_whole_seconds)
{
    static const struct {
        int64_t connect_ns;
        unsigned seconds;
    } table[] = {{1, 1}, {NS_PER_SEC, 1}, {NS_PER_SEC * 3 / 2, 2}, {INT64_MAX, 86400}};
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct sql *sql = sql_create(d.options, 1, 1, 1);
        sql_thread_enter(sql, NULL, 0);
        sql_report_waits(sql, table[i].connect_ns, NS_PER_SEC);
        sql_thread_report_waits();
        sql_connection *con = connect_to("null");
        ck_assert_uint_eq(con->conn.connect_timeout_s, table[i].seconds);
        sql_connection_free(con);
        sql_destroy(sql);
    }
}
END_TEST

START_TEST(all_operations_still_work)
{
    sql_report_waits(d.sql, NS_PER_SEC, NS_PER_SEC);
    sql_thread_report_waits();
    sql_connection *con = connect_to("sqlite");
    execute(con, "CREATE TABLE t (a INTEGER)");
    execute(con, "INSERT INTO t VALUES (1), (2)");
    sql_statement *stmt = prepare(con, "SELECT a FROM t");
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "1;2");
    assert_result(con, "SELECT SUM(a) FROM t", "3");
    sql_connection_free(con);
    sql_statement_free(stmt);
}
END_TEST

RUN_SUITE_WITH("sql_wait", 30, setup, teardown, a_waiting_statement_is_named,
               a_long_statement_is_truncated, the_connect_timeout_has_whole_seconds,
               all_operations_still_work)
