/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a database driver must do. src/sql calls it.
 *
 * A driver includes the headers of this folder, those of its own subfolder, and the foundation:
 * base, options and stats/probe_series.h. Nothing else.
 *
 * One connection is used by one thread at a time. Its operations return a driver_status; with
 * DRIVER_ERROR they have filled conn->error. They log nothing but what --debug asks for, count
 * nothing and never execute a statement again: that is the work of src/sql.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "drivers/language.h"
#include "drivers/rowset.h"
#include "options/options.h"
#include "stats/probe_series.h"

enum driver_status {
    DRIVER_OK = 0,          /* done, no result set */
    DRIVER_ROWS = 1,        /* done, conn->rows holds the result set */
    DRIVER_ERROR = -1,      /* failed, conn->error says why */
    DRIVER_UNSUPPORTED = -2 /* prepare only: this statement can be executed as text only */
};

/* The values are part of the Lua interface (sysbench.sql.type). */
enum sql_type {
    SQL_TYPE_NONE = 0,
    SQL_TYPE_TINYINT = 1,
    SQL_TYPE_SMALLINT = 2,
    SQL_TYPE_INT = 3,
    SQL_TYPE_BIGINT = 4,
    SQL_TYPE_FLOAT = 5,
    SQL_TYPE_DOUBLE = 6,
    SQL_TYPE_TIME = 7,
    SQL_TYPE_DATE = 8,
    SQL_TYPE_DATETIME = 9,
    SQL_TYPE_TIMESTAMP = 10,
    SQL_TYPE_CHAR = 11,
    SQL_TYPE_VARCHAR = 12,
};

/* Which member of struct sql_param holds the value: `integer`, `number`, or `text` for neither. */
static inline bool sql_type_is_integer(enum sql_type type)
{
    return type >= SQL_TYPE_TINYINT && type <= SQL_TYPE_BIGINT;
}
static inline bool sql_type_is_number(enum sql_type type)
{
    return type == SQL_TYPE_FLOAT || type == SQL_TYPE_DOUBLE;
}

/*
 * One parameter of a statement. Owned by the script's side, which keeps it in its place while it is
 * bound. Drivers read it when the statement is executed.
 */
struct sql_param {
    enum sql_type type;
    bool null;
    int64_t integer; /* TINYINT … BIGINT */
    double number;   /* FLOAT, DOUBLE */
    char *text; /* TIME … VARCHAR: room for max_length bytes and a NUL, which a driver may add */
    size_t length;
    size_t max_length;
};

struct sql_failure {
    int code;             /* the server's error number */
    char state[6];        /* SQLSTATE; "" where the server has none */
    char message[512];    /* the server's text */
    bool ignorable;       /* restart the event instead of ending the run */
    bool connection_lost; /* only a reconnect can help */
    bool fatal;           /* not ignorable, and no hook of a script may say otherwise */
};

struct driver_conn;
struct driver_stmt;

struct driver_ops {
    const char *name;        /* "sqlite": as in --db-driver and sysbench.sql.driver():name() */
    const char *description; /* "SQLite driver" */
    const struct driver_language *language; /* what its statements are written in */
    const struct option_spec *options;
    size_t options_count;
    /* The longest text of a statement, for bulk inserts. ask_limits() may know more of a server. */
    size_t max_statement_bytes;
    bool in_process;        /* the database is a file, and this process serves it */
    bool supports_prepare;  /* else statements are always executed as text */
    bool backslash_escapes; /* in literals '\\' takes the next character as it is */

    /* The whole driver, where this is only its front, which has what is above and library(). Once,
     * before any other operation; NULL after a logged message. NULL: this is all of it. */
    const struct driver_ops *(*whole)(void);
    /* Name and version of the client library, for --version. NULL: none. */
    const char *(*library)(void);
    /* Once, by the main thread before there are others: what concerns the whole process. NULL:
     * nothing. */
    void (*setup)(const struct options *options);

    /*
     * Reads the options, once, before any connection. Returns the driver's shared state (NULL: not
     * needed) in *shared. −1 after a logged message. `threads` is how many will connect.
     */
    int (*init)(const struct options *options, void **shared);
    /* Frees the shared state after the last connection is closed. */
    void (*fini)(void *shared);

    /* Whether statements are taken and not executed: they are not counted then. NULL: never. */
    bool (*pretends)(const void *shared);

    /*
     * How many servers the options name, and what to call each of them: connection i goes to server
     * i modulo that many. NULL: always one.
     */
    unsigned (*servers)(const void *shared);
    void (*server_name)(const void *shared, unsigned server, char *name, size_t bytes);

    /*
     * Opens conn->handle, which is NULL. Of `conn` are set ops, shared, service, number,
     * connect_timeout_s, answer_timeout_s and elsewhere. An error after which another attempt makes
     * sense says connection_lost.
     */
    enum driver_status (*connect)(struct driver_conn *conn);
    /* After connect has failed: what the user can do about it, one line that names the options, or
     * NULL. The operation may be NULL. */
    const char *(*connect_advice)(const struct driver_conn *conn);
    /* Closes the handle, also a dead one, without waiting for the server. Statements were closed
     * before, with conn->closing set. Called once per successful connect. */
    void (*disconnect)(struct driver_conn *conn);

    /* Executes text, which ends with a NUL and may hold several statements; the rows of the first
     * result set go to conn->rows. */
    enum driver_status (*query)(struct driver_conn *conn, const char *text, size_t length);
    /* After query or execute: the next result set, if the statement gave several. NULL: never
     * several. */
    enum driver_status (*next_result)(struct driver_conn *conn);

    /*
     * The next row, nfields long, valid until the next call, or NULL after the last. For drivers
     * that leave rows where their client library has stored them: conn->rows then has nrows and
     * nfields only. NULL: the rows are in conn->rows.
     */
    const struct rowset_field *(*fetch)(struct driver_conn *conn);
    /* Gives up the open result set. NULL: nothing to give up. */
    void (*free_result)(struct driver_conn *conn);

    /* Prepares `text`, with '?' for parameters, into stmt->handle. Called before the statement is
     * executed for the first time on a connection. */
    enum driver_status (*prepare)(struct driver_stmt *stmt, const char *text, size_t length);
    /* Executes with `count` parameters, those given to bind; rows go to conn->rows. */
    enum driver_status (*execute)(struct driver_stmt *stmt, struct sql_param *const *params,
                                  unsigned count);
    /* Frees the handle, and the server's side of it unless conn->closing. */
    void (*close_statement)(struct driver_stmt *stmt);

    /*
     * Makes a query() that another thread has called return soon, with an error; harmless when none
     * goes on. May take a second or two. Only if may_cancel was set. NULL: it cannot.
     */
    void (*cancel)(struct driver_conn *conn);

    /*
     * Begins the session anew, as that of another client would be, in no database. Statements that
     * it has prepared are lost. NULL: it cannot.
     */
    enum driver_status (*renew)(struct driver_conn *conn);
    /*
     * Leaves no transaction open after an error that is ignored, so that the event can start again.
     */
    void (*recover)(struct driver_conn *conn);
    /* Writes `text` as the inside of a literal; `to` has room for language->escaped_bytes · length
     * + 1. Returns the length. */
    size_t (*escape)(struct driver_conn *conn, char *to, const char *text, size_t length);

    /*
     * Loads rows faster than INSERT does; NULL: it cannot. `text` holds lines, fields separated by
     * tabs, with \t \n \r and \\ for tab, newline, return and backslash, and \N for NULL; `columns`
     * are separated by commas. Where the language has no INSERT, text fields begin with '"'.
     */
    enum driver_status (*load)(struct driver_conn *conn, const char *table, const char *columns,
                               const char *text, size_t length);
    /* Finds out what the server takes: conn->can_load, conn->max_statement_bytes. NULL: nothing to
     * find out. */
    void (*ask_limits)(struct driver_conn *conn);

    const struct driver_watch *watch; /* NULL: there is no server to watch */
};

/* Values that mean the same with every driver; what a server does not count is never known. */
enum {
    WATCH_STATEMENTS,   /* that the server has executed for all its clients */
    WATCH_ROWS_CHANGED, /* inserted, updated and deleted */
    WATCH_OWN,          /* of the statements, those of the connection that watches */
    WATCH_CLUSTER,      /* which cluster the server is a member of; each member changes all rows */
    WATCH_SHARED        /* how many these are: the driver's own follow */
};

/* What a server says of itself. Connections that watch do nothing else. */
struct driver_watch {
    struct probe_table table;
    /*
     * Asks the server, with two statements at most, counted in conn->asked, and fills value[]; NAN,
     * as it comes, is "not known". What is not allowed is left out: conn->not_allowed is set then,
     * conn->error says why, and it is not asked for again.
     */
    enum driver_status (*read)(struct driver_conn *conn, double *value);
    /* A statement whose rows are the names and values of settings that decide results. */
    const char *settings;
    /* Writes how the user knows the server that the connection goes to. True: it is on this
     * machine. */
    bool (*where)(const struct driver_conn *conn, char *name, size_t bytes);
};

struct driver_conn {
    const struct driver_ops *ops;
    void *shared;               /* what init returned */
    void *handle;               /* the driver's own */
    struct rowset rows;         /* the last result set */
    bool count_only;            /* query(): rows are counted in `counted`, not kept */
    uint64_t counted;           /* rows since the caller has reset it, with count_only */
    bool more_results;          /* next_result() would give another */
    bool can_load;              /* ask_limits: the server takes load() */
    size_t max_statement_bytes; /* ask_limits: what this server takes; 0: as in ops */
    uint64_t rows_matched;      /* by the last INSERT, UPDATE or DELETE */
    uint64_t rows_changed;      /* really, of rows_matched; where no server tells, rows_matched */
    uint64_t changed;           /* by all statements of query(), since the caller has reset it */
    struct sql_failure error;   /* of the last operation that failed */
    struct rand_stream service; /* for drivers that draw (null) */
    unsigned number;            /* which of the run's connections it is, for lists of servers */
    unsigned connect_timeout_s; /* ≥ 1: how long connect may take, but for looking up a name */
    unsigned answer_timeout_s;  /* how long a statement may take; 0: for ever */
    const char *elsewhere; /* "HOST[:PORT]" or a socket, in place of what the options say; NULL: as
                              they say */
    uint64_t asked;        /* statements executed by watch->read */
    bool not_allowed;      /* watch->read was refused a part of what it asked for */
    bool may_cancel;       /* before connect: cancel() may come */
    bool closing;          /* statements are closed because the connection will be */
};

struct driver_stmt {
    struct driver_conn *conn;
    void *handle;
    bool rebound; /* other parameters were bound since the last execution; the driver clears it */
};

/* The drivers; the table in sql.c says which of them are compiled in. */
extern const struct driver_ops mongodb_driver;
extern const struct driver_ops mysql_driver;
extern const struct driver_ops pgsql_driver;
extern const struct driver_ops sqlite_driver;
extern const struct driver_ops null_driver;

/* Keeps what a statement has come to that changed all rows which it matched. */
static inline void driver_changed(struct driver_conn *conn, uint64_t rows)
{
    conn->rows_matched = conn->rows_changed = rows;
    conn->changed += rows;
}

/* Fills conn->error; `fmt` gives the text. Returns DRIVER_ERROR. */
enum driver_status driver_fail(struct driver_conn *conn, int code, const char *state,
                               bool ignorable, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
