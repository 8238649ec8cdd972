/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the MySQL driver share. */
#ifndef MYSQL_INTERNAL_H
#define MYSQL_INTERNAL_H

#include "drivers/driver.h"
#include "drivers/mysql/mysql_client.h"
#include "drivers/sql_text.h"

/* The option file, and the places that it names: lists of at most one. All is owned. */
struct mysql_defaults {
    char *file; /* NULL: none */
    char *host[2], *port[2], *socket[2];
    bool names_user, names_database;
};

/* Constant once it is made; strings belong to the options unless said otherwise. */
struct mysql_shared {
    struct mysql_defaults defaults;
    /* Of the options, or of the option file; sockets NULL: hosts and ports count. */
    char *const *hosts, *const *ports, *const *sockets;
    const char *user, *database; /* NULL: the option file says it */
    char *password;              /* owned; NULL: the option file or MYSQL_PWD says it */
    enum client_ssl ssl;
    const char *ssl_key, *ssl_cert, *ssl_ca, *ssl_cipher;
    bool compress;
    const char *compression_algorithms;
    bool dry_run;
    bool ignore_all;
    bool ignore_lost;  /* an error that means a lost connection is ignored, as all of them are */
    unsigned *ignored; /* owned */
    unsigned ignored_count;
};

struct mysql_statement;

/* How the results of the last statement are read: a text or a prepared one. */
struct mysql_reader {
    enum driver_status (*next)(struct driver_conn *conn); /* the next result set; there is one */
    const struct rowset_field *(*fetch)(struct driver_conn *conn); /* NULL: no further row */
    void (*forget)(struct driver_conn *conn); /* gives up the open result set, if there is one */
};

/* The handle of a connection; NULL in a dry run. */
struct mysql_connection {
    MYSQL *mysql;
    const struct mysql_reader *reader;
    MYSQL_RES *result;            /* the open result set of a text statement; NULL: none */
    struct mysql_statement *last; /* the prepared statement executed last; NULL: it was text */
    bool open;                    /* a result set of `last` is open */
};

/* mysql_error.c */

/* Whether an error means that only a new connection helps. */
bool mysql_is_lost(unsigned code);
/* Fills conn->error; no result is to come behind it. Returns DRIVER_ERROR. */
enum driver_status mysql_fail(struct driver_conn *conn, unsigned code, const char *state,
                              const char *text);
/* Fills conn->error with the connection's last error. Returns DRIVER_ERROR. */
enum driver_status mysql_fail_connection(struct driver_conn *conn);
/* An operation of struct driver_ops. */
const char *mysql_connect_advice(const struct driver_conn *conn);

/* mysql_defaults.c */

/* Reads what a file, or NULL, says of places. −1 after a logged message; fini is due also then. */
int mysql_defaults_init(struct mysql_defaults *defaults, const char *file);
void mysql_defaults_fini(struct mysql_defaults *defaults);
/* The file's group [client] counts for this connection where nothing else is said. */
void mysql_set_defaults(MYSQL *mysql, const char *file);

/* mysql_options.c */

#define MYSQL_OPTIONS 18
extern const struct option_spec mysql_option_rows[MYSQL_OPTIONS];
/* What the options come to. −1 after a logged message; mysql_shared_fini() is due also then. */
int mysql_shared_init(struct mysql_shared *shared, const struct options *options);
void mysql_shared_fini(struct mysql_shared *shared);

/* mysql_result.c: operations of the driver, and what they are made of. */

enum driver_status mysql_text_query(struct driver_conn *conn, const char *text, size_t length);
enum driver_status mysql_result_next(struct driver_conn *conn);
const struct rowset_field *mysql_result_fetch(struct driver_conn *conn);
void mysql_result_forget(struct driver_conn *conn);
/* The results to come are those of a text statement. */
void mysql_read_text(struct mysql_connection *c);
/* Keeps how many rows a statement without a result set has matched and changed. */
void mysql_keep_counts(struct driver_conn *conn, uint64_t affected);
/* A cell of a row; NULL: it is NULL, or the server has sent fewer columns. */
const char *mysql_cell(MYSQL_RES *result, MYSQL_ROW row, unsigned i);
/* Reads what the last statement has left unread. */
enum driver_status mysql_drain(struct driver_conn *conn);
/* What a dry run answers. */
enum driver_status mysql_dry_answer(struct driver_conn *conn, enum sql_text_kind kind);

/* mysql_connect.c */

enum driver_status mysql_connection_open(struct driver_conn *conn);
void mysql_connection_close(struct driver_conn *conn);
enum driver_status mysql_connection_renew(struct driver_conn *conn);
/* Writes how the user knows the endpoint of a connection. True: it is on this machine. */
bool mysql_where(const struct driver_conn *conn, char *name, size_t bytes);
/* From now on the server gets no file of this machine. */
void mysql_refuse_files(MYSQL *mysql);

/* mysql_stmt.c */

enum driver_status mysql_prepare_statement(struct driver_stmt *stmt, const char *text,
                                           size_t length);
enum driver_status mysql_execute_statement(struct driver_stmt *stmt,
                                           struct sql_param *const *params, unsigned count);
void mysql_close_prepared(struct driver_stmt *stmt);

/* mysql_load.c */

enum driver_status mysql_load(struct driver_conn *conn, const char *table, const char *columns,
                              const char *text, size_t length);
void mysql_ask_limits(struct driver_conn *conn);

/* mysql_watch.c */

extern const struct driver_watch mysql_watch;

#endif
