/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections of the MySQL driver: choice of the server, connect, and close. */
#include <errmsg.h>
#include <mysqld_error.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

/* The first version of MySQL with the statements that say REPLICA. */
#define REPLICA_VERSION 80022

bool mysql_is_mariadb(MYSQL *mysql)
{
    return strstr(mysql_get_server_info(mysql), "MariaDB") != NULL;
}

bool mysql_says_replica(MYSQL *mysql)
{
    return !mysql_is_mariadb(mysql) && mysql_get_server_version(mysql) >= REPLICA_VERSION;
}

/* Address of a connection, and its name for messages. */
struct target {
    const char *host, *socket;
    unsigned port;
    char name[SERVER_HOST_BYTES + 40];
    struct server_place place; /* parsed conn->elsewhere; host or socket point into it */
};

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

/* A server can request any file in answer to any statement. These functions refuse all requests;
 * mysql_load() replaces them while it loads rows. */

static int refuse_init(void **cursor, const char *name, void *unused)
{
    (void)cursor;
    (void)name;
    (void)unused;
    return 1;
}

static int refuse_read(void *cursor, char *buf, unsigned room)
{
    (void)cursor;
    (void)buf;
    (void)room;
    return -1;
}

static void refuse_end(void *cursor)
{
    (void)cursor;
}

static int refuse_error(void *cursor, char *message, unsigned room)
{
    (void)cursor;
    snprintf(message, room, "the server has requested a file of this machine, which is refused");
    return 2;
}

void mysql_refuse_files(MYSQL *mysql)
{
    mysql_set_local_infile_handler(mysql, refuse_init, refuse_read, refuse_end, refuse_error, NULL);
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

    /* MariaDB's library applies it only to the first address of a host: docs/hosts.md. */
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &conn->connect_timeout_s);
    if (conn->answer_timeout_s > 0)
        mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &conn->answer_timeout_s);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &allow_local_infile);
    mysql_refuse_files(mysql);
    if (s->defaults.file != NULL)
        mysql_set_defaults(mysql, s->defaults.file);
    if (s->ssl != CLIENT_SSL_DISABLED)
        set_certificates(mysql, s);
    else if (s->defaults.file != NULL) /* certificates in the file would turn TLS on */
        mysql_ssl_set(mysql, NULL, NULL, NULL, NULL, NULL);
    client_set_ssl(mysql, s->ssl);
    if (s->compress)
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
    /* Too many connections: a later attempt may succeed. */
    if (code == ER_CON_COUNT_ERROR || code == ER_TOO_MANY_USER_CONNECTIONS)
        conn->error.connection_lost = true;
    return DRIVER_ERROR;
}

/* True if a failed connect has lasted as long as the timeout. The library's error code does not
 * show this reliably. */
static bool was_silent(const struct driver_conn *conn, int64_t since_ns)
{
    return clock_now_ns() - since_ns >= conn->connect_timeout_s * NS_PER_SEC - NS_PER_SEC / 10;
}

static enum driver_status fail_silent(struct driver_conn *conn, const struct target *target)
{
    const struct mysql_connection *c = conn->handle;
    const bool has_error = mysql_errno(c->mysql) != 0;
    char text[sizeof(target->name) + 64];

    snprintf(text, sizeof(text), "%s: no answer within %u s", target->name,
             conn->connect_timeout_s);
    return mysql_fail(conn, has_error ? mysql_errno(c->mysql) : CR_SERVER_LOST,
                      has_error ? mysql_sqlstate(c->mysql) : "HY000", text);
}

/* If the connection uses a socket, a host is passed as well, because otherwise the host of the
 * option file would override the socket. */
static const char *host_of(const struct target *target, const struct mysql_shared *s)
{
    return target->socket != NULL && s->defaults.file != NULL ? "localhost" : target->host;
}

static enum driver_status log_in(struct driver_conn *conn, const char *password)
{
    const struct mysql_shared *s = conn->shared;
    const struct mysql_connection *c = conn->handle;
    struct target target;

    find_target(&target, conn);
    const struct client_target to = {.host = host_of(&target, s),
                                     .port = target.port,
                                     .socket = target.socket,
                                     .user = s->user,
                                     .password = password,
                                     .database = s->database,
                                     .flags = CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS};
    if (s->ssl == CLIENT_SSL_IDENTITY && target.socket == NULL && target.host != NULL &&
        !client_compares_name(target.host))
        return fail_connect(conn, &target,
                            "this version of the client library does not compare the name in the "
                            "certificate of a server at localhost, 127.0.0.1 or ::1, as "
                            "--mysql-ssl=VERIFY_IDENTITY demands: give another name or address");
    set_options(c->mysql, conn);
    const int64_t begin_ns = clock_now_ns();
    if (!client_connect(c->mysql, &to, conn->connect_timeout_s))
        return was_silent(conn, begin_ns) ? fail_silent(conn, &target)
                                          : fail_connect(conn, &target, NULL);
    if (s->ssl >= CLIENT_SSL_REQUIRED && mysql_get_ssl_cipher(c->mysql) == NULL)
        return fail_connect(conn, &target,
                            "the server does not support SSL, which --mysql-ssl demands");
    return DRIVER_OK;
}

void mysql_connection_close(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return;
    mysql_close(c->mysql);
    free(c);
    conn->handle = NULL;
}

/* The user is taken from the library, because it may come from an option file, and so is the
 * password unless this program knows it. */
static enum driver_status change_user(struct driver_conn *conn, const char *password)
{
    MYSQL *mysql = ((struct mysql_connection *)conn->handle)->mysql;

    if (mysql_change_user(mysql, mysql->user, password != NULL ? password : mysql->passwd, NULL) !=
        0)
        return mysql_fail_connection(conn);
    return DRIVER_OK;
}

/* A server closes the connection after a refused change of the user, so the new password of a
 * second attempt would come too late. */
static bool is_not_refused(const struct sql_failure *error)
{
    (void)error;
    return false;
}

enum driver_status mysql_connection_renew(struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;

    if (conn->handle == NULL)
        return DRIVER_OK;
    if (mysql_drain(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return password_connect(conn, s->password, change_user, is_not_refused);
}

static bool is_refused(const struct sql_failure *error)
{
    return error->code == ER_ACCESS_DENIED_ERROR;
}

static enum driver_status open_connection(struct driver_conn *conn, const char *password)
{
    struct mysql_connection *c = xcalloc(1, sizeof(*c));

    c->mysql = checked_alloc(mysql_init(NULL));
    conn->handle = c;
    mysql_read_text(c);
    conn->more_results = false;
    if (log_in(conn, password) == DRIVER_OK)
        return DRIVER_OK;
    mysql_connection_close(conn);
    return DRIVER_ERROR;
}

enum driver_status mysql_connection_open(struct driver_conn *conn)
{
    const struct mysql_shared *s = conn->shared;

    if (s->dry_run)
        return DRIVER_OK;
    return password_connect(conn, s->password, open_connection, is_refused);
}
