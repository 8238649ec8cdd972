/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and functions shared by the files of the PostgreSQL driver. */
#ifndef PGSQL_INTERNAL_H
#define PGSQL_INTERNAL_H

#include <libpq-fe.h>

#include "base/unique.h"
#include "drivers/driver.h"
#include "drivers/password.h"

/* Settings of the driver; do not change after init. The options own all strings not marked as
 * owned. */
struct pgsql_shared {
    char *const *hosts, *const *ports;
    const char *user, *database;
    const char *sslmode, *sslrootcert; /* if NULL, as in the environment, see docs/options.md */
    char *read_only_options;           /* owned; for connections that must be read only */
    struct password *password; /* owned; without one, libpq uses PGPASSWORD or its password file */
    char *const *ignored;      /* list of SQLSTATEs, or NULL */
    bool ignore_all;
    bool ignore_lost; /* `ignored` contains a state for a lost connection: ignore all such */
};

/* The handle of a connection. */
struct pgsql_connection {
    PGconn *pg;
    PGresult **results; /* results with rows of the last statement */
    unsigned count, room;
    unsigned current; /* index of the open result */
    int row;          /* next row of the open result */
    /* Parts of the names of prepared statements. The names are unique among all connections of all
     * processes, because a pooler may give a session, with its prepared statements, to another
     * client. */
    char names[UNIQUE_BYTES]; /* part of all names of this connection */
    uint64_t statements;      /* number of statements prepared */
    bool samples_waits;       /* the statement of pgsql_waits.c is prepared */
};

/* pgsql_error.c */

#define PGSQL_STATE_BYTES 5
/* Used for a lost connection if libpq reports no SQLSTATE. */
#define PGSQL_STATE_LOST "08006"
/* Used for failed connects: the server was not reached, or client or server refused to connect. */
#define PGSQL_STATE_UNREACHABLE "08001"
#define PGSQL_STATE_REFUSED "08004"
/* Used if a session that must be read only is not. */
#define PGSQL_STATE_READ_WRITE "25000"
/* A prepared statement of this name does not exist, or exists already. */
#define PGSQL_STATE_NO_STATEMENT "26000"
#define PGSQL_STATE_STATEMENT_EXISTS "42P05"

/* True if the text begins with an SQLSTATE: exactly five capital letters and digits. */
bool pgsql_is_state(const char *text);
/* True if an SQLSTATE means that only a new connection helps. */
bool pgsql_is_lost(const char *state);
/* Writes the text as one line, truncated to `bytes`; lines are joined with punctuation. */
void pgsql_one_line(char *to, size_t bytes, const char *text);
/* Fills conn->error. Returns DRIVER_ERROR. */
enum driver_status pgsql_fail_with(struct driver_conn *conn, const char *state, const char *text,
                                   bool lost);
/* Fills conn->error from a failed result, or from the connection if `result` is NULL. Returns
 * DRIVER_ERROR. */
enum driver_status pgsql_fail(struct driver_conn *conn, const PGresult *result);
/* An operation of struct driver_ops. */
const char *pgsql_connect_advice(const struct driver_conn *conn);

/* pgsql_options.c */

#define PGSQL_OPTIONS 10
extern const struct option_spec pgsql_option_rows[PGSQL_OPTIONS];
/* Unsets variables of libpq that would override given options: PGPASSWORD if a password is given,
 * even an empty one, and PGHOSTADDR. */
void pgsql_setup(const struct options *options);
/* Fills `shared` from the options. Returns 0, or −1 after a logged message. Call
 * pgsql_shared_fini() in both cases. */
int pgsql_shared_init(struct pgsql_shared *shared, const struct options *options);
void pgsql_shared_fini(struct pgsql_shared *shared);

/* pgsql_result.c: operations of the driver, and functions that other files need. */

enum driver_status pgsql_query(struct driver_conn *conn, const char *text, size_t length);
enum driver_status pgsql_next_result(struct driver_conn *conn);
const struct rowset_field *pgsql_fetch(struct driver_conn *conn);
/* Frees all results. */
void pgsql_forget(struct driver_conn *conn);
/* Processes one result of a statement and takes ownership: keeps a result with rows, frees any
 * other. */
enum driver_status pgsql_take(struct driver_conn *conn, PGresult *result);
/* Processes all results of the last statement sent, and opens the first one with rows. */
enum driver_status pgsql_collect(struct driver_conn *conn);
/*
 * With an answer timeout: waits until the complete answer has arrived. After
 * conn->answer_timeout_s it gives up, and the connection is lost.
 */
enum driver_status pgsql_await(struct driver_conn *conn);
/*
 * Receives the answer to a request. `sent` is the value that the libpq function returned when it
 * sent the request. Returns DRIVER_ERROR if sending failed, if the result has another status than
 * `wanted`, or after the answer timeout. Keeps the results of earlier statements.
 */
enum driver_status pgsql_answer(struct driver_conn *conn, int sent, ExecStatusType wanted);
/* Opens the first kept result and returns DRIVER_ROWS, or DRIVER_OK if no result was kept. */
enum driver_status pgsql_open_first(struct driver_conn *conn);

/* pgsql_connect.c */

enum driver_status pgsql_connect(struct driver_conn *conn);
void pgsql_disconnect(struct driver_conn *conn);
/* Writes the address of the connection's server for messages. True if it is on this machine. */
bool pgsql_where(const struct driver_conn *conn, char *name, size_t bytes);

/* pgsql_stmt.c */

enum driver_status pgsql_prepare_statement(struct driver_stmt *stmt, const char *text,
                                           size_t length);
enum driver_status pgsql_execute_statement(struct driver_stmt *stmt,
                                           struct sql_param *const *params, unsigned count);
void pgsql_close_statement(struct driver_stmt *stmt);

/* pgsql_load.c */

enum driver_status pgsql_load(struct driver_conn *conn, const char *table, const char *columns,
                              const char *text, size_t length);
void pgsql_ask_limits(struct driver_conn *conn);

/* pgsql_watch.c */

extern const struct driver_watch pgsql_watch;

/* pgsql_waits.c */

extern const struct driver_waits pgsql_waits;

/* pgsql_settings.c */
extern const struct driver_settings pgsql_settings;

#endif
