/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common interface of the two client libraries that the driver can be built with: MariaDB
 * Connector/C and libmysqlclient. All code that depends on the library is in this header; other
 * files call only functions that both libraries have.
 */
#ifndef MYSQL_CLIENT_H
#define MYSQL_CLIENT_H

#include <errmsg.h>
#include <mysql.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"

/* Arguments of mysql_real_connect(). */
struct client_target {
    const char *host, *user, *password, *database, *socket;
    unsigned port;
    unsigned long flags;
};

/* SSL modes in ascending order: each mode includes the demands of the previous ones. */
enum client_ssl {
    CLIENT_SSL_DISABLED,
    CLIENT_SSL_PREFERRED,
    CLIENT_SSL_REQUIRED,
    CLIENT_SSL_CA,       /* the certificate is checked against --mysql-ssl-ca */
    CLIENT_SSL_IDENTITY, /* the name in the certificate is also checked against the host */
};

#ifdef MARIADB_PACKAGE_VERSION_ID

#define CLIENT_LIBRARY "MariaDB Connector/C"
typedef my_bool client_bool;

/* Returns the socket of an open connection. */
static inline int client_socket(MYSQL *mysql)
{
    return (int)mysql_get_socket(mysql);
}

/* This library supports only zlib. Returns false if the list contains neither zlib nor
 * uncompressed. */
static inline bool client_set_compression(MYSQL *mysql, const char *algorithms)
{
    bool zlib = strstr(algorithms, "zlib") != NULL;

    if (zlib)
        mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL);
    return zlib || strstr(algorithms, "uncompressed") != NULL;
}

/*
 * This library connects without encryption if the server does not support it, so the caller checks
 * the cipher afterwards. Up to version 3.3, the library checks the certificate whenever a CA is
 * given, and the name in the certificate only if verification is on. Since 3.4, it checks both if
 * verification is on, and otherwise neither, so CLIENT_SSL_CA is as strict as CLIENT_SSL_IDENTITY.
 */
#define CLIENT_VERIFY_IS_ALL (MARIADB_PACKAGE_VERSION_ID >= 30400)

static inline void client_set_ssl(MYSQL *mysql, enum client_ssl mode)
{
    my_bool enforce = mode > CLIENT_SSL_DISABLED;
    my_bool verify = mode == CLIENT_SSL_IDENTITY || (CLIENT_VERIFY_IS_ALL && mode == CLIENT_SSL_CA);

    mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &enforce);
    mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}

/*
 * True if the library, with verification on, compares the name in the certificate with `host`.
 * Since 3.4 it does not do this for the three names of the local machine below.
 */
static inline bool client_compares_name(const char *host)
{
    return !CLIENT_VERIFY_IS_ALL || (strcmp(host, "localhost") != 0 &&
                                     strcmp(host, "127.0.0.1") != 0 && strcmp(host, "::1") != 0);
}

/* Returns false on failure. This library applies MYSQL_OPT_CONNECT_TIMEOUT to the whole login. */
static inline bool client_connect(MYSQL *mysql, const struct client_target *t, unsigned timeout_s)
{
    (void)timeout_s;
    return mysql_real_connect(mysql, t->host, t->user, t->password, t->database, t->port, t->socket,
                              t->flags) != NULL;
}

/* Escapes text for a literal in single quotes, with or without NO_BACKSLASH_ESCAPES. */
static inline size_t client_escape(MYSQL *mysql, char *to, const char *text, size_t length)
{
    return mysql_real_escape_string(mysql, to, text, length);
}

/*
 * Makes the library forget that the server has announced more results. After a malformed error, or
 * after the final answer (without rows) of a prepared statement, this library (3.3) would wait for
 * these results or call a null pointer.
 */
static inline void client_forget_results(MYSQL *mysql)
{
    mysql->server_status &= ~(unsigned)SERVER_MORE_RESULTS_EXIST;
}

/*
 * Closes a statement while further results of another statement are pending. This library (3.3)
 * would take them for results of the closed statement, and read them or call a null pointer; so the
 * flag for pending results is cleared during the call.
 */
static inline void client_close_statement(MYSQL_STMT *stmt)
{
    MYSQL *mysql = stmt->mysql; /* NULL if the connection was closed before */
    unsigned more = 0;

    if (mysql != NULL) {
        more = mysql->server_status & SERVER_MORE_RESULTS_EXIST;
        client_forget_results(mysql);
    }
    mysql_stmt_close(stmt);
    if (more != 0)
        mysql->server_status |= more;
}

/* Reads the length before a value ("length-encoded integer" of the protocol) and advances *at.
 * Returns SIZE_MAX if the data contains no valid length. */
static inline size_t client_take_length(const unsigned char **at, const unsigned char *end)
{
    static const unsigned char widths[] = {0, 2, 3, 8, 0}; /* bytes after 0xfb to 0xff */
    size_t length = 0;

    if (*at == end)
        return SIZE_MAX;
    const unsigned first = *(*at)++;
    if (first < 0xfb)
        return first;
    const unsigned width = widths[first - 0xfb];
    if (width == 0 || end - *at < width)
        return SIZE_MAX;
    for (unsigned i = 0; i < width; i++)
        length |= (size_t)(*at)[i] << (8 * i);
    *at += width;
    return length;
}

/*
 * Checks that the next row is long enough for the lengths of its values, which this library (3.3)
 * trusts. Returns true if the row is valid or there are no more rows.
 */
static inline bool client_row_holds(MYSQL_STMT *stmt)
{
    const MYSQL_ROWS *row = mysql_stmt_row_tell(stmt);
    const unsigned count = mysql_stmt_field_count(stmt);
    const size_t head = 1 + (count + 9) / 8; /* a byte, then a NULL bitmap with offset 2 */

    if (row == NULL)
        return true;
    if (row->length < head)
        return false;
    const unsigned char *nulls = (const unsigned char *)row->data + 1;
    const unsigned char *at = nulls - 1 + head, *end = nulls - 1 + row->length;
    for (unsigned i = 0; i < count; i++) {
        const MYSQL_PS_CONVERSION *type = &mysql_ps_fetch_functions[stmt->fields[i].type];
        if ((nulls[(i + 2) / 8] >> (i + 2) % 8 & 1) != 0)
            continue;
        const size_t length =
            type->pack_len < 0 ? client_take_length(&at, end) : (size_t)type->pack_len;
        if (type->func == NULL || length > (size_t)(end - at))
            return false;
        at += length;
    }
    return true;
}

#else

#if MYSQL_VERSION_ID < 80018
#error "libmysqlclient is too old: take 8.0.18 or later, or MariaDB Connector/C"
#endif
#define CLIENT_LIBRARY "libmysqlclient"
typedef bool client_bool;

static inline int client_socket(MYSQL *mysql)
{
    return (int)mysql->net.fd;
}

static inline bool client_set_compression(MYSQL *mysql, const char *algorithms)
{
    mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL);
    return mysql_options(mysql, MYSQL_OPT_COMPRESSION_ALGORITHMS, algorithms) == 0;
}

static inline void client_set_ssl(MYSQL *mysql, enum client_ssl mode)
{
    static const unsigned modes[] = {
        [CLIENT_SSL_DISABLED] = SSL_MODE_DISABLED,
        [CLIENT_SSL_PREFERRED] = SSL_MODE_PREFERRED,
        [CLIENT_SSL_REQUIRED] = SSL_MODE_REQUIRED,
        [CLIENT_SSL_CA] = SSL_MODE_VERIFY_CA,
        [CLIENT_SSL_IDENTITY] = SSL_MODE_VERIFY_IDENTITY,
    };
    const bool key = true; /* without SSL, the password is encrypted with the server's public key */

    mysql_options(mysql, MYSQL_OPT_SSL_MODE, &modes[mode]);
    if (mode >= CLIENT_SSL_CA) /* for tokens of cloud services */
        mysql_options(mysql, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &key);
    mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &key);
}

static inline bool client_compares_name(const char *host)
{
    (void)host;
    return true;
}

/* mysql_real_escape_string() of this library fails if NO_BACKSLASH_ESCAPES is set. */
static inline size_t client_escape(MYSQL *mysql, char *to, const char *text, size_t length)
{
    return mysql_real_escape_string_quote(mysql, to, text, length, '\'');
}

/* Not needed: this library handles such answers correctly. */
static inline void client_forget_results(MYSQL *mysql)
{
    (void)mysql;
}

static inline void client_close_statement(MYSQL_STMT *stmt)
{
    mysql_stmt_close(stmt);
}

/* Not checked: malformed rows were not tested with this library. */
static inline bool client_row_holds(MYSQL_STMT *stmt)
{
    (void)stmt;
    return true;
}

/* Connects in non-blocking mode. Returns false on failure; if mysql_errno() is 0 then, the connect
 * did not finish within `timeout_s`. */
static inline bool client_connect_within(MYSQL *mysql, const struct client_target *t,
                                         unsigned timeout_s)
{
    const int64_t end_ns = clock_now_ns() + timeout_s * NS_PER_SEC;
    const unsigned long flags = t->flags | CLIENT_REMEMBER_OPTIONS;
    enum net_async_status status;

    while ((status = mysql_real_connect_nonblocking(mysql, t->host, t->user, t->password,
                                                    t->database, t->port, t->socket, flags)) ==
               NET_ASYNC_NOT_READY &&
           clock_now_ns() < end_ns) {
        /* The library does not report what it waits for. Wait for input, at most 1 ms. */
        struct pollfd server = {.fd = mysql->net.fd, .events = POLLIN};
        poll(&server, 1, 1);
    }
    return status == NET_ASYNC_COMPLETE;
}

/*
 * Returns false on failure. In blocking mode, the connect timeout of this library ends with the
 * server's greeting, so a server that is silent afterwards would block without limit. In
 * non-blocking mode, the library tries only the first address of a host, and sometimes loses the
 * server's error message. So the first attempt is non-blocking. If it was refused, a second attempt
 * in blocking mode tries the other addresses or receives the lost message.
 */
static inline bool client_connect(MYSQL *mysql, const struct client_target *t, unsigned timeout_s)
{
    if (client_connect_within(mysql, t, timeout_s))
        return true;
    const unsigned refused = mysql_errno(mysql);
    return (refused == CR_CONN_HOST_ERROR || refused == CR_UNKNOWN_ERROR) &&
           mysql_real_connect(mysql, t->host, t->user, t->password, t->database, t->port, t->socket,
                              t->flags) != NULL;
}

#endif
#endif
