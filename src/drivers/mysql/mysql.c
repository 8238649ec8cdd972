/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MySQL and MariaDB: connections and text statements; mysql_stmt.c has prepared ones. Result sets
 * stay where the client library has stored them and are read from there, row by row, if the script
 * asks for rows.
 */
#include <errmsg.h>
#include <mysqld_error.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

/* An endpoint as the user knows it, for messages. */
struct target {
    const char *host, *socket;
    unsigned port;
    char name[SERVER_HOST_BYTES + 40];
    struct server_place place; /* where conn->elsewhere leads; host or socket point here */
};

/*
 * Errors after which only a new connection helps, by their numbers because either library lacks
 * some of the names. Which of them a client sees when a server goes away is chance.
 */
static bool is_lost(unsigned code)
{
    static const unsigned codes[] = {
        1053,                         /* server shutdown in progress */
        1152, 1158, 1159, 1160, 1161, /* the server could not read or write */
        1927,                         /* connection was killed */
        2002, 2003,                   /* nobody answers */
        2006, 2013, 2055,             /* server has gone away; lost connection */
        3169,                         /* session was killed */
        4031,                         /* disconnected because of inactivity */
    };

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool is_ignored(const struct mysql_shared *s, unsigned code)
{
    if (s->ignore_all || (s->ignore_lost && is_lost(code)))
        return true;
    for (unsigned i = 0; i < s->ignored_count; i++)
        if (s->ignored[i] == code)
            return true;
    return false;
}

enum driver_status mysql_fail(struct driver_conn *conn, unsigned code, const char *state,
                              const char *text)
{
    driver_fail(conn, (int)code, state, is_ignored(conn->shared, code), "%s", text);
    conn->error.connection_lost = is_lost(code);
    return DRIVER_ERROR;
}

enum driver_status mysql_fail_connection(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    return mysql_fail(conn, mysql_errno(c->mysql), mysql_sqlstate(c->mysql), mysql_error(c->mysql));
}

/* The driver's life. */

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
    for (unsigned i = 0; i < s->ignored_count; i++)
        s->ignore_lost = s->ignore_lost || is_lost(s->ignored[i]);
    return 0;
}

static void fini(void *shared)
{
    mysql_shared_fini(shared);
    free(shared);
    mysql_library_end();
}

/* Connections. */

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

static void set_target_elsewhere(struct target *t, const struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;
    struct server_place *place = &t->place;

    server_place(conn->elsewhere, place);
    if (place->host[0] == '/')
        t->socket = place->host;
    else
        t->host = place->host;
    t->port = (unsigned)strtoul(place->port[0] != '\0' ? place->port : s->ports[0], NULL, 10);
}

static void find_target(struct target *t, const struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;

    *t = (struct target){0};
    if (conn->elsewhere != NULL) {
        set_target_elsewhere(t, conn);
    } else if (s->sockets != NULL) {
        t->socket = s->sockets[conn->number % server_list_length(s->sockets)];
    } else {
        struct server_address address = server_address(s->hosts, s->ports, conn->number);
        t->host = address.host;
        t->port = (unsigned)strtoul(address.port, NULL, 10);
    }
    if (t->socket != NULL)
        snprintf(t->name, sizeof(t->name), "socket '%s'", t->socket);
    else
        snprintf(t->name, sizeof(t->name), "host '%s', port %u", t->host, t->port);
}

bool mysql_where(const struct driver_conn *conn, char *name, size_t bytes)
{
    struct target target;

    find_target(&target, conn);
    snprintf(name, bytes, "%s", target.name);
    return target.socket != NULL || server_is_local(target.host);
}

static void set_certificates(MYSQL *mysql, const struct mysql_shared *s)
{
    const struct {
        enum mysql_option option;
        const char *value;
    } given[] = {
        {MYSQL_OPT_SSL_KEY, s->ssl_key},
        {MYSQL_OPT_SSL_CERT, s->ssl_cert},
        {MYSQL_OPT_SSL_CA, s->ssl_ca},
        {MYSQL_OPT_SSL_CIPHER, s->ssl_cipher},
    };

    for (size_t i = 0; i < ARRAY_SIZE(given); i++)
        if (given[i].value != NULL)
            mysql_options(mysql, given[i].option, given[i].value);
}

static void set_options(MYSQL *mysql, const struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;
    const unsigned allow_local_infile = 1; /* for mysql_load(); files are refused */

    /* MariaDB's library keeps to it for the first address of a host only: docs/hosts.md. */
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &conn->connect_timeout_s);
    if (conn->answer_timeout_s > 0)
        mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &conn->answer_timeout_s);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &allow_local_infile);
    mysql_refuse_files(mysql);
    if (s->defaults_file != NULL) {
        client_set_defaults(mysql, "sbtest", "sbtest");
        mysql_options(mysql, MYSQL_READ_DEFAULT_FILE, s->defaults_file);
        mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "client");
    }
    if (s->ssl != CLIENT_SSL_DISABLED)
        set_certificates(mysql, s);
    client_set_ssl(mysql, s->ssl);
    if (s->compress || s->compression_algorithms != NULL)
        mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL);
    if (s->compression_algorithms != NULL)
        client_set_compression(mysql, s->compression_algorithms);
}

static enum driver_status fail_connect(struct driver_conn *conn, const struct target *target,
                                       const char *text)
{
    struct mysql_connection *c = conn->handle;
    unsigned code = mysql_errno(c->mysql);
    char message[sizeof(conn->error.message)];

    snprintf(message, sizeof(message), "%s: %s", target->name,
             text != NULL ? text : mysql_error(c->mysql));
    mysql_fail(conn, code, mysql_sqlstate(c->mysql), message);
    /* Too many connections: they go away again. */
    if (code == ER_CON_COUNT_ERROR || code == ER_TOO_MANY_USER_CONNECTIONS)
        conn->error.connection_lost = true;
    return DRIVER_ERROR;
}

static enum driver_status open_connection(struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;
    const struct mysql_connection *c = conn->handle;
    struct target target;
    const unsigned long flags = CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS;

    find_target(&target, conn);
    set_options(c->mysql, conn);
    if (mysql_real_connect(c->mysql, target.host, s->user, s->password, s->database, target.port,
                           target.socket, flags) == NULL)
        return fail_connect(conn, &target, NULL);
    if (s->ssl >= CLIENT_SSL_REQUIRED && mysql_get_ssl_cipher(c->mysql) == NULL)
        return fail_connect(conn, &target,
                            "the server does not encrypt, which --mysql-ssl demands");
    return DRIVER_OK;
}

static void disconnect(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return;
    mysql_close(c->mysql);
    free(c);
    conn->handle = NULL;
}

static enum driver_status connect_to_server(struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;

    if (s->dry_run)
        return DRIVER_OK;
    struct mysql_connection *c = xcalloc(1, sizeof(*c));
    c->mysql = checked_alloc(mysql_init(NULL));
    conn->handle = c;
    conn->more_results = false;
    if (open_connection(conn) == DRIVER_OK)
        return DRIVER_OK;
    disconnect(conn);
    return DRIVER_ERROR;
}

/* Text statements. */

enum driver_status mysql_dry_answer(struct driver_conn *conn, enum sql_text_kind kind)
{
    if (kind == SQL_TEXT_READ) {
        rowset_start(&conn->rows, 1);
        return DRIVER_ROWS;
    }
    conn->rows_matched = conn->rows_changed = kind == SQL_TEXT_WRITE;
    return DRIVER_OK;
}

void mysql_keep_counts(struct driver_conn *conn, uint64_t affected)
{
    struct mysql_connection *c = conn->handle;
    const char *info = mysql_info(c->mysql);
    const char prefix[] = "Rows matched: ";

    conn->rows_matched = conn->rows_changed = affected;
    /* An UPDATE says more: "Rows matched: 1  Changed: 0  Warnings: 0". */
    if (info != NULL && strncmp(info, prefix, sizeof(prefix) - 1) == 0)
        conn->rows_matched = strtoull(info + sizeof(prefix) - 1, NULL, 10);
}

/* Takes a result set without keeping it. */
static enum driver_status count_rows(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    MYSQL_RES *result = mysql_use_result(c->mysql);

    while (result != NULL && mysql_fetch_row(result) != NULL)
        conn->counted++;
    bool failed = mysql_errno(c->mysql) != 0;
    if (result != NULL)
        mysql_free_result(result);
    conn->more_results = mysql_more_results(c->mysql);
    rowset_start(&conn->rows, 1);
    return failed ? mysql_fail_connection(conn) : DRIVER_ROWS;
}

/* Stores what the server answered last. */
static enum driver_status store(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    conn->more_results = mysql_more_results(c->mysql);
    if (mysql_field_count(c->mysql) == 0) {
        mysql_keep_counts(conn, mysql_affected_rows(c->mysql));
        return DRIVER_OK;
    }
    if (conn->count_only)
        return count_rows(conn);
    c->result = mysql_store_result(c->mysql);
    if (c->result == NULL)
        return mysql_fail_connection(conn);
    conn->more_results = mysql_more_results(c->mysql);
    rowset_start(&conn->rows, mysql_num_fields(c->result));
    conn->rows.nrows = mysql_num_rows(c->result);
    conn->rows_matched = conn->rows_changed = conn->rows.nrows; /* of a write with RETURNING */
    return DRIVER_ROWS;
}

/* The result set of the next statement that has one. */
static enum driver_status store_first(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    enum driver_status status = store(conn);

    while (status == DRIVER_OK && conn->more_results) {
        if (mysql_next_result(c->mysql) > 0)
            return mysql_fail_connection(conn);
        status = store(conn);
    }
    return status;
}

static enum driver_status next_result(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (!conn->more_results)
        return DRIVER_OK;
    if (c->last != NULL)
        return mysql_statement_next_result(conn);
    conn->more_results = false;
    if (mysql_next_result(c->mysql) > 0)
        return mysql_fail_connection(conn);
    return store_first(conn);
}

static void free_result(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return;
    if (c->open != NULL)
        mysql_statement_free_result(conn);
    if (c->result != NULL)
        mysql_free_result(c->result);
    c->result = NULL;
}

enum driver_status mysql_drain(struct driver_conn *conn)
{
    while (conn->more_results) {
        if (next_result(conn) == DRIVER_ERROR)
            return DRIVER_ERROR;
        free_result(conn);
        rowset_clear(&conn->rows);
    }
    return DRIVER_OK;
}

static enum driver_status query(struct driver_conn *conn, const char *text, size_t length)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return mysql_dry_answer(conn, sql_text_kind(text, length));
    if (mysql_drain(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    c->last = NULL;
    if (mysql_real_query(c->mysql, text, length) != 0)
        return mysql_fail_connection(conn);
    return store_first(conn);
}

static const struct rowset_field *fetch(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return NULL;
    if (c->open != NULL)
        return mysql_statement_fetch(conn);
    MYSQL_ROW row = c->result != NULL ? mysql_fetch_row(c->result) : NULL;
    if (row == NULL)
        return NULL;
    const unsigned long *lengths = mysql_fetch_lengths(c->result);
    for (uint32_t i = 0; i < conn->rows.nfields; i++)
        conn->rows.row[i] = (struct rowset_field){row[i], lengths[i]};
    return conn->rows.row;
}

/* By another connection, as the server has it. */
static void cancel(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    struct driver_conn other = {.ops = conn->ops,
                                .shared = conn->shared,
                                .number = conn->number,
                                .connect_timeout_s = 1,
                                .answer_timeout_s = 1};
    char text[64];

    if (c == NULL || connect_to_server(&other) == DRIVER_ERROR)
        return;
    int length = snprintf(text, sizeof(text), "KILL QUERY %lu", mysql_thread_id(c->mysql));
    query(&other, text, (size_t)length);
    disconnect(&other);
}

/* A deadlock has ended the transaction already, a lock wait that timed out has not. */
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
    return mysql_real_escape_string(c->mysql, to, text, length);
}

const struct driver_ops mysql_driver = {
    .name = "mysql",
    .description = "MySQL driver",
    .options = mysql_option_rows,
    .options_count = MYSQL_OPTIONS,
    .max_statement_bytes = 1000 * 1000,
    .supports_prepare = true,
    .backslash_escapes = true,
    .library = library,
    .init = init,
    .fini = fini,
    .servers = servers,
    .server_name = server_name,
    .connect = connect_to_server,
    .disconnect = disconnect,
    .query = query,
    .next_result = next_result,
    .fetch = fetch,
    .free_result = free_result,
    .prepare = mysql_prepare_statement,
    .execute = mysql_execute_statement,
    .close_statement = mysql_close_prepared,
    .cancel = cancel,
    .recover = recover,
    .escape = escape,
    .load = mysql_load,
    .ask_limits = mysql_ask_limits,
    .watch = &mysql_watch,
};
