/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the PostgreSQL driver share. */
#ifndef PGSQL_INTERNAL_H
#define PGSQL_INTERNAL_H

#include <libpq-fe.h>

#include "base/unique.h"
#include "drivers/driver.h"

/* Constant once it is made; strings belong to the options unless said otherwise. */
struct pgsql_shared {
    char *const *hosts, *const *ports;
    const char *user, *database, *sslmode, *sslrootcert;
    char *password;       /* owned; NULL: PGPASSWORD or the password file of the library says it */
    char *const *ignored; /* SQLSTATEs; NULL: none */
    bool ignore_all;
    bool ignore_lost; /* an error that means a lost connection is ignored, as all of them are */
};

/* The handle of a connection. */
struct pgsql_connection {
    PGconn *pg;
    PGresult **results; /* those with rows of the last statement … */
    unsigned count, room;
    unsigned current;    /* … and which of them is open */
    int row;             /* of it, the next one to read */
    /* Parts of the names of prepared statements. No other connection of any process has the same
     * names, because a pooler gives a session of the server to others, with all that is prepared in
     * it. */
    char names[UNIQUE_BYTES]; /* in all names of this connection */
    uint64_t statements;      /* prepared so far */
};

/* pgsql_error.c */

#define PGSQL_STATE_BYTES 5
/* The server was lost, where libpq has no SQLSTATE for that. */
#define PGSQL_STATE_LOST "08006"
/* No connection: nobody was there; there was, but one of the two did not accept the other. */
#define PGSQL_STATE_UNREACHABLE "08001"
#define PGSQL_STATE_REFUSED "08004"
/* A prepared statement of this name does not exist, or exists already. */
#define PGSQL_STATE_NO_STATEMENT "26000"
#define PGSQL_STATE_STATEMENT_EXISTS "42P05"

/* Whether the text begins with an SQLSTATE: five of its characters, and no sixth. */
bool pgsql_is_state(const char *text);
/* Whether an SQLSTATE means that only a new connection helps. */
bool pgsql_is_lost(const char *state);
/* Writes the text as one line, cut to `bytes`; where lines met stands a mark. */
void pgsql_one_line(char *to, size_t bytes, const char *text);
/* Fills conn->error. Returns DRIVER_ERROR. */
enum driver_status pgsql_fail_with(struct driver_conn *conn, const char *state, const char *text,
                                   bool lost);
/*
 * Fills conn->error from a result that failed, or, NULL, from the connection. Returns DRIVER_ERROR.
 */
enum driver_status pgsql_fail(struct driver_conn *conn, const PGresult *result);
/* An operation of struct driver_ops. */
const char *pgsql_connect_advice(const struct driver_conn *conn);

/* pgsql_options.c */

#define PGSQL_OPTIONS 9
extern const struct option_spec pgsql_option_rows[PGSQL_OPTIONS];
/* A password that was given, also an empty one, hides that of the environment. */
void pgsql_setup(const struct options *options);
/* What the options come to. −1 after a logged message; pgsql_shared_fini() is due also then. */
int pgsql_shared_init(struct pgsql_shared *shared, const struct options *options);
void pgsql_shared_fini(struct pgsql_shared *shared);

/* pgsql_result.c: operations of the driver, and what they are made of. */

enum driver_status pgsql_query(struct driver_conn *conn, const char *text, size_t length);
enum driver_status pgsql_next_result(struct driver_conn *conn);
const struct rowset_field *pgsql_fetch(struct driver_conn *conn);
/* Gives up all results. */
void pgsql_forget(struct driver_conn *conn);
/* Takes over one result of a statement, and frees it unless it has rows. */
enum driver_status pgsql_take(struct driver_conn *conn, PGresult *result);
/* Takes over all results of the statement that was sent last, and opens the first with rows. */
enum driver_status pgsql_collect(struct driver_conn *conn);
/*
 * Waits until the whole answer is here, but not longer than conn->answer_timeout_s, if there is
 * such a limit: then the connection is lost.
 */
enum driver_status pgsql_await(struct driver_conn *conn);
/*
 * Takes the answer to what was sent last; `sent` is what the library returned then. DRIVER_ERROR
 * unless it is the one that is wanted and comes as soon as pgsql_await() asks for. Results that
 * were taken before stay.
 */
enum driver_status pgsql_answer(struct driver_conn *conn, int sent, ExecStatusType wanted);
/* Opens the first of the results that were taken. DRIVER_OK: there is none. */
enum driver_status pgsql_open_first(struct driver_conn *conn);

/* pgsql_connect.c */

enum driver_status pgsql_connect(struct driver_conn *conn);
void pgsql_disconnect(struct driver_conn *conn);
/* Writes how the user knows the endpoint of a connection. True: it is on this machine. */
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

#endif
