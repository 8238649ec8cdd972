/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests bulk inserts with SQLite. */

#include "../database.h"
#include "../suite.h"
#include "sql/sql_internal.h"

static struct database d;
static sql_connection *con;

static void setup(void)
{
    database_open(&d, NULL);
    con = connect_to(NULL);
}

static void teardown(void)
{
    sql_connection_free(con);
    database_close(&d);
}

static void add_rows(unsigned rows)
{
    char row[128];

    for (unsigned i = 1; i <= rows; i++) {
        int length = snprintf(row, sizeof(row), "(%u, '%090u')", i, i);
        ck_assert_int_eq(sql_bulk_next(con, row, (size_t)length), 0);
    }
}

START_TEST(bulk_inserts_flush_when_full)
{
    const char *head = "INSERT INTO t VALUES";
    execute(con, "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT)");
    ck_assert_int_eq(sql_bulk_init(con, head, strlen(head)), 0);
    add_rows(20000); /* about 100 bytes each: 2 MB, 4 statements of up to 512 KB */
    ck_assert_uint_eq(counted(&d, COUNTER_WRITE), 3);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    ck_assert_uint_eq(counted(&d, COUNTER_WRITE), 4);
    assert_result(con, "SELECT count(*), sum(id), sum(CAST(c AS INT)), min(length(c)) FROM t",
                  "20000,200010000,200010000,90");
}
END_TEST

START_TEST(bulk_inserts_without_rows_send_nothing)
{
    ck_assert_int_eq(sql_bulk_next(con, "(1)", 3), SQL_BULK_NOT_BEGUN);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO missing VALUES", 26), 0);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    ck_assert_int_eq(sql_bulk_done(con), 0);
}
END_TEST

START_TEST(a_row_longer_than_the_limit_is_sent_alone)
{
    size_t length = 600 * 1024;
    char *row = xcalloc(1, length);
    execute(con, "CREATE TABLE t (c TEXT)");
    memset(row, 'x', length);
    memcpy(row, "('", 2);
    memcpy(row + length - 2, "')", 2);
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO t VALUES ", 21), 0);
    ck_assert_int_eq(sql_bulk_next(con, "('a')", 5), 0);
    ck_assert_int_eq(sql_bulk_next(con, row, length), 0);
    ck_assert_int_eq(sql_bulk_next(con, "('b')", 5), 0);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    ck_assert_uint_eq(counted(&d, COUNTER_WRITE), 3);
    assert_result(con, "SELECT length(c) FROM t ORDER BY rowid", "1;614396;1");
    free(row);
}
END_TEST

START_TEST(a_failed_flush_keeps_its_rows)
{
    execute(con, "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    execute(con, "INSERT INTO t VALUES (7)");
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO t VALUES", 20), 0);
    ck_assert_int_eq(sql_bulk_next(con, "(6)", 3), 0);
    ck_assert_int_eq(sql_bulk_next(con, "(7)", 3), 0);
    ck_assert_int_eq(sql_bulk_done(con), -1);
    ck_assert_str_eq(sql_error_message(con), "UNIQUE constraint failed: t.id");
    ck_assert_str_eq(sql_error_query(con), "INSERT INTO t VALUES(6),(7)");
    execute(con, "DELETE FROM t");
    ck_assert_int_eq(sql_bulk_done(con), 0);
    assert_result(con, "SELECT id FROM t", "6;7");
}
END_TEST

START_TEST(an_unfinished_insert_ends_with_the_connection)
{
    execute(con, "CREATE TABLE t (a INT)");
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO t VALUES", 20), 0);
    ck_assert_int_eq(sql_bulk_next(con, "(1)", 3), 0);
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO t VALUES", 20), 0); /* starts a new insert */
    ck_assert_int_eq(sql_bulk_next(con, "(2)", 3), 0);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    ck_assert_int_eq(sql_bulk_init(con, "INSERT INTO t VALUES", 20), 0);
    ck_assert_int_eq(sql_bulk_next(con, "(3)", 3), 0);
    sql_disconnect(con);
    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_int_eq(sql_bulk_done(con), 0);
    assert_result(con, "SELECT a FROM t", "2");
}
END_TEST

RUN_SUITE_WITH("sql_bulk", 30, setup, teardown, bulk_inserts_flush_when_full,
               bulk_inserts_without_rows_send_nothing, a_row_longer_than_the_limit_is_sent_alone,
               a_failed_flush_keeps_its_rows, an_unfinished_insert_ends_with_the_connection)
