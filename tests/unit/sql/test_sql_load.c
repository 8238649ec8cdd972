/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests loading of rows as INSERT statements with SQLite, and in load format with a fake driver. */
#include "../fake_driver.h"
#include "../suite.h"
#include "stats/snapshot.h"

#define COLUMNS "id, k, c"

static struct database d;
static struct fake_driver fake;
static sql_connection *con;

/* Data that the fake driver has received, and the result that it returns. */
static char loaded[8192], loaded_table[64];
static unsigned loads, statements;
static size_t loaded_bytes, longest;
static enum driver_status load_status;

static enum driver_status keep_load(struct driver_conn *conn, const char *table,
                                    const char *columns, const char *text, size_t length)
{
    ck_assert_str_eq(columns, COLUMNS);
    ck_assert_int_eq(text[length - 1], '\n');
    snprintf(loaded_table, sizeof(loaded_table), "%s", table);
    conn->rows_matched = conn->rows_changed = 2;
    if (loads++ == 0)
        snprintf(loaded, sizeof(loaded), "%.*s", (int)length, text);
    loaded_bytes += length;
    longest = length > longest ? length : longest;
    return load_status == DRIVER_ERROR ? driver_fail(conn, 17, "", false, "no room") : load_status;
}

static void can_load(struct driver_conn *conn)
{
    conn->can_load = true;
}

static void takes_short_statements(struct driver_conn *conn)
{
    conn->max_statement_bytes = 400;
}

static enum driver_status measure_query(struct driver_conn *conn, const char *text, size_t length)
{
    statements++;
    longest = length > longest ? length : longest;
    ck_assert_int_eq(text[length], '\0');
    return sqlite_driver.query(conn, text, length);
}

static void setup(void)
{
    database_open(&d, NULL);
    fake_driver_init(&fake, "sqlite");
    fake.ops.load = keep_load;
    fake.ops.ask_limits = can_load;
    con = connect_to(NULL);
    execute(con, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INT, c TEXT)");
    loads = statements = 0;
    loaded_bytes = longest = 0;
    load_status = DRIVER_OK;
}

static void teardown(void)
{
    sql_connection_free(con);
    database_close(&d);
}

static void add_row(sql_connection *to, unsigned id, const char *text)
{
    ck_assert_int_eq(sql_load_int(to, id), 0);
    ck_assert_int_eq(sql_load_int(to, -4e15), 0);
    ck_assert_int_eq(sql_load_text(to, text, strlen(text)), 0);
}

static int load_row(sql_connection *to, unsigned id, const char *text)
{
    add_row(to, id, text);
    return sql_load_row(to);
}

START_TEST(rows_are_stored_unchanged)
{
    ck_assert_int_eq(sql_load_begin(con, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(con, 1, "it's"), 0);
    ck_assert_int_eq(load_row(con, 2, "a\tb\\n\n"), 0);
    ck_assert_int_eq(load_row(con, 3, ""), 0);
    assert_counted(&d, 0, 0, 1);
    ck_assert_int_eq(sql_load_done(con), 0);
    assert_counted(&d, 0, 1, 1);
    assert_result(con, "SELECT id, k, c FROM t ORDER BY id",
                  "1,-4000000000000000,it's;2,-4000000000000000,a\tb\\n\n;3,-4000000000000000,");
}
END_TEST

/* A driver whose load format has no functions inserts. */
START_TEST(a_function_converts_the_last_field)
{
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "t", "id, k, upper(c)", "load"), -1);
    ck_assert_int_eq(sql_load_begin(to, "t", "id, k, upper(c)", "auto"), 0);
    ck_assert_int_eq(load_row(to, 1, "it's"), 0);
    ck_assert_int_eq(load_row(to, 2, "b"), 0);
    ck_assert_int_eq(sql_load_done(to), 0);
    ck_assert_uint_eq(loads, 0);
    sql_connection_free(to);
    assert_result(con, "SELECT id, c FROM t ORDER BY id", "1,IT'S;2,B");
}
END_TEST

START_TEST(statements_respect_the_limit_of_the_server)
{
    fake.ops.ask_limits = takes_short_statements;
    fake.ops.query = measure_query;
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "auto"), 0);
    for (unsigned i = 1; i <= 100; i++)
        ck_assert_int_eq(load_row(to, i, "0123456789"), 0);
    ck_assert_int_eq(sql_load_done(to), 0);
    ck_assert_uint_eq(loads, 0);
    ck_assert_uint_le(longest, 400);
    ck_assert_uint_gt(longest, 200);
    ck_assert_uint_eq(counted(&d, COUNTER_WRITE), statements);
    sql_connection_free(to);
    assert_result(con, "SELECT count(*), sum(id) FROM t", "100,5050");
}
END_TEST

START_TEST(special_characters_are_escaped_in_load_format)
{
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(to, 1, "it's"), 0);
    ck_assert_int_eq(load_row(to, 2, "\ta\n\r\\b\\"), 0);
    ck_assert_int_eq(sql_load_done(to), 0);
    ck_assert_uint_eq(loads, 1);
    ck_assert_str_eq(loaded_table, "t");
    ck_assert_str_eq(loaded, "1\t-4000000000000000\tit's\n"
                             "2\t-4000000000000000\t\\ta\\n\\r\\\\b\\\\\n");
    assert_counted(&d, 0, 1, 1);
    sql_connection_free(to);
}
END_TEST

START_TEST(null_differs_from_text_in_both_formats)
{
    sql_connection *to = fake_driver_connect(&fake);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, i == 0 ? "load" : "insert"), 0);
        ck_assert_int_eq(sql_load_int(to, 1), 0);
        ck_assert_int_eq(sql_load_null(to), 0);
        ck_assert_int_eq(sql_load_text(to, "\\N", 2), 0);
        ck_assert_int_eq(sql_load_row(to), 0);
        ck_assert_int_eq(sql_load_done(to), 0);
    }
    ck_assert_str_eq(loaded, "1\t\\N\t\\\\N\n");
    assert_result(con, "SELECT k IS NULL, c FROM t", "1,\\N");
    sql_connection_free(to);
}
END_TEST

START_TEST(a_load_counts_as_an_insert_whatever_the_table_is_called)
{
    struct snapshot s;
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "users", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(to, 1, "a"), 0);
    ck_assert_int_eq(load_row(to, 2, "b"), 0);
    ck_assert_int_eq(sql_load_done(to), 0);
    snapshot_init(&s);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.effects.count[WRITE_UPDATE][EFFECT_WRITES], 0);
    ck_assert_uint_eq(s.effects.count[WRITE_INSERT][EFFECT_WRITES], 1);
    ck_assert_uint_eq(s.effects.count[WRITE_INSERT][EFFECT_ROWS_CHANGED], 2);
    snapshot_fini(&s);
    sql_connection_free(to);
}
END_TEST

START_TEST(a_load_is_sent_in_pieces_of_complete_rows)
{
    enum { ROWS = 100000 };
    static const char text[] = "0123456789012345678901234567890123456789012345678901234567890123";
    size_t given = 0;
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "load"), 0);
    for (unsigned i = 0; i < ROWS; i++) {
        ck_assert_int_eq(load_row(to, i, text), 0);
        given += (size_t)snprintf(NULL, 0, "%u\t-4000000000000000\t%s\n", i, text);
    }
    ck_assert_int_eq(sql_load_done(to), 0);
    ck_assert_uint_eq(loaded_bytes, given);
    ck_assert_uint_le(longest, 4 << 20);
    ck_assert_uint_eq(loads, given / (4 << 20) + 1);
    sql_connection_free(to);
}
END_TEST

/* Loads rows until the first piece is on its way. */
static void load_first_piece(sql_connection *to)
{
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "load"), 0);
    char text[1001];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (unsigned i = 0; !to->load.sending; i++)
        ck_assert_int_eq(load_row(to, i, text), 0);
}

/* The failure of a piece that another thread sends is the result of the next call that uses the
 * connection. */
START_TEST(a_piece_fails_in_the_background)
{
    sql_connection *to = fake_driver_connect(&fake);
    load_status = DRIVER_ERROR;
    load_first_piece(to);
    ck_assert_int_eq(sql_query(to, "SELECT 1", 8), -1);
    ck_assert_str_eq(sql_error_message(to), "no room");
    ck_assert_str_eq(sql_error_query(to), "INSERT INTO t");
    ck_assert_int_eq(sql_query(to, "SELECT 1", 8), DRIVER_ROWS);

    load_first_piece(to);
    ck_assert_int_eq(load_row(to, 0, "a"), 0);
    ck_assert_int_eq(sql_load_done(to), -1);
    ck_assert_str_eq(sql_error_message(to), "no room");
    ck_assert_uint_eq(loads, 2); /* the last row is not sent after a failed piece */

    load_first_piece(to);
    int rc = 0;
    for (unsigned i = 0; rc == 0; i++)
        rc = load_row(to, i, "a");
    ck_assert_str_eq(sql_error_message(to), "no room");
    sql_connection_free(to);
}
END_TEST

START_TEST(a_piece_ends_before_the_connection)
{
    sql_connection *to = fake_driver_connect(&fake);
    load_first_piece(to);
    sql_disconnect(to);
    ck_assert_uint_eq(loads, 1);
    ck_assert(!to->load.sending);
    ck_assert_int_eq(sql_reconnect(to), 0);
    load_first_piece(to);
    sql_connection_free(to);
    ck_assert_uint_eq(loads, 2);
}
END_TEST

START_TEST(the_method_selects_the_format)
{
    sql_connection *to = fake_driver_connect(&fake);
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "insert"), 0);
    ck_assert_int_eq(load_row(to, 1, "a"), 0);
    ck_assert_int_eq(sql_load_done(to), 0);
    ck_assert_uint_eq(loads, 0);
    sql_connection_free(to);
    assert_result(con, "SELECT count(*) FROM t", "1");

    ck_assert_int_eq(sql_load_begin(con, "t", COLUMNS, "load"), -1);
    ck_assert_ptr_nonnull(strstr(sql_error_message(con), "use --prepare-method=auto or insert"));
    ck_assert_str_eq(sql_error_query(con), "t");
    ck_assert_int_eq(sql_load_int(con, 1), -1);
}
END_TEST

START_TEST(calls_without_load_begin_are_refused)
{
    ck_assert_int_eq(sql_load_int(con, 1), -1);
    ck_assert_int_eq(sql_load_text(con, "a", 1), -1);
    ck_assert_int_eq(sql_load_null(con), -1);
    ck_assert_int_eq(sql_load_row(con), -1);
    ck_assert_int_eq(sql_load_done(con), -1);
    ck_assert_ptr_nonnull(strstr(sql_error_message(con), "load_begin()"));

    ck_assert_int_eq(sql_load_begin(con, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(sql_load_row(con), -1);
    ck_assert_str_eq(sql_error_message(con), "a row to load has no fields");
    ck_assert_int_eq(sql_load_done(con), 0);
    ck_assert_int_eq(sql_load_done(con), -1);
    assert_counted(&d, 0, 0, 1);
}
END_TEST

START_TEST(an_incomplete_row_is_not_sent)
{
    ck_assert_int_eq(sql_load_begin(con, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(con, 1, "a"), 0);
    add_row(con, 2, "b");
    ck_assert_int_eq(sql_load_done(con), 0);
    assert_result(con, "SELECT id FROM t", "1");
}
END_TEST

START_TEST(a_failed_piece_is_reported_as_an_insert)
{
    ck_assert_int_eq(sql_load_begin(con, "t", "id", "auto"), 0);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(sql_load_int(con, 7), 0);
        ck_assert_int_eq(sql_load_row(con), 0);
    }
    ck_assert_int_eq(sql_load_done(con), -1);
    ck_assert_str_eq(sql_error_message(con), "UNIQUE constraint failed: t.id");
    ck_assert_str_eq(sql_error_query(con), "INSERT INTO t(id) VALUES(7),(7)");

    sql_connection *to = fake_driver_connect(&fake);
    load_status = DRIVER_ERROR;
    ck_assert_int_eq(sql_load_begin(to, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(to, 1, "a"), 0);
    ck_assert_int_eq(sql_load_done(to), -1);
    ck_assert_int_eq(sql_error_code(to), 17);
    ck_assert_str_eq(sql_error_message(to), "no room");
    ck_assert_str_eq(sql_error_query(to), "INSERT INTO t");
    sql_connection_free(to);
    assert_counted(&d, 0, 0, 1);
}
END_TEST

START_TEST(an_unfinished_load_ends_with_the_connection)
{
    ck_assert_int_eq(sql_load_begin(con, "t", COLUMNS, "auto"), 0);
    ck_assert_int_eq(load_row(con, 1, "a"), 0);
    sql_disconnect(con);
    ck_assert_int_eq(sql_load_int(con, 2), -1);
    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_int_eq(sql_load_done(con), -1);
    assert_result(con, "SELECT count(*) FROM t", "0");
}
END_TEST

RUN_SUITE_WITH("sql_load", 30, setup, teardown, rows_are_stored_unchanged,
               a_function_converts_the_last_field, statements_respect_the_limit_of_the_server,
               special_characters_are_escaped_in_load_format,
               null_differs_from_text_in_both_formats,
               a_load_counts_as_an_insert_whatever_the_table_is_called,
               a_load_is_sent_in_pieces_of_complete_rows, a_piece_fails_in_the_background,
               a_piece_ends_before_the_connection, the_method_selects_the_format,
               calls_without_load_begin_are_refused, an_incomplete_row_is_not_sent,
               a_failed_piece_is_reported_as_an_insert, an_unfinished_load_ends_with_the_connection)
