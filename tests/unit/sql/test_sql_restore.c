/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests reconnecting with a fake driver that loses connections on request. */
#include "../capture.h"
#include "../fake_driver.h"
#include "../suite.h"
#include "base/clock.h"

static struct database d;
static struct fake_driver fake;
static sql_connection *con;

/* Behaviour of the fake server, and counts of its operations. */
static struct {
    unsigned refuse;  /* number of the next connects that fail */
    bool worth_while; /* their error says that another attempt makes sense */
    bool ignorable;   /* their error can be ignored */
    unsigned attempts, disconnects;
    unsigned closed_for_good; /* number of statements closed with their connection */
    unsigned timeout_s;       /* timeout of the last attempt */
} server;

static enum driver_status connect_or_not(struct driver_conn *conn)
{
    server.attempts++;
    server.timeout_s = conn->connect_timeout_s;
    if (server.refuse == 0)
        return null_driver.connect(conn);
    server.refuse--;
    driver_fail(conn, 2002, "HY000", server.ignorable, "nobody answers");
    conn->error.connection_lost = server.worth_while;
    return DRIVER_ERROR;
}

static void count_disconnect(struct driver_conn *conn)
{
    server.disconnects++;
    null_driver.disconnect(conn);
}

static void count_close(struct driver_stmt *stmt)
{
    server.closed_for_good += stmt->conn->closing;
    null_driver.close_statement(stmt);
}

static int64_t patience_ns; /* time left for reconnecting, from each call of be_patient() on */

static int64_t be_patient(void *arg)
{
    ck_assert_ptr_eq(arg, &server);
    return clock_now_ns() + patience_ns;
}

static void setup(void)
{
    database_open(&d, NULL);
    fake_driver_init(&fake, "null");
    fake.ops.connect = connect_or_not;
    fake.ops.disconnect = count_disconnect;
    fake.ops.close_statement = count_close;
    fake.ops.query = fake_driver_lose;
    memset(&server, 0, sizeof(server));
    server.worth_while = true;
    con = fake_driver_connect(&fake);
    patience_ns = 3600 * NS_PER_SEC;
    sql_thread_be_patient(be_patient, &server);
}

static void teardown(void)
{
    sql_connection_free(con);
    database_close(&d);
}

/* Loses the connection and ignores the error. */
static bool lose_and_ignore(void)
{
    ck_assert_int_eq(query(con, "lose"), -1);
    ck_assert(sql_error_ignorable(con));
    return sql_error_ignore(con);
}

START_TEST(a_lost_connection_is_reopened)
{
    sql_statement *stmt = prepare(con, "SELECT 1");
    ck_assert_int_eq(sql_execute(stmt), 1);
    server.refuse = 3;
    int64_t begin_ns = clock_now_ns();
    ck_assert(lose_and_ignore());
    int64_t took_ns = clock_now_ns() - begin_ns;
    ck_assert(sql_connected(con));
    ck_assert_uint_eq(server.attempts, 1 + 3 + 1);
    ck_assert_uint_eq(server.disconnects, 1);
    ck_assert_uint_eq(server.closed_for_good, 1);
    ck_assert_uint_eq(counted(&d, COUNTER_ERROR), 1);
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 1);
    /* Three pauses of at least half of 10, 20 and 40 ms, all counted as down time. */
    ck_assert_uint_ge(counted(&d, COUNTER_DOWN_NS), 35 * NS_PER_MS);
    ck_assert_uint_le(counted(&d, COUNTER_DOWN_NS), (uint64_t)took_ns);
    ck_assert_int_eq(sql_execute(stmt), 1);
    sql_statement_free(stmt);
}
END_TEST

START_TEST(an_attempt_takes_no_longer_than_the_patience)
{
    ck_assert(lose_and_ignore());
    ck_assert_uint_eq(server.timeout_s, 10); /* the limit, although an hour is left */
    patience_ns = NS_PER_SEC / 2;
    ck_assert(lose_and_ignore());
    ck_assert_uint_eq(server.timeout_s, 1);
}
END_TEST

START_TEST(another_error_ends_the_attempts)
{
    server.refuse = 1000;
    server.worth_while = false;
    ck_assert(!lose_and_ignore());
    ck_assert(!sql_connected(con));
    ck_assert_uint_eq(server.attempts, 1 + 1);
    ck_assert_int_eq(sql_error_code(con), 2002);
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 0);

    struct capture c;
    capture_start(&c, 0);
    sql_error_log(con);
    char *message = capture_end(&c);
    ck_assert_str_eq(message, "FATAL: null driver: cannot reconnect: error 2002, state HY000 "
                              "(nobody answers)\n");
    free(message);
}
END_TEST

START_TEST(an_ignorable_error_does_not_end_the_attempts)
{
    server.refuse = 2;
    server.worth_while = false;
    server.ignorable = true;
    ck_assert(lose_and_ignore());
    ck_assert(sql_connected(con));
    ck_assert_uint_eq(server.attempts, 1 + 2 + 1);
}
END_TEST

/* Lets reconnecting continue for the first calls, then ends it. */
static int64_t lose_patience(void *arg)
{
    int *left = arg;
    return --*left > 0 ? INT64_MAX : 0;
}

START_TEST(the_end_of_patience_leaves_the_connection_closed)
{
    int questions = 20;
    sql_thread_be_patient(lose_patience, &questions);
    server.refuse = 1000;
    ck_assert(lose_and_ignore());
    ck_assert(!sql_connected(con));
    ck_assert_int_le(questions, 0);
    ck_assert_uint_le(server.attempts, 1 + 10); /* each pause also calls it */
    ck_assert_uint_gt(counted(&d, COUNTER_DOWN_NS), 0);
}
END_TEST

START_TEST(without_patience_nothing_is_tried)
{
    sql_thread_be_patient(NULL, NULL);
    ck_assert(lose_and_ignore());
    ck_assert(!sql_connected(con));
    ck_assert_uint_eq(server.attempts, 1);
    ck_assert_uint_eq(server.disconnects, 1);
    ck_assert_uint_eq(counted(&d, COUNTER_DOWN_NS), 0);
}
END_TEST

START_TEST(reconnecting_waits_if_the_error_is_ignored)
{
    server.refuse = 2;
    server.ignorable = true;
    ck_assert_int_eq(sql_reconnect(con), 0);
    ck_assert_uint_eq(server.attempts, 1 + 2 + 1);
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 1);

    struct capture c;
    server.refuse = 1;
    server.ignorable = false;
    capture_start(&c, 0);
    int rc = sql_reconnect(con);
    char *message = capture_end(&c);
    ck_assert_int_eq(rc, -1);
    ck_assert_str_eq(message, "FATAL: unable to connect with the null driver: nobody answers\n");
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 1);
    free(message);
}
END_TEST

RUN_SUITE_WITH("sql_restore", 30, setup, teardown, a_lost_connection_is_reopened,
               an_attempt_takes_no_longer_than_the_patience, another_error_ends_the_attempts,
               an_ignorable_error_does_not_end_the_attempts,
               the_end_of_patience_leaves_the_connection_closed, without_patience_nothing_is_tried,
               reconnecting_waits_if_the_error_is_ignored)
