/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "../capture.h"
#include "../database.h"
#include "../suite.h"
#include "base/clock.h"
#include "sql/sql_internal.h"

START_TEST(answers_without_a_database)
{
    struct database d;
    database_open(&d, NULL);
    sql_connection *con = connect_to("null");

    ck_assert_int_eq(query(con, "SELECT c FROM t"), 1);
    ck_assert_double_eq(sql_rows(con), 0);
    ck_assert_uint_eq(sql_fields(con), 1);
    ck_assert(!sql_fetch(con));
    ck_assert_int_eq(query(con, "UPDATE t SET a = 1"), 0);
    ck_assert_uint_eq(con->conn.rows_matched, 1);
    ck_assert_int_eq(query(con, "BEGIN"), 0);
    ck_assert_uint_eq(sql_fields(con), 0);
    assert_counted(&d, 1, 1, 1);
    sql_connection_free(con);
    database_close(&d);
}
END_TEST

START_TEST(prepared_and_text_count_alike)
{
    const char *const modes[] = {"db-ps-mode=auto", "db-ps-mode=disable"};
    struct database d;
    database_open(&d, (const char *const[]){modes[_i], NULL});
    sql_connection *con = connect_to("null");
    sql_param *param = sql_param_create(SQL_TYPE_INT, 0);
    sql_statement *read = prepare(con, "SELECT c FROM t WHERE id = ?");
    sql_statement *write = prepare(con, "DELETE FROM t WHERE id = ?");
    sql_statement *other = prepare(con, "COMMIT");

    sql_param_int(param, 7);
    ck_assert_int_eq(sql_bind(read, &param, 1), 0);
    ck_assert_int_eq(sql_bind(write, &param, 1), 0);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(sql_execute(read), 1);
        ck_assert_uint_eq(sql_fields(con), 1);
        ck_assert_int_eq(sql_execute(write), 0);
        ck_assert_int_eq(sql_execute(other), 0);
    }
    assert_counted(&d, 5, 5, 5);
    sql_statement_free(read);
    sql_statement_free(write);
    sql_statement_free(other);
    sql_param_free(param);
    sql_connection_free(con);
    database_close(&d);
}
END_TEST

/* Executes statements with this --null-service and returns the time taken in nanoseconds. Adds the
 * service times that the driver draws for :exp, with mean 1, to *drawn_ns. */
static int64_t time_statements(const char *service, unsigned statements, double *drawn_ns)
{
    struct database d;
    database_open(&d, (const char *const[]){service, NULL});
    sql_connection *con = connect_to("null");
    struct rand_stream same = con->conn.service;
    int64_t start_ns = clock_now_ns();

    for (unsigned i = 0; i < statements; i++)
        ck_assert_int_ge(query(con, i % 2 ? "COMMIT" : "SELECT 1"), 0);
    int64_t elapsed_ns = clock_now_ns() - start_ns;
    for (unsigned i = 0; i < statements; i++)
        *drawn_ns += rand_stream_exponential(&same);
    sql_connection_free(con);
    database_close(&d);
    return elapsed_ns;
}

/*
 * A sleep never ends early, so the sum of the service times is an exact lower bound. On a busy
 * machine it may end late without limit, so the upper bound is far above this sum.
 */
START_TEST(fixed_service_takes_its_time)
{
    double drawn = 0;
    int64_t elapsed_ns = time_statements("null-service=2ms", 50, &drawn);
    ck_assert_int_ge(elapsed_ns, 100 * NS_PER_MS);
    ck_assert_int_lt(elapsed_ns, 5 * NS_PER_SEC);
    drawn = 0;
    elapsed_ns = time_statements("null-service=500us:fixed", 50, &drawn);
    ck_assert_int_ge(elapsed_ns, 25 * NS_PER_MS);
    ck_assert_int_lt(elapsed_ns, 5 * NS_PER_SEC);
}
END_TEST

START_TEST(exponential_service_has_the_mean_asked_for)
{
    double drawn = 0;
    int64_t elapsed_ns = time_statements("null-service=1ms:exp", 200, &drawn);

    /* The seed is fixed. The mean is 1 with a standard error of 1/sqrt(200); 0.31 is 4.4 times
     * that. */
    ck_assert_double_eq_tol(drawn / 200, 1, 0.31);
    /* Rounding to whole nanoseconds loses less than 1 ns per draw. */
    ck_assert_double_ge((double)elapsed_ns, drawn * NS_PER_MS - 200);
    ck_assert_double_le((double)elapsed_ns, drawn * NS_PER_MS + 5.0 * NS_PER_SEC);
}
END_TEST

START_TEST(preparing_takes_no_service_time)
{
    struct database d;
    database_open(&d, (const char *const[]){"null-service=10s", NULL});
    int64_t start_ns = clock_now_ns();
    sql_connection *con = connect_to("null");
    sql_statement *stmt = prepare(con, "SELECT 1");

    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_int_lt(clock_now_ns() - start_ns, 5 * NS_PER_SEC);
    sql_statement_free(stmt);
    sql_connection_free(con);
    database_close(&d);
}
END_TEST

START_TEST(connections_and_threads_draw_different_times)
{
    struct database d;
    database_open(&d, NULL);
    sql_connection *con[3];

    con[0] = connect_to("null");
    con[1] = connect_to("null");
    sql_thread_enter(d.sql, NULL, 1);
    con[2] = connect_to("null");
    uint64_t first[3];
    for (int i = 0; i < 3; i++) {
        first[i] = rand_stream_u64(&con[i]->conn.service);
        ck_assert_int_eq(query(con[i], "COMMIT"), 0);
        sql_connection_free(con[i]);
    }
    ck_assert_uint_ne(first[0], first[1]);
    ck_assert_uint_ne(first[0], first[2]);
    assert_counted(&d, 0, 0, 2); /* the third connection has no statistics */
    database_close(&d);
}
END_TEST

static const struct {
    const char *value;
    bool good;
} services[] = {
    {"0", true},        {"0:exp", true},  {"2ms", true},   {"2ms:exp", true}, {"1.5us:fixed", true},
    {"10ns", true},     {".5s", true},    {"3600s", true}, {"", false},       {"2", false},
    {"ms", false},      {"-2ms", false},  {"+2ms", false}, {"2 ms", false},   {" 2ms", false},
    {"2m", false},      {"2msx", false},  {"2ms:", false}, {"2ms:ex", false}, {"2ms:expo", false},
    {"2ms,exp", false}, {"nanms", false}, {"infs", false}, {"3601s", false},  {"1e999s", false},
    {"0x10ms", false},  {"1e3ms", false},
};

START_TEST(service_times_are_checked)
{
    struct options *options = options_create();
    struct capture c;

    ck_assert_int_eq(sql_add_options(options), 0);
    capture_start(&c, 0);
    int status = options_set(options, "null-service", services[_i].value);
    char *message = capture_end(&c);
    ck_assert_msg(status == (services[_i].good ? 0 : -1), "'%s'", services[_i].value);
    if (!services[_i].good) {
        ck_assert_ptr_nonnull(strstr(message, "null-service"));
        ck_assert_ptr_nonnull(strstr(message, "2ms:exp"));
    }
    free(message);
    options_destroy(options);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("null");
    TCase *tc = tcase_create("null");
    tcase_add_test(tc, answers_without_a_database);
    tcase_add_loop_test(tc, prepared_and_text_count_alike, 0, 2);
    tcase_add_test(tc, fixed_service_takes_its_time);
    tcase_add_test(tc, exponential_service_has_the_mean_asked_for);
    tcase_add_test(tc, preparing_takes_no_service_time);
    tcase_add_test(tc, connections_and_threads_draw_different_times);
    tcase_add_loop_test(tc, service_times_are_checked, 0, ARRAY_SIZE(services));
    suite_add_tcase(suite, tc);

    return suite_run(suite);
}
