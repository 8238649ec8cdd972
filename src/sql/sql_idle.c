/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections that do nothing, for --idle-connections. They are not counted as part of the load. */
#include "engine/workload.h"
#include "sql/sql.h"
#include "sql/sql_internal.h"
#include "sql/sql_workload.h"

/* Timeout for connects and answers: the thread that holds the connections waits no longer. */
#define TIMEOUT_S 5

static const char *objection(const void *server)
{
    const struct driver_ops *ops = sql_chosen_driver(server);
    return ops == NULL || ops->descriptor == NULL
               ? "the database driver has no connections to a server (allowed: mysql, pgsql)"
               : NULL;
}

static void *open_idle(void *server, unsigned number, char *failure, size_t bytes)
{
    sql_thread_enter(server, NULL, 0);
    sql_driver *driver = sql_driver_open(NULL);
    if (driver == NULL) {
        snprintf(failure, bytes, "the database driver cannot be used");
        return NULL;
    }
    sql_connection *con = sql_connection_new(driver);
    con->conn.number = number;
    con->conn.connect_timeout_s = con->conn.answer_timeout_s = TIMEOUT_S;
    con->open = driver->ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->open)
        return con;
    char codes[32];
    sql_write_codes(&con->conn.error, codes, sizeof(codes));
    snprintf(failure, bytes, "error %s (%s)", codes, con->conn.error.message);
    sql_connection_unref(con);
    return NULL;
}

static int descriptor(const void *connection)
{
    const sql_connection *con = connection;
    return con->conn.ops->descriptor(&con->conn);
}

static bool touch(void *server, void *connection)
{
    if (sql_query_aside(connection, "SELECT 1") != 0)
        return false;
    sql_note_aside(server, 1);
    return true;
}

static void close_idle(void *connection)
{
    sql_connection_free(connection);
}

const struct idle_source sql_idle_source = {.objection = objection,
                                            .open = open_idle,
                                            .descriptor = descriptor,
                                            .touch = touch,
                                            .close = close_idle};
