/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_sampler.h"

#include "base/log.h"
#include "sql/sql.h"
#include "sql/sql_internal.h"

/* A server that works answers sooner. Neither timeout delays the end of a run. */
#define CONNECT_TIMEOUT_S 5
#define ANSWER_TIMEOUT_S 60
/* At most this many servers are sampled. */
#define HOSTS 16

/* A connection that samples the sessions of a server. */
struct watched {
    struct driver_conn conn;
    struct sql *sql;
};

static unsigned hosts(void *server)
{
    const sql_driver *drv = sql_driver_in_use(server);
    if (drv == NULL)
        log_text(LOG_WARNING, "--wait-events has no effect: the test uses no database");
    else if (drv->ops->waits == NULL)
        log_text(LOG_WARNING, "--wait-events has no effect with the %s driver", drv->ops->name);
    return drv != NULL && drv->ops->waits != NULL ? min_u32(HOSTS, sql_servers(drv)) : 0;
}

static const char *without_session(const void *server)
{
    return sql_has_pool(server) ? "waiting for a connection" : NULL;
}

static void *open_connection(void *server, unsigned host, char *failure, size_t bytes)
{
    const sql_driver *drv = sql_driver_in_use(server);
    struct watched *w = xcalloc(1, sizeof(*w));
    w->sql = server;
    w->conn = (struct driver_conn){.ops = drv->ops,
                                   .shared = drv->shared,
                                   .number = host,
                                   .connect_timeout_s = CONNECT_TIMEOUT_S,
                                   .answer_timeout_s = ANSWER_TIMEOUT_S};
    if (drv->ops->connect(&w->conn) != DRIVER_ERROR)
        return w;
    snprintf(failure, bytes, "%s", w->conn.error.message);
    free(w);
    return NULL;
}

static enum wait_status sample(void *connection, wait_session_add *add, void *arg, char *failure,
                               size_t bytes)
{
    struct watched *w = connection;
    const uint64_t before = w->conn.asked;
    const enum driver_status status = w->conn.ops->waits->sample(&w->conn, add, arg);
    sql_note_aside(w->sql, w->conn.asked - before);
    if (w->conn.ops->free_result != NULL)
        w->conn.ops->free_result(&w->conn);
    if (status != DRIVER_ERROR && !w->conn.not_allowed)
        return WAIT_SAMPLE_TAKEN;
    snprintf(failure, bytes, "%s", w->conn.error.message);
    if (status != DRIVER_ERROR)
        return WAIT_SAMPLE_TAKEN;
    if (w->conn.error.connection_lost)
        return WAIT_SAMPLE_LOST;
    return w->conn.refused ? WAIT_SAMPLE_REFUSED : WAIT_SAMPLE_FAILED;
}

static bool knows(void *connection, uint64_t session)
{
    struct watched *w = connection;
    const uint64_t before = w->conn.asked;
    const bool known = w->conn.ops->waits->knows(&w->conn, session);
    sql_note_aside(w->sql, w->conn.asked - before);
    if (w->conn.ops->free_result != NULL)
        w->conn.ops->free_result(&w->conn);
    return known;
}

static void close_connection(void *connection)
{
    struct watched *w = connection;
    w->conn.ops->disconnect(&w->conn);
    rowset_fini(&w->conn.rows);
    free(w);
}

static int64_t gap_ns(void *connection)
{
    const struct watched *w = connection;
    return w->conn.ops->waits->gap_ns(&w->conn);
}

const struct wait_source sql_wait_source = {.hosts = hosts,
                                            .without_session = without_session,
                                            .open = open_connection,
                                            .knows = knows,
                                            .sample = sample,
                                            .close = close_connection,
                                            .gap_ns = gap_ns};
