/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests connections, statements and results with SQLite. */
#include <math.h>

#include "../capture.h"
#include "../database.h"
#include "../suite.h"
#include "base/log.h"
#include "sql/sql_internal.h"

static struct database d;
static sql_connection *con;

static void open_with(const char *setting)
{
    database_open(&d, (const char *const[]){setting, NULL});
    con = connect_to(NULL);
}

static void setup(void)
{
    open_with("db-ps-mode=auto");
}

static void teardown(void)
{
    sql_connection_free(con);
    database_close(&d);
}

static const char *const ps_modes[] = {"db-ps-mode=auto", "db-ps-mode=disable"};

/* Returns the names of the drivers in the order of the table. */
static char *driver_names(void)
{
    static char names[64];
    const struct driver_ops *driver;

    names[0] = '\0';
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++) {
        strcat(names, i > 0 ? ", " : "");
        strcat(names, driver->name);
    }
    return names;
}

START_TEST(disabled_drivers_leave_the_others_in_order)
{
    const char *p = "mysql, pgsql, sqlite, mongodb, null";

    for (char *name = strtok(driver_names(), ", "); name != NULL; name = strtok(NULL, ", ")) {
        p = strstr(p, name);
        ck_assert_msg(p != NULL, "%s", name);
    }
}
END_TEST

START_TEST(the_driver_of_the_option_is_the_default)
{
    struct options *options = options_create();
    const char *first = sql_driver_at(0)->name;

    ck_assert_int_eq(sql_add_options(options), 0);
    /* The default is mysql if it is compiled in, otherwise sqlite, which needs no server. */
    ck_assert_str_eq(options_string(options, "db-driver"),
                     strcmp(first, "mysql") == 0 ? "mysql" : "sqlite");
    ck_assert_ptr_eq(sql_driver_open(NULL), sql_driver_open("sqlite"));
    options_destroy(options);
}
END_TEST

START_TEST(unknown_driver_lists_those_compiled_in)
{
    struct capture c;
    capture_start(&c, 0);
    sql_driver *drv = sql_driver_open("oracle");
    char *message = capture_end(&c);
    ck_assert_ptr_null(drv);
    char expected[160];
    snprintf(expected, sizeof(expected),
             "FATAL: invalid database driver name: 'oracle' (compiled in: %s)\n", driver_names());
    ck_assert_str_eq(message, expected);
    free(message);
}
END_TEST

START_TEST(a_driver_counts_as_used_once_opened)
{
    struct database other;
    database_open(&other, NULL);
    ck_assert(!sql_used(other.sql));
    ck_assert_ptr_nonnull(sql_driver_open("null"));
    ck_assert(sql_used(other.sql));
    database_close(&other);
}
END_TEST

START_TEST(statements_are_classified_and_counted)
{
    execute(con, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INT)");
    assert_counted(&d, 0, 0, 1);
    execute(con, "INSERT INTO t VALUES (1, 1), (2, 2)");
    execute(con, "UPDATE t SET k = 3 WHERE id = 99"); /* a write that changes no row */
    ck_assert_uint_eq(con->conn.rows_matched, 0);
    execute(con, "UPDATE t SET k = 3");
    ck_assert_uint_eq(con->conn.rows_matched, 2);
    ck_assert_int_eq(query(con, "INSERT INTO t VALUES (3, 3) RETURNING id"), 1);
    assert_counted(&d, 0, 4, 1);
    assert_result(con, "SELECT k FROM t WHERE id = 99", "");
    assert_result(con, "/* DELETE */ SELECT k FROM t WHERE id = 1", "3");
    execute(con, "BEGIN");
    execute(con, "COMMIT");
    assert_counted(&d, 2, 4, 3);
}
END_TEST

START_TEST(failed_statements_are_not_counted)
{
    ck_assert_int_eq(query(con, "SELECT * FROM missing"), -1);
    ck_assert_int_eq(query(con, "SELEKT"), -1);
    sql_statement *stmt = prepare(con, "DELETE FROM missing"); /* not sent yet */
    ck_assert_int_eq(sql_execute(stmt), -1);
    sql_statement_free(stmt);
    assert_counted(&d, 0, 0, 0);
    ck_assert_uint_eq(counted(&d, COUNTER_ERROR), 3); /* counted as errors */
    ck_assert_str_eq(sql_error_query(con), "DELETE FROM missing");
    ck_assert_str_eq(sql_error_message(con), "no such table: missing");
    ck_assert_str_eq(sql_error_state(con), "");
    ck_assert_int_eq(sql_error_code(con), 1);
    ck_assert(!sql_error_ignorable(con));
}
END_TEST

START_TEST(a_fatal_error_is_logged_with_its_query)
{
    struct capture c;
    query(con, "SELECT * FROM missing");
    capture_start(&c, 0);
    sql_error_log(con);
    char *message = capture_end(&c);
    ck_assert_str_eq(message, "FATAL: sqlite driver: error 1 (no such table: missing) "
                              "for query 'SELECT * FROM missing'\n");
    free(message);
}
END_TEST

START_TEST(results_hold_nulls_blobs_and_quotes)
{
    ck_assert_int_eq(
        query(con, "SELECT NULL, '', x'00ff27', x'', 'it''s', 9223372036854775807, 1.5"), 1);
    ck_assert_double_eq(sql_rows(con), 1);
    ck_assert_uint_eq(sql_fields(con), 7);
    ck_assert_ptr_null(sql_field(con, 0)); /* before the first fetch */
    ck_assert(sql_fetch(con));
    ck_assert_ptr_null(sql_field(con, 0));
    ck_assert_ptr_nonnull(sql_field(con, 1));
    ck_assert_uint_eq(sql_field_length(con, 1), 0);
    ck_assert_uint_eq(sql_field_length(con, 2), 3);
    ck_assert_mem_eq(sql_field(con, 2), "\x00\xff\x27", 3);
    ck_assert_ptr_nonnull(sql_field(con, 3));
    ck_assert_uint_eq(sql_field_length(con, 3), 0);
    ck_assert_mem_eq(sql_field(con, 4), "it's", 4);
    ck_assert_mem_eq(sql_field(con, 5), "9223372036854775807", 19);
    ck_assert_mem_eq(sql_field(con, 6), "1.5", 3);
    ck_assert_ptr_null(sql_field(con, 7));
    ck_assert(!sql_fetch(con));
    ck_assert_ptr_null(sql_field(con, 1));
}
END_TEST

START_TEST(a_freed_result_is_gone)
{
    ck_assert_int_eq(query(con, "SELECT 1 UNION SELECT 2"), 1);
    ck_assert(sql_fetch(con));
    sql_free_result(con);
    ck_assert(!sql_fetch(con));
    ck_assert_uint_eq(sql_fields(con), 0);
    ck_assert(!sql_more_results(con));
    ck_assert_int_eq(sql_next_result(con), 0);
}
END_TEST

START_TEST(a_text_may_hold_several_statements)
{
    execute(con,
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); -- end");
    assert_result(con, "; SELECT a FROM t; SELECT 7; INSERT INTO t VALUES (3)", "1;2");
    assert_result(con, "SELECT count(*) FROM t", "3");
    ck_assert_int_eq(query(con, "SELECT a FROM t; SELECT * FROM missing"), -1);
    ck_assert_uint_eq(sql_fields(con), 0);
    execute(con, "");
    execute(con, "-- nothing");
}
END_TEST

START_TEST(only_one_statement_can_be_prepared)
{
    static const struct {
        const char *text;
        int status;
    } texts[] = {{"SELECT 1; SELECT 2", -1}, {" ", -1}, {"SELECT 1 ; \n", 1}};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        sql_statement *stmt = prepare(con, texts[i].text);
        ck_assert_int_eq(sql_execute(stmt), texts[i].status);
        if (texts[i].status < 0)
            ck_assert_ptr_nonnull(strstr(sql_error_message(con), "one statement"));
        sql_statement_free(stmt);
    }
}
END_TEST

/* Parameters of all kinds. */
struct values {
    sql_param *integer, *number, *text;
};

static struct values values_create(void)
{
    return (struct values){sql_param_create(SQL_TYPE_BIGINT, 0),
                           sql_param_create(SQL_TYPE_DOUBLE, 0),
                           sql_param_create(SQL_TYPE_VARCHAR, 40)};
}

static void values_free(struct values *v)
{
    sql_param_free(v->integer);
    sql_param_free(v->number);
    sql_param_free(v->text);
}

static void insert_values(sql_statement *stmt, struct values *v)
{
    static const int64_t integers[] = {0, -1, INT64_MAX, INT64_MIN, INT64_C(9007199254740993)};
    static const double numbers[] = {1, -0.1, 1e300, -2, 0.5};
    static const char *const texts[] = {"", "it's", "'", "a\\'b", "-- \"?\" $$ ` \xc3\xa4"};

    ck_assert_int_eq(sql_execute(stmt), 0); /* parameters are NULL before a value is set */
    for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
        sql_param_int(v->integer, integers[i]);
        sql_param_double(v->number, numbers[i]);
        ck_assert(sql_param_text(v->text, texts[i], strlen(texts[i])));
        ck_assert_int_eq(sql_execute(stmt), 0);
        ck_assert_uint_eq(con->conn.rows_matched, 1);
    }
    sql_param_null(v->text);
    sql_param_double(v->number, NAN);
    ck_assert_int_eq(sql_execute(stmt), 0);
}

/* Values must be stored in the same way, with the same type, in both modes. */
START_TEST(ps_mode_makes_no_difference)
{
    struct values v = values_create();
    open_with(ps_modes[_i]);
    ck_assert(con->driver->emulate == (_i == 1));
    execute(con, "CREATE TABLE t (i, n, x)");
    sql_statement *stmt = prepare(con, "INSERT /* ? */ INTO t VALUES (?, ?, '?' || ?)");
    ck_assert_uint_eq(sql_parameters(stmt), 3);
    ck_assert_int_eq(sql_bind(stmt, (sql_param *[]){v.integer, v.number, v.text}, 3), 0);
    insert_values(stmt, &v);
    assert_counted(&d, 0, 7, 1);
    assert_result(con, "SELECT quote(i), typeof(i), quote(n), typeof(n), quote(x) FROM t",
                  "NULL,null,NULL,null,NULL;"
                  "0,integer,1.0,real,'?';"
                  "-1,integer,-0.1,real,'?it''s';"
                  "9223372036854775807,integer,1.0e+300,real,'?''';"
                  "-9223372036854775808,integer,-2.0,real,'?a\\''b';"
                  "9007199254740993,integer,0.5,real,'?-- \"?\" $$ ` \xc3\xa4';"
                  "9007199254740993,integer,NULL,null,NULL");
    sql_statement_free(stmt);
    values_free(&v);
    teardown();
}
END_TEST

START_TEST(signs_and_infinity_survive)
{
    struct values v = values_create();
    open_with(ps_modes[_i]);
    sql_statement *stmt = prepare(con, "SELECT 1-?, 1-?, ? < -1e308");
    ck_assert_int_eq(sql_bind(stmt, (sql_param *[]){v.integer, v.number, v.number}, 3), 0);
    sql_param_int(v.integer, -2);
    sql_param_double(v.number, -2);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "3,3.0,0");
    sql_param_double(v.number, -HUGE_VAL);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "3,Inf,1");
    sql_statement_free(stmt);
    values_free(&v);
    teardown();
}
END_TEST

START_TEST(results_of_prepared_statements)
{
    open_with(ps_modes[_i]);
    sql_param *param = sql_param_create(SQL_TYPE_INT, 0);
    execute(con, "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT)");
    execute(con, "INSERT INTO t VALUES (1, 'a'), (2, NULL)");
    sql_statement *stmt = prepare(con, "SELECT c, id FROM t WHERE id >= ?");
    ck_assert_int_eq(sql_bind(stmt, &param, 1), 0);
    static const char *const expected[] = {"a,1;~,2", "a,1;~,2", "~,2", ""};
    for (int i = 0; i < 4; i++) {
        sql_param_int(param, i);
        ck_assert_int_eq(sql_execute(stmt), 1);
        ck_assert_str_eq(result_text(con), expected[i]);
    }
    assert_counted(&d, 4, 1, 1);
    sql_statement_free(stmt);
    sql_param_free(param);
    teardown();
}
END_TEST

START_TEST(parameters_check_their_type_and_length)
{
    ck_assert_ptr_null(sql_param_create(SQL_TYPE_NONE, 0));
    ck_assert_ptr_null(sql_param_create(13, 0));
    ck_assert_ptr_null(sql_param_create(-1, 0));
    sql_param *param = sql_param_create(SQL_TYPE_CHAR, 3);
    ck_assert(param->null);
    ck_assert(sql_param_text(param, "abc", 3));
    ck_assert(!sql_param_text(param, "abcd", 4));
    ck_assert_mem_eq(param->text, "abc", 3);
    ck_assert(!sql_param_length(param, 4));
    ck_assert_uint_eq(param->length, 3);
    sql_param_null(param);
    strcpy(sql_param_buffer(param), "xy");
    ck_assert(sql_param_length(param, 2));
    ck_assert_uint_eq(param->length, 2);
    ck_assert(!param->null);
    sql_param_free(param);
}
END_TEST

START_TEST(parameters_that_are_not_bound_are_null)
{
    open_with(ps_modes[_i]);
    struct values v = values_create();
    sql_param *params[] = {v.integer, v.number, v.text};
    sql_statement *stmt = prepare(con, "SELECT ?, ?");

    sql_param_int(v.integer, 5);
    sql_param_double(v.number, 0.5);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "~,~");
    ck_assert_int_eq(sql_bind(stmt, params, 1), 0);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "5,~");
    ck_assert_int_eq(sql_bind(stmt, params, 3), stmt->emulate ? 0 : -1);
    ck_assert(sql_bind(stmt, params, 2) == 0 && sql_bind(stmt, params, 2) == 0); /* twice */
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "5,0.5");
    sql_statement_free(stmt);
    values_free(&v);
    teardown();
}
END_TEST

START_TEST(objects_may_be_freed_in_any_order)
{
    struct values v = values_create();
    sql_connection *second = connect_to(NULL);
    sql_statement *a = prepare(second, "SELECT ?");
    sql_statement *b = prepare(second, "SELECT ?, ?");

    ck_assert_int_eq(sql_bind(a, &v.integer, 1), 0);
    ck_assert_int_eq(sql_bind(b, (sql_param *[]){v.text, v.text}, 2), 0);
    sql_param_free(v.integer);
    ck_assert_int_eq(sql_execute(a), 1); /* the statement holds a reference */
    sql_connection_free(second);
    sql_statement_free(b);
    sql_param_free(v.text);
    sql_statement_free(a);
    sql_param_free(v.number);
    sql_connection_free(NULL);
    sql_statement_free(NULL);
    sql_param_free(NULL);
}
END_TEST

START_TEST(closed_statements_and_connections_report_errors)
{
    open_with(ps_modes[_i]);
    sql_statement *closed = prepare(con, "SELECT 1");
    sql_statement *open = prepare(con, "SELECT 1");
    struct capture c;

    sql_close(closed);
    ck_assert_int_eq(sql_execute(closed), -1);
    ck_assert_str_eq(sql_error_message(con), "the statement is closed");
    sql_disconnect(con);
    sql_disconnect(con);
    ck_assert(!sql_connected(con));
    capture_start(&c, 0);
    int statuses[] = {query(con, "SELECT 2"),     sql_execute(open),
                      sql_bulk_init(con, "x", 1), sql_bulk_next(con, "x", 1),
                      sql_bulk_done(con),         -(sql_prepare(con, "x", 1) == NULL)};
    log_flush();
    char *message = capture_end(&c);
    for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
        ck_assert_int_eq(statuses[i], -1);
    ck_assert_ptr_nonnull(strstr(message, "ALERT: attempt to use an already closed connection\n"));
    ck_assert_ptr_nonnull(strstr(message, "(last message repeated 5 times)"));
    free(message);
    assert_counted(&d, 0, 0, 0);
    sql_error_ignore(con); /* does nothing */
    sql_statement_free(closed);
    sql_statement_free(open);
    teardown();
}
END_TEST

START_TEST(reconnect_prepares_again)
{
    sql_param *param = sql_param_create(SQL_TYPE_INT, 0);
    execute(con, "CREATE TEMP TABLE gone (a INT)");
    sql_statement *stmt = prepare(con, "SELECT ? + 1");
    sql_statement *on_gone = prepare(con, "DELETE FROM gone");

    ck_assert_int_eq(sql_bind(stmt, &param, 1), 0);
    sql_param_int(param, 41);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_str_eq(result_text(con), "42");
    ck_assert_int_eq(sql_execute(on_gone), -1); /* temporary tables end with the session */
    ck_assert_str_eq(sql_error_message(con), "no such table: gone");
    ck_assert_str_eq(sql_error_query(con), "DELETE FROM gone");
    sql_disconnect(con);
    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_int_eq(sql_execute(stmt), 1);
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 2);
    sql_statement_free(stmt);
    sql_statement_free(on_gone);
    sql_param_free(param);
}
END_TEST

START_TEST(debug_logs_each_statement)
{
    struct capture c;
    open_with("db-debug=on");
    log_set_verbosity(LOG_DEBUG);
    capture_start(&c, 0);
    query(con, "SELECT 1");
    sql_statement *stmt = prepare(con, "SELECT 2");
    sql_execute(stmt);
    char *message = capture_end(&c);
    ck_assert_str_eq(message, "DEBUG: sqlite: SELECT 1\nDEBUG: sqlite: SELECT 2\n");
    free(message);
    sql_statement_free(stmt);
    teardown();
}
END_TEST

static TCase *statement_cases(void)
{
    TCase *tc = tcase_create("statements");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, disabled_drivers_leave_the_others_in_order);
    tcase_add_test(tc, the_driver_of_the_option_is_the_default);
    tcase_add_test(tc, unknown_driver_lists_those_compiled_in);
    tcase_add_test(tc, statements_are_classified_and_counted);
    tcase_add_test(tc, failed_statements_are_not_counted);
    tcase_add_test(tc, a_fatal_error_is_logged_with_its_query);
    tcase_add_test(tc, results_hold_nulls_blobs_and_quotes);
    tcase_add_test(tc, a_freed_result_is_gone);
    tcase_add_test(tc, a_text_may_hold_several_statements);
    tcase_add_test(tc, only_one_statement_can_be_prepared);
    tcase_add_test(tc, objects_may_be_freed_in_any_order);
    tcase_add_test(tc, reconnect_prepares_again);
    return tc;
}

/* Tests without setup(): they open their own connections. */
static TCase *mode_cases(void)
{
    TCase *tc = tcase_create("modes");
    tcase_add_test(tc, a_driver_counts_as_used_once_opened);
    tcase_add_test(tc, parameters_check_their_type_and_length);
    tcase_add_test(tc, debug_logs_each_statement);
    tcase_add_loop_test(tc, ps_mode_makes_no_difference, 0, ARRAY_SIZE(ps_modes));
    tcase_add_loop_test(tc, signs_and_infinity_survive, 0, ARRAY_SIZE(ps_modes));
    tcase_add_loop_test(tc, results_of_prepared_statements, 0, ARRAY_SIZE(ps_modes));
    tcase_add_loop_test(tc, parameters_that_are_not_bound_are_null, 0, ARRAY_SIZE(ps_modes));
    tcase_add_loop_test(tc, closed_statements_and_connections_report_errors, 0,
                        ARRAY_SIZE(ps_modes));
    return tc;
}

int main(void)
{
    Suite *suite = suite_create("sql");
    suite_add_tcase(suite, statement_cases());
    suite_add_tcase(suite, mode_cases());

    return suite_run(suite);
}
