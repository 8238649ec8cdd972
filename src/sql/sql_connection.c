/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life cycle of a connection object: creation, reference counting, closing. */
#include "base/clock.h"
#include "sql/policies/guard.h"
#include "sql/pool/pool.h"
#include "sql/replicas/read_hosts.h"
#include "sql/sql_internal.h"
#include "sql/sql_wait.h"

sql_connection *sql_connection_new(sql_driver *drv)
{
    sql_connection *con = xcalloc(1, sizeof(*con));

    con->driver = drv;
    con->conn.ops = drv->ops;
    con->conn.shared = drv->shared;
    con->refs = 1;
    CK_LIST_INIT(&con->statements);
    return con;
}

void sql_open_connection(sql_connection *con)
{
    const int64_t from_ns = clock_now_ns();
    read_hosts_aim(con);
    con->open = con->conn.ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->stats != NULL && con->open)
        stats_connected(con->stats, from_ns, clock_now_ns() - from_ns);
    else if (con->stats != NULL)
        stats_not_connected(con->stats);
    if (con->open)
        sql_recycle_opened(con);
}

void sql_connection_unref(sql_connection *con)
{
    if (--con->refs > 0)
        return;
    sql_wait_leave(con);
    guard_leave(con);
    pool_leave(con);
    sql_recycle_leave(con);
    rowset_fini(&con->conn.rows);
    sql_buffer_fini(&con->failed);
    free(con);
}

void sql_take_over(sql_connection *con, struct stats_thread *stats)
{
    if (con->stats == NULL || con->stats == stats)
        return;
    sql_unpublish(con);
    con->stats = stats;
    if (stats == NULL)
        con->part = NULL;
    else if (con->part != NULL)
        con->part = targets_part(stats->targets, stats->number, con->target);
    sql_publish(con);
}

int sql_query_aside(sql_connection *con, const char *text)
{
    struct driver_conn *conn = &con->conn;

    if (!con->open)
        return -1;
    sql_free_result(con);
    const enum driver_status status = conn->ops->query(conn, text, strlen(text));
    sql_free_result(con);
    return status == DRIVER_ERROR ? -1 : 0;
}

int sql_renew(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    if (!con->open)
        return -1;
    sql_free_result(con);
    const enum driver_status status = conn->ops->renew != NULL
                                          ? conn->ops->renew(conn)
                                          : driver_fail(conn, 0, "", false, "not supported");
    return status == DRIVER_ERROR ? -1 : 0;
}

bool sql_connection_lost(const sql_connection *con)
{
    return !con->open || con->conn.error.connection_lost;
}

bool sql_connected(const sql_connection *con)
{
    return con->open || (con->pool != NULL && !con->disconnected);
}

/* A statement that was prepared on a connection of the pool stays there. */
void sql_statement_release(sql_statement *stmt)
{
    if (stmt->prepared && stmt->con->pool == NULL)
        stmt->con->conn.ops->close_statement(&stmt->stmt);
    stmt->prepared = false;
    stmt->stmt.handle = NULL;
}

static void release_statements(sql_connection *con)
{
    con->conn.closing = true;
    if (con->borrowed != NULL)
        pool_close_statements(con);
    for (sql_statement *s = CK_LIST_FIRST(&con->statements); s != NULL; s = CK_LIST_NEXT(s, link))
        sql_statement_release(s);
    con->conn.closing = false;
}

void sql_close_connection(sql_connection *con)
{
    if (!con->open)
        return;
    sql_load_wait(con);
    sql_unpublish(con);
    release_statements(con);
    sql_free_result(con);
    con->conn.ops->disconnect(&con->conn);
    con->conn.handle = NULL;
    con->open = false;
}
