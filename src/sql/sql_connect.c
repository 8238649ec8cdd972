/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens, reopens and closes connections. */
#include "base/log.h"
#include "engine/worker.h"
#include "sql/policies/guard.h"
#include "sql/pool/pool.h"
#include "sql/replicas/read_hosts.h"
#include "sql/sql_internal.h"

/* Timeout for connects and answers of connections that are not part of the load. */
#define ASIDE_TIMEOUT_S 5

static void log_connect(const struct driver_conn *conn)
{
    log_text(LOG_FATAL, "unable to connect with the %s driver: %s", conn->ops->name,
             conn->error.message);
}

static void log_first(const sql_connection *con)
{
    const struct driver_conn *conn = &con->conn;
    const char *advice = NULL;

    log_connect(conn);
    if (sql_gives_advice(con->driver) && con->reads)
        log_bare("Check --read-hosts: '%s' is one of its hosts.", conn->elsewhere);
    else if (sql_gives_advice(con->driver) && conn->ops->connect_advice != NULL)
        advice = conn->ops->connect_advice(conn);
    if (advice != NULL)
        log_bare("%s", advice);
}

/* If --failover is on, tries the other servers in turn until one accepts the connection. */
static void open_elsewhere(sql_connection *con)
{
    for (unsigned i = 1; i < read_hosts_choice(con) && sql_failover_helps(con); i++) {
        sql_failover_move(con);
        sql_open_connection(con);
        if (con->open) {
            sql_target_join(con);
            return;
        }
    }
}

static int open_first_time(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    sql_note_attempt(con->driver);
    sql_open_connection(con);
    if (!con->open)
        open_elsewhere(con);
    sql_publish(con);
    if (con->open)
        sql_target_note_open(con);
    else
        sql_class_failed(con);
    if (sql_note_outcome(con->driver, con->open ? NULL : &conn->error))
        log_first(con);
    return con->open ? 0 : -1;
}

static void note_reconnect(sql_connection *con)
{
    if (con->open) {
        sql_class_reconnected(con);
        sql_target_note_back(con);
        sql_count(con, COUNTER_RECONNECT);
    } else {
        sql_target_note_lost(con, true);
        sql_class_failed(con);
    }
}

/* Closes and opens the connection. Returns −1 after logging the failure. */
static int open_anew(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    sql_target_aim(con);
    if (con->driver->by_class)
        sql_class_begin_connect(con);
    sql_close_connection(con);
    sql_failover_reset(con);
    sql_open_connection(con);
    if (con->driver->by_class)
        sql_class_end_connect(con);
    sql_publish(con);
    note_reconnect(con);
    if (!con->open && sql_error_ignorable(con) && conn->error.connection_lost) {
        sql_class_ignored(con);
        sql_restore(con);
    }
    if (!con->open)
        log_connect(conn);
    return con->open ? 0 : -1;
}

/* For a connection of the pool that was lost, or whose lifetime has ended. */
static int open_again(sql_connection *con)
{
    if (con->open)
        return open_anew(con);
    if (!sql_restore(con))
        return -1;
    /* Without an open connection, the run is about to end. */
    con->conn.error.ignorable = true;
    return con->open ? 0 : -1;
}

bool sql_driver_be_read_only(sql_driver *drv)
{
    return drv->read_only = drv->ops->can_be_read_only;
}

static sql_connection *connect_for(sql_driver *drv, bool reads)
{
    sql_connection *con = sql_connection_new(drv);

    const bool shares = drv->pool != NULL && worker_of_thread() != NULL;

    con->reads = reads;
    sql_thread_adopt(con);
    const bool opens = !shares || pool_join(drv->pool, con, open_again);
    sql_target_join(con);
    if (drv->guard != NULL && worker_of_thread() != NULL)
        guard_join(drv->guard, con);
    con->conn.read_only = drv->read_only;
    if (!opens) {
        sql_recycle_join(con);
        return con;
    }
    if (open_first_time(con) < 0) {
        if (shares)
            pool_fail(drv->pool);
        sql_connection_unref(con);
        return NULL;
    }
    sql_recycle_join(con);
    if (shares)
        pool_add(con);
    return con;
}

sql_connection *sql_connect(sql_driver *drv)
{
    return connect_for(drv, false);
}

bool sql_has_read_hosts(const sql_driver *drv)
{
    return drv->read_host_count > 0;
}

sql_connection *sql_connect_reader(sql_driver *drv)
{
    const bool reads = sql_has_read_hosts(drv);
    if (reads)
        atomic_store(&drv->has_readers, true);
    return connect_for(drv, reads);
}

static sql_connection *connect_aside(sql_driver *drv, uint32_t server, const char *elsewhere)
{
    sql_connection *con = sql_connection_new(drv);

    con->conn.number = server;
    con->conn.elsewhere = elsewhere;
    con->conn.connect_timeout_s = con->conn.answer_timeout_s = ASIDE_TIMEOUT_S;
    con->open = drv->ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->open)
        return con;
    sql_connection_unref(con);
    return NULL;
}

sql_connection *sql_connect_aside(sql_driver *drv, uint32_t server)
{
    return connect_aside(drv, server, NULL);
}

sql_connection *sql_connect_aside_reader(sql_driver *drv, uint32_t number)
{
    return connect_aside(drv, number, drv->read_hosts[number % drv->read_host_count]);
}

/* With a pool, the connection goes back, and --reconnect counts the events of each connection. */
int sql_reconnect(sql_connection *con)
{
    con->disconnected = false;
    if (con->pool == NULL)
        return open_anew(con);
    sql_give_back(con);
    return 0;
}

bool sql_recycle_now(void)
{
    sql_connection *con;
    while ((con = sql_recycle_next()) != NULL)
        if (open_anew(con) != 0)
            return false;
    return true;
}

static void end_connection(sql_connection *con)
{
    if (con->pool != NULL)
        sql_give_back(con);
    sql_close_connection(con);
    sql_buffer_fini(&con->bulk.text);
    sql_load_forget(con);
}

void sql_disconnect(sql_connection *con)
{
    if (con->disconnected)
        log_text(LOG_ALERT, "attempt to close an already closed connection");
    con->disconnected = true;
    end_connection(con);
}

void sql_connection_free(sql_connection *con)
{
    if (con == NULL)
        return;
    end_connection(con);
    sql_target_note_gone(con);
    sql_connection_unref(con);
}
