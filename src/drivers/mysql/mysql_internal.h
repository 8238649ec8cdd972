/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and functions shared by the files of the MySQL driver. */
#ifndef MYSQL_INTERNAL_H
#define MYSQL_INTERNAL_H

#include "drivers/driver.h"
#include "drivers/mysql/mysql_client.h"
#include "drivers/password.h"
#include "drivers/sql_text.h"

/* Settings in an option file that this program reads itself. Texts are NULL if the file does not
 * have them. Owns all strings. */
struct mysql_option_file {
    char *password_command;
    char *ssl_mode; /* of MySQL's programs */
    char *ca, *ca_path, *key, *cert, *cipher, *fingerprint;
    char *enforce, *verify; /* "" or a value, "0" if switched off */
};

/* The option file and the server in it. Owns all strings. */
struct mysql_defaults {
    char *file;                          /* path, or NULL without an option file */
    char *host[2], *port[2], *socket[2]; /* NULL-terminated lists of at most one entry */
    struct mysql_option_file own;
    bool names_user, names_database;
};

/* Settings of the driver; do not change after init. The options own all strings not marked as
 * owned. */
struct mysql_shared {
    struct mysql_defaults defaults;
    /* From the options or the option file; hosts and ports are used if `sockets` is NULL. */
    char *const *hosts, *const *ports, *const *sockets;
    const char *user, *database; /* NULL if set in the option file */
    struct password *password;   /* owned; without one, from the option file or MYSQL_PWD */
    enum client_ssl ssl;
    const char *ssl_key, *ssl_cert, *ssl_ca, *ssl_cipher;
    bool compress;
    const char *compression_algorithms;
    bool dry_run;
    bool ignore_all;
    bool ignore_lost;  /* `ignored` contains a code for a lost connection: ignore all such codes */
    unsigned *ignored; /* owned */
    unsigned ignored_count;
};

struct mysql_statement;

/* Functions that read the results of a statement; they differ for text and prepared statements. */
struct mysql_reader {
    /* opens the next result set, which must exist */
    enum driver_status (*next)(struct driver_conn *conn);
    /* returns the next row, or NULL after the last */
    const struct rowset_field *(*fetch)(struct driver_conn *conn);
    /* frees the open result set, if any */
    void (*forget)(struct driver_conn *conn);
};

/* The handle of a connection; NULL in a dry run. */
struct mysql_connection {
    MYSQL *mysql;
    const struct mysql_reader *reader;
    MYSQL_RES *result;            /* the open result set of a text statement, or NULL */
    struct mysql_statement *last; /* the last statement if it was prepared, NULL if it was text */
    bool open;                    /* a result set of `last` is open */
    bool checked_visible;         /* the sampling of waits has asked once what it can see */
};

/* mysql_error.c */

/* True if an error means that only a new connection helps. */
bool mysql_is_lost(unsigned code);
/* Fills conn->error and discards further results. Returns DRIVER_ERROR. */
enum driver_status mysql_fail(struct driver_conn *conn, unsigned code, const char *state,
                              const char *text);
/* Fills conn->error with the connection's last error. Returns DRIVER_ERROR. */
enum driver_status mysql_fail_connection(struct driver_conn *conn);
/* An operation of struct driver_ops. */
const char *mysql_connect_advice(const struct driver_conn *conn);

/* mysql_defaults.c */

/* Reads host, port and socket from an option file; does nothing if `file` is NULL. Returns 0, or −1
 * after a logged message. Call mysql_defaults_fini() in both cases. */
int mysql_defaults_init(struct mysql_defaults *defaults, const char *file);
void mysql_defaults_fini(struct mysql_defaults *defaults);
/* Makes the file's group [client] the default for settings of this connection. Options that are set
 * afterwards override it. */
void mysql_set_defaults(MYSQL *mysql, const char *file);

/* mysql_option_file.c */

/* Reads the settings in the groups of clients, also from files that the file includes. Returns 0,
 * or −1 after a logged message. Call mysql_option_file_fini() in both cases. */
int mysql_option_file_read(struct mysql_option_file *own, const char *path);
void mysql_option_file_fini(struct mysql_option_file *own);
/* Returns the name of the TLS mode that the file asks for, as for --mysql-ssl, or NULL if it does
 * not mention TLS. */
const char *mysql_option_file_ssl(const struct mysql_option_file *own);

/* mysql_options.c */

#define MYSQL_OPTIONS 19
extern const struct option_spec mysql_option_rows[MYSQL_OPTIONS];
/* Fills `shared` from the options. Returns 0, or −1 after a logged message. Call
 * mysql_shared_fini() in both cases. */
int mysql_shared_init(struct mysql_shared *shared, const struct options *options);
void mysql_shared_fini(struct mysql_shared *shared);

/* mysql_result.c: operations of the driver, and functions that other files need. */

enum driver_status mysql_text_query(struct driver_conn *conn, const char *text, size_t length);
enum driver_status mysql_result_next(struct driver_conn *conn);
const struct rowset_field *mysql_result_fetch(struct driver_conn *conn);
void mysql_result_forget(struct driver_conn *conn);
/* Call before a text statement: selects the functions that read its results. */
void mysql_read_text(struct mysql_connection *c);
/* Records how many rows a statement without a result set has matched and changed. */
void mysql_keep_counts(struct driver_conn *conn, uint64_t affected);
/* Returns column i of a row, or NULL if it is SQL NULL or the server has sent fewer columns. */
const char *mysql_cell(MYSQL_RES *result, MYSQL_ROW row, unsigned i);
/* Receives and discards the remaining results of the last statement. */
enum driver_status mysql_drain(struct driver_conn *conn);
/* Result of a statement in a dry run. */
enum driver_status mysql_dry_answer(struct driver_conn *conn, enum sql_text_kind kind);

/* mysql_connect.c */

bool mysql_is_mariadb(MYSQL *mysql);
/* Returns true if statements about replication must say REPLICA instead of SLAVE: MySQL from 8.0.22
 * on. MariaDB knows both, and is asked with the old names. */
bool mysql_says_replica(MYSQL *mysql);

enum driver_status mysql_connection_open(struct driver_conn *conn);
void mysql_connection_close(struct driver_conn *conn);
enum driver_status mysql_connection_renew(struct driver_conn *conn);
/* Writes the address of the connection's server for messages. True if it is on this machine. */
bool mysql_where(const struct driver_conn *conn, char *name, size_t bytes);
/* Refuses requests of the server for files of this machine. */
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
/* Returns a column of a row by either of two names, in any case; NULL if the result has neither or
 * the column is SQL NULL. */
const char *mysql_column(MYSQL_RES *result, MYSQL_ROW row, const char *old_name,
                         const char *new_name);

extern const struct driver_watch mysql_watch;

/* mysql_waits.c */

extern const struct driver_waits mysql_waits;

/* mysql_settings.c */
extern const struct driver_settings mysql_settings;

#endif
