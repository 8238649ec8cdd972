/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL driver: table of operations, init and fini. The other files, from the lowest layer up:
 * pgsql_error.c, pgsql_options.c, pgsql_result.c (text statements), pgsql_connect.c,
 * pgsql_stmt.c (prepared statements), pgsql_load.c, pgsql_watch.c, pgsql_waits.c.
 */
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/server.h"

static const char *library(void);
static int init(const struct options *options, void **shared);
static void fini(void *shared);
static unsigned servers(const void *shared);
static void server_name(const void *shared, unsigned server, char *name, size_t bytes);
static void cancel(struct driver_conn *conn);
static void *cancel_begin(struct driver_conn *conn);
static void cancel_end(void *cancellation, bool send);
static void abandon(struct driver_conn *conn);
static bool in_transaction(const struct driver_conn *conn);
static void recover(struct driver_conn *conn);
static size_t escape(struct driver_conn *conn, char *to, const char *text, size_t length);

static int descriptor(const struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    return PQsocket(c->pg);
}

const struct driver_ops pgsql_driver = {
    .name = "pgsql",
    .description = "PostgreSQL driver",
    .language = &sql_language,
    .options = pgsql_option_rows,
    .options_count = PGSQL_OPTIONS,
    .max_statement_bytes = 256 * 1024 * 1024,
    .can_be_read_only = true,
    .supports_prepare = true,
    .library = library,
    .setup = pgsql_setup,
    .init = init,
    .fini = fini,
    .servers = servers,
    .server_name = server_name,
    .connect = pgsql_connect,
    .connect_advice = pgsql_connect_advice,
    .disconnect = pgsql_disconnect,
    .query = pgsql_query,
    .next_result = pgsql_next_result,
    .fetch = pgsql_fetch,
    .prepare = pgsql_prepare_statement,
    .execute = pgsql_execute_statement,
    .close_statement = pgsql_close_statement,
    .cancel = cancel,
    .cancel_begin = cancel_begin,
    .cancel_end = cancel_end,
    .abandon = abandon,
    .in_transaction = in_transaction,
    .recover = recover,
    .escape = escape,
    .load = pgsql_load,
    .ask_limits = pgsql_ask_limits,
    .explain = "EXPLAIN (FORMAT JSON) ",
    .descriptor = descriptor,
    .watch = &pgsql_watch,
    .waits = &pgsql_waits,
    .settings = &pgsql_settings,
};

static const char *library(void)
{
    static char name[32];
    int version = PQlibVersion();

    snprintf(name, sizeof(name), "libpq %d.%d", version / 10000, version % 10000);
    return name;
}

static int init(const struct options *options, void **shared)
{
    struct pgsql_shared *s = xcalloc(1, sizeof(*s));

    *shared = s;
    if (!PQisthreadsafe())
        log_text(LOG_FATAL, "the PostgreSQL client library was built without support for threads");
    else if (pgsql_shared_init(s, options) == 0)
        return 0;
    pgsql_shared_fini(s);
    free(s);
    return -1;
}

static void fini(void *shared)
{
    pgsql_shared_fini(shared);
    free(shared);
}

static unsigned servers(const void *shared)
{
    const struct pgsql_shared *s = shared;

    return server_count(s->hosts, s->ports);
}

static void server_name(const void *shared, unsigned server, char *name, size_t bytes)
{
    const struct pgsql_shared *s = shared;

    server_write_name(s->hosts, s->ports, server, name, bytes);
}

static void *cancel_begin(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    return PQgetCancel(c->pg);
}

static void cancel_end(void *cancellation, bool send)
{
    char ignored[256];

    if (cancellation != NULL && send)
        PQcancel(cancellation, ignored, sizeof(ignored));
    PQfreeCancel(cancellation);
}

static void cancel(struct driver_conn *conn)
{
    cancel_end(cancel_begin(conn), true);
}

static void abandon(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    const int socket = PQsocket(c->pg);

    if (socket >= 0)
        shutdown(socket, SHUT_RDWR);
}

static bool in_transaction(const struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    return PQtransactionStatus(c->pg) != PQTRANS_IDLE;
}

static void recover(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;

    pgsql_forget(conn);
    if (PQtransactionStatus(c->pg) != PQTRANS_IDLE)
        pgsql_query(conn, "ROLLBACK", strlen("ROLLBACK"));
}

static size_t escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    struct pgsql_connection *c = conn->handle;

    return PQescapeStringConn(c->pg, to, text, length, NULL);
}
