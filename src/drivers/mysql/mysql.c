/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver for MySQL and MariaDB: table of operations, init and fini. The other files, from the
 * lowest layer up: mysql_client.h (two client libraries), mysql_error.c, mysql_defaults.c (the
 * option file), mysql_options.c, mysql_result.c (text statements), mysql_connect.c, mysql_stmt.c
 * (prepared statements), mysql_load.c, mysql_watch.c, mysql_waits.c.
 */
#include <sys/socket.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

static const char *library(void);
static int init(const struct options *options, void **shared);
static void fini(void *shared);
static bool pretends(const void *shared);
static unsigned servers(const void *shared);
static void server_name(const void *shared, unsigned server, char *name, size_t bytes);
static void cancel(struct driver_conn *conn);
static void *cancel_begin(struct driver_conn *conn);
static void cancel_end(void *cancellation, bool send);
static void abandon(struct driver_conn *conn);
static void settle(struct driver_conn *conn);
static bool in_transaction(const struct driver_conn *conn);
static void recover(struct driver_conn *conn);
static size_t escape(struct driver_conn *conn, char *to, const char *text, size_t length);

static int descriptor(const struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    return c != NULL ? (int)c->mysql->net.fd : -1;
}

const struct driver_ops mysql_driver = {
    .name = "mysql",
    .description = "MySQL driver",
    .language = &sql_language,
    .options = mysql_option_rows,
    .options_count = MYSQL_OPTIONS,
    .max_statement_bytes = 1000 * 1000,
    .supports_prepare = true,
    .backslash_escapes = true,
    .library = library,
    .init = init,
    .fini = fini,
    .pretends = pretends,
    .servers = servers,
    .server_name = server_name,
    .connect = mysql_connection_open,
    .connect_advice = mysql_connect_advice,
    .disconnect = mysql_connection_close,
    .query = mysql_text_query,
    .next_result = mysql_result_next,
    .fetch = mysql_result_fetch,
    .free_result = mysql_result_forget,
    .prepare = mysql_prepare_statement,
    .execute = mysql_execute_statement,
    .close_statement = mysql_close_prepared,
    .cancel = cancel,
    .cancel_begin = cancel_begin,
    .cancel_end = cancel_end,
    .abandon = abandon,
    .settle = settle,
    .renew = mysql_connection_renew,
    .in_transaction = in_transaction,
    .recover = recover,
    .escape = escape,
    .load = mysql_load,
    .load_calls = true,
    .ask_limits = mysql_ask_limits,
    .explain = "EXPLAIN FORMAT=JSON ",
    .descriptor = descriptor,
    .watch = &mysql_watch,
    .waits = &mysql_waits,
    .settings = &mysql_settings,
};

static const char *library(void)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s %s", CLIENT_LIBRARY, mysql_get_client_info());
    return name;
}

static int init(const struct options *options, void **shared)
{
    struct mysql_shared *s = xcalloc(1, sizeof(*s));

    *shared = s;
    if (mysql_library_init(0, NULL, NULL) != 0) {
        log_text(LOG_FATAL, "the MySQL client library could not be initialized");
        free(s);
        return -1;
    }
    if (mysql_shared_init(s, options) < 0) {
        mysql_shared_fini(s);
        free(s);
        return -1;
    }
    return 0;
}

static void fini(void *shared)
{
    mysql_shared_fini(shared);
    free(shared);
    mysql_library_end();
}

static bool pretends(const void *shared)
{
    const struct mysql_shared *s = shared;

    return s->dry_run;
}

static unsigned servers(const void *shared)
{
    const struct mysql_shared *s = shared;

    return s->sockets != NULL ? server_list_length(s->sockets) : server_count(s->hosts, s->ports);
}

static void server_name(const void *shared, unsigned server, char *name, size_t bytes)
{
    const struct mysql_shared *s = shared;

    if (s->sockets != NULL)
        snprintf(name, bytes, "%s", s->sockets[server]);
    else
        server_write_name(s->hosts, s->ports, server, name, bytes);
}

/* A session whose statement is to be cancelled. */
struct cancellation {
    const struct driver_ops *ops;
    void *shared;
    unsigned number; /* of the server */
    char *elsewhere; /* its address, if it is not in the options; else NULL */
    unsigned long session;
};

static void *cancel_begin(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    if (c == NULL)
        return NULL;
    struct cancellation *cancellation = xcalloc(1, sizeof(*cancellation));
    *cancellation = (struct cancellation){
        .ops = conn->ops,
        .shared = conn->shared,
        .number = conn->number,
        .elsewhere = conn->elsewhere != NULL ? xstrdup(conn->elsewhere) : NULL,
        .session = mysql_thread_id(c->mysql)};
    return cancellation;
}

/* Uses a second connection, because the first one is waiting for its answer. */
static void kill_query(const struct cancellation *k)
{
    struct driver_conn other = {.ops = k->ops,
                                .shared = k->shared,
                                .number = k->number,
                                .elsewhere = k->elsewhere,
                                .connect_timeout_s = 1,
                                .answer_timeout_s = 1};
    char text[64];

    if (mysql_connection_open(&other) == DRIVER_ERROR)
        return;
    int length = snprintf(text, sizeof(text), "KILL QUERY %lu", k->session);
    mysql_text_query(&other, text, (size_t)length);
    mysql_result_forget(&other);
    rowset_fini(&other.rows);
    mysql_connection_close(&other);
}

static void cancel_end(void *cancellation, bool send)
{
    struct cancellation *k = cancellation;
    if (k == NULL)
        return;
    if (send)
        kill_query(k);
    free(k->elsewhere);
    free(k);
}

static void cancel(struct driver_conn *conn)
{
    cancel_end(cancel_begin(conn), true);
}

static void abandon(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    const int socket = c != NULL ? client_socket(c->mysql) : -1;

    if (socket >= 0)
        shutdown(socket, SHUT_RDWR);
}

/* KILL QUERY marks a session. If the statement had ended before, the mark ends the next one. */
static void settle(struct driver_conn *conn)
{
    static const char text[] = "DO 0";
    struct mysql_connection *c = conn->handle;
    int rc = -1;

    for (unsigned i = 0; i < 3 && rc != 0 && c != NULL && mysql_drain(conn) == DRIVER_OK; i++)
        rc = mysql_real_query(c->mysql, text, sizeof(text) - 1);
}

static bool in_transaction(const struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    return c != NULL && (c->mysql->server_status & SERVER_STATUS_IN_TRANS) != 0;
}

/* Always rolls back: a lock wait timeout, unlike a deadlock, leaves the transaction open. */
static void recover(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c != NULL && mysql_drain(conn) == DRIVER_OK)
        mysql_rollback(c->mysql);
}

static size_t escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return sql_text_double_quotes(to, text, length);
    return client_escape(c->mysql, to, text, length);
}
