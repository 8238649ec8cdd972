/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests statistics per server with a fake driver. */
#include "../capture.h"
#include "../fake_driver.h"
#include "../suite.h"
#include "base/clock.h"
#include "stats/snapshot.h"

#define SERVERS 3

static struct database d;
static struct fake_driver fake;
static struct snapshot s;
static bool refused;

static unsigned three(const void *shared)
{
    (void)shared;
    return SERVERS;
}

static void name_server(const void *shared, unsigned server, char *name, size_t bytes)
{
    (void)shared;
    snprintf(name, bytes, "db%u:3306", server);
}

static enum driver_status connect_or_not(struct driver_conn *conn)
{
    return refused ? driver_fail(conn, 1, "", false, "refused") : null_driver.connect(conn);
}

static void setup(void)
{
    database_open(&d, NULL);
    fake_driver_init(&fake, "null");
    fake.ops.servers = three;
    fake.ops.server_name = name_server;
    fake.ops.connect = connect_or_not;
    fake.ops.query = fake_driver_lose;
    refused = false;
    snapshot_init(&s);
}

static void teardown(void)
{
    snapshot_fini(&s);
    database_close(&d);
}

static const struct target_total *drained(unsigned target)
{
    ck_assert_uint_lt(target, s.targets->count);
    return &s.targets->target[target];
}

static void assert_connections(unsigned target, int64_t connections, int64_t lost)
{
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_int_eq(drained(target)->connections, connections);
    ck_assert_int_eq(drained(target)->lost, lost);
}

START_TEST(connections_use_servers_round_robin)
{
    sql_connection *con[SERVERS + 1];
    for (unsigned i = 0; i <= SERVERS; i++)
        con[i] = fake_driver_connect(&fake);
    ck_assert_uint_eq(sql_servers(&fake.driver), SERVERS);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.targets->count, SERVERS);
    for (unsigned i = 0; i < SERVERS; i++) {
        char name[16];
        sql_server_name(&fake.driver, i, name, sizeof(name));
        ck_assert_str_eq(drained(i)->name, name);
        ck_assert_int_eq(drained(i)->connections, i == 0 ? 2 : 1);
        ck_assert_int_eq(drained(i)->lost, 0);
    }
    for (unsigned i = 0; i <= SERVERS; i++)
        sql_connection_free(con[i]);
}
END_TEST

START_TEST(a_statement_counts_for_its_server)
{
    sql_connection *a = fake_driver_connect(&fake), *b = fake_driver_connect(&fake);
    ck_assert_int_eq(query(a, "SELECT 1"), 1);
    execute(b, "UPDATE t");
    execute(b, "UPDATE t");
    sql_statement *stmt = prepare(a, "SELECT 2");
    ck_assert_int_eq(sql_execute(stmt), 1);
    sql_statement_free(stmt);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(drained(0)->counter[COUNTER_READ], 2);
    ck_assert_uint_eq(drained(0)->counter[COUNTER_WRITE], 0);
    ck_assert_uint_eq(drained(1)->counter[COUNTER_READ], 0);
    ck_assert_uint_eq(drained(1)->counter[COUNTER_WRITE], 2);
    ck_assert_uint_eq(s.counter[COUNTER_READ] + s.counter[COUNTER_WRITE], 4);
    sql_connection_free(a);
    sql_connection_free(b);
}
END_TEST

START_TEST(a_lost_connection_counts_once_until_it_is_reopened)
{
    sql_connection *con = fake_driver_connect(&fake);
    ck_assert_int_eq(query(con, "lose"), -1);
    ck_assert_int_eq(query(con, "lose"), -1);
    assert_connections(0, 1, 1);
    ck_assert_int_eq(sql_reconnect(con), 0);
    assert_connections(0, 1, 0);
    ck_assert_int_eq(sql_reconnect(con), 0);
    assert_connections(0, 1, 0);
    ck_assert_uint_eq(counted(&d, COUNTER_RECONNECT), 2);

    refused = true;
    ck_assert_int_eq(sql_reconnect(con), -1);
    assert_connections(0, 1, 1);
    sql_connection_free(con);
}
END_TEST

static int64_t later(void *unused)
{
    (void)unused;
    return clock_now_ns() + 60 * NS_PER_SEC;
}

/* Opens a worker's connection to server 0 that uses failover. */
static sql_connection *connect_patiently(void)
{
    fake.driver.failover_s = 10;
    sql_thread_be_patient(later, NULL);
    return fake_driver_connect(&fake);
}

/* Connects to any server except server 1. */
static enum driver_status connect_but_not_to_1(struct driver_conn *conn)
{
    if (conn->number % SERVERS != 1)
        return null_driver.connect(conn);
    driver_fail(conn, 2003, "", false, "nobody answers");
    conn->error.connection_lost = true;
    return DRIVER_ERROR;
}

START_TEST(failover_moves_a_lost_connection)
{
    struct capture capture;
    capture_start(&capture, 0);
    sql_connection *con = connect_patiently();
    fake.ops.connect = connect_but_not_to_1;
    ck_assert_int_eq(query(con, "lose"), -1);
    con->conn.error.ignorable = false;
    ck_assert(sql_error_ignorable(con));
    ck_assert(sql_error_ignore(con));
    ck_assert(sql_connected(con));
    assert_connections(0, 1, 1);
    assert_connections(1, 0, 0);
    assert_connections(2, 1, 0);
    ck_assert_int_eq(query(con, "SELECT 1"), 1);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(drained(2)->counter[COUNTER_READ], 1);

    ck_assert_int_eq(sql_reconnect(con), 0);
    assert_connections(0, 2, 1);
    assert_connections(2, 1, 1);
    sql_connection_free(con);
    char *said = capture_end(&capture);
    ck_assert_ptr_nonnull(strstr(said, "db0:3306 is gone: connections go to the next host: lost"));
    ck_assert_ptr_nonnull(strstr(said, "db1:3306 is gone"));
    ck_assert_ptr_null(strstr(said, "db2:3306 is gone"));
    free(said);
}
END_TEST

START_TEST(failover_applies_to_new_connections)
{
    sql_connection_free(fake_driver_connect(&fake));
    fake.ops.connect = connect_but_not_to_1;
    sql_connection *con = connect_patiently();
    assert_connections(1, 0, 0);
    assert_connections(2, 1, 0);
    sql_connection_free(con);
}
END_TEST

START_TEST(a_failed_connect_does_not_count)
{
    refused = true;
    ck_assert_ptr_null(sql_connect(&fake.driver));
    assert_connections(0, 0, 0);
}
END_TEST

START_TEST(a_single_server_is_not_a_target)
{
    sql_connection *con = connect_to("null");
    ck_assert_uint_eq(sql_servers(con->driver), 1);
    ck_assert_int_eq(query(con, "SELECT 1"), 1);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.targets->count, 0);
    ck_assert_uint_eq(s.counter[COUNTER_READ], 1);
    sql_connection_free(con);
}
END_TEST

RUN_SUITE_WITH("sql_target", 30, setup, teardown, connections_use_servers_round_robin,
               a_statement_counts_for_its_server,
               a_lost_connection_counts_once_until_it_is_reopened, failover_moves_a_lost_connection,
               failover_applies_to_new_connections, a_failed_connect_does_not_count,
               a_single_server_is_not_a_target)
