/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sessions for injections with SQLite. */
#include <pthread.h>

#include "../capture.h"
#include "../database.h"
#include "../suite.h"
#include "base/clock.h"
#include "sql/sql_internal.h"
#include "sql/sql_session.h"

static struct database d;
static sql_connection *session;
static char answer[256];

static void open_session(void)
{
    session = sql_session_open(d.sql, answer, sizeof(answer));
    ck_assert_msg(session != NULL, "%s", answer);
}

static void setup(void)
{
    database_open(&d, NULL);
    open_session();
}

static void teardown(void)
{
    sql_connection_free(session);
    database_close(&d);
}

#define NO_ROWS UINT64_MAX

/* `read` is NO_ROWS if the text returns no result set. */
static void assert_rows(const char *text, uint64_t changed, uint64_t read)
{
    struct injection_outcome outcome;
    ck_assert_int_eq(sql_session_execute(session, text, &outcome, answer, sizeof(answer)), 0);
    ck_assert_int_eq(outcome.kind, INJECTION_OUTCOME_ROWS);
    ck_assert_uint_eq(outcome.rows_changed, changed);
    ck_assert_int_eq(outcome.gave_rows, read != NO_ROWS);
    ck_assert_uint_eq(outcome.rows_read, read != NO_ROWS ? read : 0);
}

static void assert_failure(const char *text, const char *expected)
{
    struct injection_outcome outcome;
    ck_assert_int_eq(sql_session_execute(session, text, &outcome, answer, sizeof(answer)), -1);
    ck_assert_int_eq(outcome.kind, INJECTION_OUTCOME_NONE);
    ck_assert_str_eq(answer, expected);
}

START_TEST(rows_that_were_read_or_changed_are_counted)
{
    assert_rows("CREATE TABLE t (a INT)", 0, NO_ROWS);
    assert_rows("INSERT INTO t VALUES (1), (2), (3)", 3, NO_ROWS);
    assert_rows("UPDATE t SET a = 9 WHERE a > 1", 2, NO_ROWS);
    assert_rows("SELECT a FROM t", 0, 3);
    assert_rows("SELECT a FROM t WHERE a = 0", 0, 0);
    assert_rows("DELETE FROM t; SELECT count(*) FROM t", 3, 1);
    assert_rows("SELECT count(*) FROM t", 0, 1);
}
END_TEST

START_TEST(all_statements_of_a_text_are_counted)
{
    assert_rows("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)", 2, NO_ROWS);
    assert_rows("CREATE INDEX i ON t (a); BEGIN", 0, NO_ROWS);
    assert_rows("UPDATE t SET a = 3; DELETE FROM t WHERE a = 1; COMMIT", 2, NO_ROWS);
    assert_rows("BEGIN; UPDATE t SET a = 4; UPDATE t SET a = 5; COMMIT", 4, NO_ROWS);
    assert_rows("SELECT a FROM t; SELECT a FROM t", 0, 4);
}
END_TEST

START_TEST(an_error_is_reported)
{
    assert_failure("SELECT * FROM missing", "error 1 (no such table: missing)");
    assert_rows("SELECT 1", 0, 1);
}
END_TEST

START_TEST(rows_are_not_kept_and_statements_not_counted)
{
    assert_rows("CREATE TABLE t AS SELECT 1 AS a UNION SELECT 2", 0, NO_ROWS);
    assert_rows("SELECT a FROM t", 0, 2);
    ck_assert_uint_eq(session->conn.rows.nrows, 0);
    ck_assert_uint_eq(session->conn.rows.used, 0);
    assert_failure("SELEKT", "error 1 (near \"SELEKT\": syntax error)");
    assert_counted(&d, 0, 0, 0);
    ck_assert_uint_eq(sql_connections(d.sql), 0);
}
END_TEST

START_TEST(a_failed_open_returns_the_reason)
{
    struct database other;
    database_open(&other, (const char *const[]){"sqlite-db=/missing/folder/test.db", NULL});
    ck_assert_ptr_null(sql_session_open(other.sql, answer, sizeof(answer)));
    ck_assert_str_eq(answer, "error 14 (database file '/missing/folder/test.db' cannot be opened: "
                             "No such file or directory)");
    database_close(&other);

    struct capture c;
    database_open(&other, (const char *const[]){"db-driver=oracle", NULL});
    capture_start(&c, 0);
    ck_assert_ptr_null(sql_session_open(other.sql, answer, sizeof(answer)));
    char *message = capture_end(&c);
    ck_assert_str_eq(answer, "the database driver cannot be used");
    ck_assert_ptr_nonnull(strstr(message, "'oracle'"));
    free(message);
    database_close(&other);
}
END_TEST

static atomic_bool ended;

/* Executes a query that never ends. */
static void *count_for_ever(void *rc)
{
    static const char text[] = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)"
                               " SELECT i FROM r";
    struct injection_outcome outcome;
    *(int *)rc = sql_session_execute(session, text, &outcome, answer, sizeof(answer));
    atomic_store(&ended, true);
    return NULL;
}

START_TEST(another_thread_cancels_a_running_statement)
{
    pthread_t thread;
    int rc = 0;
    sql_session_cancel(session); /* nothing to cancel */
    atomic_store(&ended, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, count_for_ever, &rc), 0);
    /* Repeat, because the first call may come before the statement starts. */
    while (!atomic_load(&ended)) {
        sql_session_cancel(session);
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(rc, -1);
    ck_assert_str_eq(answer, "error 9 (interrupted)");
    assert_rows("SELECT 1", 0, 1);
}
END_TEST

START_TEST(cancel_does_nothing_without_driver_support)
{
    struct database other;
    database_open(&other, (const char *const[]){"db-driver=null", NULL});
    sql_connection *con = sql_session_open(other.sql, answer, sizeof(answer));
    ck_assert_ptr_nonnull(con);
    sql_session_cancel(con);
    struct injection_outcome outcome;
    ck_assert_int_eq(sql_session_execute(con, "UPDATE t", &outcome, answer, sizeof(answer)), 0);
    ck_assert_uint_eq(outcome.rows_changed, 1);
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

RUN_SUITE_WITH("sql_session", 30, setup, teardown, rows_that_were_read_or_changed_are_counted,
               all_statements_of_a_text_are_counted, an_error_is_reported,
               rows_are_not_kept_and_statements_not_counted, a_failed_open_returns_the_reason,
               another_thread_cancels_a_running_statement,
               cancel_does_nothing_without_driver_support)
