/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of the MySQL driver. */
#include <string.h>

#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"

/*
 * True for errors after which only a new connection helps. Which of them a client gets when a
 * server goes away depends on timing. They are given as numbers, because each of the two libraries
 * lacks some of the names.
 */
bool mysql_is_lost(unsigned code)
{
    static const unsigned codes[] = {
        1053,                         /* server shutdown in progress */
        1152, 1158, 1159, 1160, 1161, /* the server could not read or write */
        1927,                         /* connection was killed */
        2002, 2003,                   /* cannot connect to the server */
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
    if (s->ignore_all || (s->ignore_lost && mysql_is_lost(code)))
        return true;
    for (unsigned i = 0; i < s->ignored_count; i++)
        if (s->ignored[i] == code)
            return true;
    return false;
}

/* True if a member of a Galera cluster refuses statements, because it has left the cluster or has
 * not joined it yet. */
static bool is_outside_of_cluster(unsigned code, const char *text)
{
    return code == 1047 && strncmp(text, "WSREP", 5) == 0;
}

/* Errors of prepared statements that a proxy may cause: unknown statement, and not supported in
 * this protocol. */
static bool is_of_prepared_statement(unsigned code)
{
    return code == 1243 || code == 1295;
}

enum driver_status mysql_fail(struct driver_conn *conn, unsigned code, const char *state,
                              const char *text)
{
    struct mysql_connection *c = conn->handle;

    client_forget_results(c->mysql);
    driver_fail(conn, (int)code, state, is_ignored(conn->shared, code), "%s%s", text,
                is_of_prepared_statement(code)
                    ? "; a proxy may be the cause: try --db-ps-mode=disable"
                    : "");
    conn->error.connection_lost = mysql_is_lost(code) || is_outside_of_cluster(code, text);
    return DRIVER_ERROR;
}

enum driver_status mysql_fail_connection(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    const char *text = mysql_error(c->mysql);

    return mysql_fail(conn, mysql_errno(c->mysql), mysql_sqlstate(c->mysql),
                      *text != '\0' ? text : "an unexpected answer, without a message");
}

const char *mysql_connect_advice(const struct driver_conn *conn)
{
    switch (conn->error.code) {
    case 2002:
    case 2003:
    case 2005: /* unknown host */
        return "Check that the server is running at the address in --mysql-host and --mysql-port, "
               "or --mysql-socket.";
    case 1045:
    case 1698: /* the account does not use a password */
        return ((const struct mysql_shared *)conn->shared)->ssl == CLIENT_SSL_DISABLED
                   ? "Check --mysql-user and --mysql-password. A server or an account that demands "
                     "encryption needs --mysql-ssl=REQUIRED."
                   : "Check --mysql-user and --mysql-password.";
    case 3159:
        return "The server accepts only encrypted connections: use --mysql-ssl=REQUIRED.";
    case 1044:
    case 1049:
        return "Create this database for the user, or choose another one with --mysql-db.";
    case 1040:
    case 1203:
        return "The server does not accept more connections: use fewer --threads, or raise its "
               "max_connections.";
    default:
        return NULL;
    }
}
