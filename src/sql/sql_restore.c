/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reopens lost connections. Attempts are made on new handles, with growing pauses in between, until
 * the time limit of the thread (sql_thread_patience_ns()). With --failover, each attempt uses the
 * next server, and a pause follows after all servers were tried. The wait ends within NAP_NS of the
 * limit, except while a client library waits for a server: its timeout is in whole seconds.
 */
#include "base/clock.h"
#include "base/log.h"
#include "sql/replicas/read_hosts.h"

#define FIRST_PAUSE_NS (10 * NS_PER_MS)
#define LONGEST_PAUSE_NS NS_PER_SEC
/* A pause is divided into sleeps of this length, to check after each whether the run has ended. */
#define NAP_NS (20 * NS_PER_MS)
#define LONGEST_CONNECT_S 10
/* A connection that is lost again within this time after a failover waits this long before the next
 * attempt. */
#define SOON_NS (100 * NS_PER_MS)

bool sql_failover_helps(const sql_connection *con)
{
    return con->fails_over && con->conn.error.connection_lost;
}

void sql_failover_move(sql_connection *con)
{
    const unsigned choice = read_hosts_choice(con), server = read_hosts_server(con);
    char name[TARGET_NAME_BYTES];

    if (sql_note_gone(con->driver, server)) {
        read_hosts_name(con->driver, server, name, sizeof(name));
        log_text(LOG_WARNING, "%s is gone: connections go to the next host: %s", name,
                 con->conn.error.message);
    }
    con->conn.number = (con->conn.number % choice + 1) % choice;
}

void sql_failover_reset(sql_connection *con)
{
    if (con->fails_over)
        con->conn.number = con->home;
}

/* Adds the time since *since_ns to the down time of the thread, and sets *since_ns to now. */
static void count_down_time(const sql_connection *con, int64_t *since_ns)
{
    int64_t now_ns = clock_now_ns();

    if (con->stats != NULL)
        stats_count(con->stats, COUNTER_DOWN_NS, (uint64_t)(now_ns - *since_ns));
    *since_ns = now_ns;
}

/* Sleeps between half of the pause and the whole pause, at random, so that threads do not reconnect
 * all at once. */
static void take_pause(sql_connection *con, int64_t pause_ns, int64_t *since_ns)
{
    double share = 1 - rand_stream_double(&con->backoff) / 2;
    int64_t end_ns = *since_ns + (int64_t)((double)pause_ns * share);

    while (*since_ns < end_ns && *since_ns < sql_thread_patience_ns()) {
        clock_sleep_until_ns(min_i64(*since_ns + NAP_NS, end_ns));
        count_down_time(con, since_ns);
    }
}

static unsigned connect_timeout_s(const sql_connection *con, int64_t left_ns)
{
    unsigned longest = con->fails_over ? con->driver->failover_s : LONGEST_CONNECT_S;
    int64_t seconds = left_ns / NS_PER_SEC + 1;
    return (unsigned)min_i64(seconds, min_u32(longest, LONGEST_CONNECT_S));
}

bool sql_restore(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;
    int64_t since_ns = clock_now_ns(), pause_ns = FIRST_PAUSE_NS;

    sql_close_connection(con);
    if (con->fails_over && con->moved_ns > 0 && since_ns - con->moved_ns < SOON_NS)
        take_pause(con, SOON_NS, &since_ns);
    for (unsigned attempt = 1;; attempt++) {
        int64_t left_ns = sql_thread_patience_ns() - since_ns;
        if (left_ns <= 0)
            return true;
        if (con->fails_over)
            sql_failover_move(con);
        conn->connect_timeout_s = connect_timeout_s(con, left_ns);
        if (con->driver->by_class)
            sql_class_begin_connect(con);
        sql_open_connection(con);
        if (con->driver->by_class)
            sql_class_end_connect(con);
        count_down_time(con, &since_ns);
        if (con->open)
            break;
        sql_class_failed(con);
        if (!conn->error.connection_lost && !conn->error.ignorable)
            return false;
        sql_class_ignored(con);
        if (con->fails_over && attempt % read_hosts_choice(con) != 0)
            continue;
        take_pause(con, pause_ns, &since_ns);
        pause_ns = min_i64(2 * pause_ns, LONGEST_PAUSE_NS);
    }
    sql_publish(con);
    con->moved_ns = since_ns;
    sql_target_note_back(con);
    sql_count(con, COUNTER_RECONNECT);
    return true;
}
