/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two client libraries that the driver is built on, MariaDB Connector/C and libmysqlclient,
 * made to look the same. All that depends on which one it is stands here; elsewhere only what both
 * have is called.
 */
#ifndef MYSQL_CLIENT_H
#define MYSQL_CLIENT_H

#include <errmsg.h>
#include <mysql.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"

/* Where a connection goes, and as whom: what mysql_real_connect() takes. */
struct client_target {
    const char *host, *user, *password, *database, *socket;
    unsigned port;
    unsigned long flags;
};

/* Ascending: each demands what those before it do. */
enum client_ssl {
    CLIENT_SSL_DISABLED,
    CLIENT_SSL_PREFERRED,
    CLIENT_SSL_REQUIRED,
    CLIENT_SSL_CA,       /* the certificate is checked against --mysql-ssl-ca */
    CLIENT_SSL_IDENTITY, /* its name is checked against the host, too */
};

#ifdef MARIADB_PACKAGE_VERSION_ID

#define CLIENT_LIBRARY "MariaDB Connector/C"
typedef my_bool client_bool;

/* The library has zlib alone. False: it is not among the algorithms, nor is none. */
static inline bool client_set_compression(MYSQL *mysql, const char *algorithms)
{
    bool zlib = strstr(algorithms, "zlib") != NULL;

    if (zlib)
        mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL);
    return zlib || strstr(algorithms, "uncompressed") != NULL;
}

/*
 * The library does without encryption where the server has none: the caller looks afterwards. Until
 * 3.3 it checks the certificate whenever it is given an authority, and the name in it when asked to
 * verify. Since 3.4 it checks neither unless asked to, and then both: CLIENT_SSL_CA is as strict as
 * CLIENT_SSL_IDENTITY there.
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
 * Whether a certificate's name is compared with `host` when that is asked for. Since 3.4 the
 * library takes any trusted certificate from a server that is addressed by one of these three
 * names.
 */
static inline bool client_compares_name(const char *host)
{
    return !CLIENT_VERIFY_IS_ALL || (strcmp(host, "localhost") != 0 &&
                                     strcmp(host, "127.0.0.1") != 0 && strcmp(host, "::1") != 0);
}

/* False: it failed. The library keeps to MYSQL_OPT_CONNECT_TIMEOUT until the server lets it in. */
static inline bool client_connect(MYSQL *mysql, const struct client_target *t, unsigned timeout_s)
{
    (void)timeout_s;
    return mysql_real_connect(mysql, t->host, t->user, t->password, t->database, t->port, t->socket,
                              t->flags) != NULL;
}

/* The inside of a literal between single quotes, whatever a backslash means to the server. */
static inline size_t client_escape(MYSQL *mysql, char *to, const char *text, size_t length)
{
    return mysql_real_escape_string(mysql, to, text, length);
}

/*
 * The results that the server has said are to come are not to be read. Behind an error that is not
 * as it should be, or an answer without rows of a prepared statement, which is the last one, this
 * library (3.3) would wait for them, or call what is not there.
 */
static inline void client_forget_results(MYSQL *mysql)
{
    mysql->server_status &= ~(unsigned)SERVER_MORE_RESULTS_EXIST;
}

/*
 * Where further results of another statement are to come, this library (3.3) would take them for
 * those of the statement that it closes, and read them or call what is not there.
 */
static inline void client_close_statement(MYSQL_STMT *stmt)
{
    MYSQL *mysql = stmt->mysql; /* NULL: the connection was closed before */
    unsigned more = 0;

    if (mysql != NULL) {
        more = mysql->server_status & SERVER_MORE_RESULTS_EXIST;
        client_forget_results(mysql);
    }
    mysql_stmt_close(stmt);
    if (more != 0)
        mysql->server_status |= more;
}

/* The length in front of a value ("length-encoded" in the protocol); SIZE_MAX: there is none. */
static inline size_t client_take_length(const unsigned char **at, const unsigned char *end)
{
    static const unsigned char widths[] = {0, 2, 3, 8, 0}; /* behind 0xfb to 0xff */
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
 * Whether the row that is fetched next is as long as its values say: this library (3.3) would
 * follow whatever lengths a server writes into it. Also when there is none.
 */
static inline bool client_row_holds(MYSQL_STMT *stmt)
{
    const MYSQL_ROWS *row = mysql_stmt_row_tell(stmt);
    const unsigned count = mysql_stmt_field_count(stmt);
    const size_t head = 1 + (count + 9) / 8; /* a byte, then a bit for each NULL, from the third */

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
    const bool key = true; /* without encryption, passwords travel under the server's own key */

    mysql_options(mysql, MYSQL_OPT_SSL_MODE, &modes[mode]);
    mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &key);
}

static inline bool client_compares_name(const char *host)
{
    (void)host;
    return true;
}

/* The other function of this library refuses where a backslash is a letter
 * (NO_BACKSLASH_ESCAPES). */
static inline size_t client_escape(MYSQL *mysql, char *to, const char *text, size_t length)
{
    return mysql_real_escape_string_quote(mysql, to, text, length, '\'');
}

/* This library finds out itself. */
static inline void client_forget_results(MYSQL *mysql)
{
    (void)mysql;
}

static inline void client_close_statement(MYSQL_STMT *stmt)
{
    mysql_stmt_close(stmt);
}

/* Its rows were not tried. */
static inline bool client_row_holds(MYSQL_STMT *stmt)
{
    (void)stmt;
    return true;
}

/* As mysql_real_connect(). Without an error of the library: it did not end within `timeout_s`. */
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
        /* It does not say what it waits for: what is not a byte to read is looked at soon. */
        struct pollfd server = {.fd = mysql->net.fd, .events = POLLIN};
        poll(&server, 1, 1);
    }
    return status == NET_ASYNC_COMPLETE;
}

/*
 * False: it failed. Where this library waits itself, its time for a connection is over as soon as
 * the server has said who it is, and a server that then says nothing is waited for without limit;
 * where it does not wait, it tries the first address of a host only. So the others are for a second
 * attempt, after the first one has refused: no address was right, or what the server has said was
 * lost, which happens now and then where the library does not wait. It says it again.
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
