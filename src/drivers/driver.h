/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of a database driver: the operations in struct driver_ops, which src/sql calls.
 *
 * A driver includes only headers of this folder, of its own subfolder, of base and options, and
 * stats/probe_series.h and stats/wait_source.h.
 *
 * A connection is used by one thread at a time. Operations that return DRIVER_ERROR have filled
 * conn->error. Operations log only debug messages, do not count statements and do not repeat failed
 * statements; src/sql does this.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "drivers/language.h"
#include "drivers/rowset.h"
#include "drivers/server_setting.h"
#include "options/options.h"
#include "stats/probe_series.h"
#include "stats/wait_source.h"

enum driver_status {
    DRIVER_OK = 0,          /* done, no result set */
    DRIVER_ROWS = 1,        /* done, conn->rows holds the result set */
    DRIVER_ERROR = -1,      /* failed, conn->error says why */
    DRIVER_UNSUPPORTED = -2 /* prepare only: the statement can only be executed as text */
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

/* The value of an integer type is in `integer` of struct sql_param, that of a number type in
 * `number`, and that of any other type in `text`. */
static inline bool sql_type_is_integer(enum sql_type type)
{
    return type >= SQL_TYPE_TINYINT && type <= SQL_TYPE_BIGINT;
}
static inline bool sql_type_is_number(enum sql_type type)
{
    return type == SQL_TYPE_FLOAT || type == SQL_TYPE_DOUBLE;
}

/*
 * One parameter of a statement. src/sql owns the parameter and keeps its address fixed while it is
 * bound. Drivers read the value when the statement is executed.
 */
struct sql_param {
    enum sql_type type;
    bool null;
    int64_t integer; /* TINYINT to BIGINT */
    double number;   /* FLOAT, DOUBLE */
    char *text; /* TIME to VARCHAR: max_length + 1 bytes; a driver may write a NUL after the text */
    size_t length;
    size_t max_length;
};

struct sql_failure {
    int code;             /* the server's error number */
    char state[6];        /* SQLSTATE; "" if the database does not use SQLSTATE */
    char message[512];    /* the server's text */
    bool ignorable;       /* restart the event instead of ending the run */
    bool connection_lost; /* only a reconnect can help */
    bool fatal;           /* ends the run; hooks of scripts cannot ignore the error */
};

struct driver_conn;
struct driver_stmt;

struct driver_ops {
    const char *name;        /* "sqlite": as in --db-driver and sysbench.sql.driver():name() */
    const char *description; /* "SQLite driver" */
    const struct driver_language *language; /* language of its statements */
    const struct option_spec *options;
    size_t options_count;
    /* Longest statement, for bulk inserts. ask_limits() may find another limit of a server. */
    size_t max_statement_bytes;
    /* Text before a statement that makes the server answer with the plan as JSON, without executing
     * the statement. NULL if the database has no such plans. */
    const char *explain;
    bool in_process;        /* the database is a file that this process reads and writes itself */
    bool can_be_read_only;  /* connect() with conn->read_only fails unless the server refuses writes
                             */
    bool keeps_deadline;    /* a statement ends at conn->deadline_ns, with an error */
    bool supports_prepare;  /* otherwise prepared statements are always executed as text */
    bool backslash_escapes; /* a backslash in a literal escapes the next character */

    /*
     * For a driver that is compiled as a module: loads the module and returns its operations, or
     * NULL after a logged message. Called once, before any other operation except library(). The
     * built-in part then defines only the members above and library(). NULL in a driver that is
     * built in completely.
     */
    const struct driver_ops *(*whole)(void);
    /* Returns name and version of the client library, for --version. May be NULL. */
    const char *(*library)(void);
    /* Changes settings of the whole process. The main thread calls it once, before it creates other
     * threads. May be NULL. */
    void (*setup)(const struct options *options);

    /*
     * Reads the options. Called once, before any connection. Stores the driver's shared state, or
     * NULL if it does not need one, in *shared. Returns 0, or −1 after a logged message.
     */
    int (*init)(const struct options *options, void **shared);
    /* Frees the shared state after the last connection is closed. */
    void (*fini)(void *shared);

    /* Returns true if statements are accepted but not executed, so that they are not counted. NULL
     * means that statements are always executed. */
    bool (*pretends)(const void *shared);

    /*
     * Return the number of servers in the options (n) and the name of one of them. Connection i
     * uses server i modulo n. NULL if there is always one server.
     */
    unsigned (*servers)(const void *shared);
    void (*server_name)(const void *shared, unsigned server, char *name, size_t bytes);

    /*
     * Opens a connection and stores it in conn->handle. The caller has set the members ops, shared,
     * service, number, connect_timeout_s, answer_timeout_s and elsewhere. After an error,
     * connection_lost is set if another attempt makes sense.
     */
    enum driver_status (*connect)(struct driver_conn *conn);
    /* After a failed connect: returns one line that names the options to check, or NULL. The
     * operation may be NULL. */
    const char *(*connect_advice)(const struct driver_conn *conn);
    /* Closes the handle without waiting for the server, even if the connection is lost. Called once
     * per successful connect. All statements were closed before, with conn->closing set. */
    void (*disconnect)(struct driver_conn *conn);

    /* Executes `text`, which ends with a NUL and may contain several statements. The rows of the
     * first result set are available from conn->rows. */
    enum driver_status (*query)(struct driver_conn *conn, const char *text, size_t length);
    /* Opens the next result set of the last query or execute. NULL if the driver never returns
     * several result sets. */
    enum driver_status (*next_result)(struct driver_conn *conn);

    /*
     * Returns the next row, an array of `nfields` fields that is valid until the next call, or NULL
     * after the last row. For drivers that leave rows in the memory of their client library; in
     * conn->rows only nrows and nfields are valid then. NULL if conn->rows contains the rows.
     */
    const struct rowset_field *(*fetch)(struct driver_conn *conn);
    /* Frees the open result set in the client library. May be NULL. */
    void (*free_result)(struct driver_conn *conn);

    /* Prepares `text`, with '?' for parameters, and stores the result in stmt->handle. Called
     * before the statement is executed for the first time on a connection. */
    enum driver_status (*prepare)(struct driver_stmt *stmt, const char *text, size_t length);
    /* Executes a prepared statement with `count` parameters; rows as with query(). */
    enum driver_status (*execute)(struct driver_stmt *stmt, struct sql_param *const *params,
                                  unsigned count);
    /* Frees the handle and, unless conn->closing is set, closes the statement on the server. */
    void (*close_statement)(struct driver_stmt *stmt);

    /*
     * Makes a query() that runs in another thread return soon, with an error. Does nothing if no
     * query is running. May take one or two seconds. Called only if may_cancel is set. NULL if the
     * driver cannot cancel.
     */
    void (*cancel)(struct driver_conn *conn);
    /*
     * The same in two steps, for a driver whose cancel() waits for the server. cancel_begin() does
     * not wait, and returns what cancel_end() needs, or NULL. cancel_end() sends the cancellation,
     * if `send` is set, and frees the memory; it does not use the connection, which may have been
     * closed. NULL if cancel() does not wait.
     */
    void *(*cancel_begin)(struct driver_conn *conn);
    void (*cancel_end)(void *cancellation, bool send);

    /* Breaks the connection of a query() that runs in another thread, which returns soon, with
     * connection_lost set. The server may finish the statement. NULL if the driver cannot do this.
     */
    void (*abandon)(struct driver_conn *conn);
    /* Executed after a statement that was cancelled, in its thread: makes sure that a cancellation
     * which came too late has no effect on the next statement. NULL if this is not needed. */
    void (*settle)(struct driver_conn *conn);

    /*
     * Resets the session to that of a new client, with no database selected. Its prepared
     * statements are lost. NULL if the driver cannot do this.
     */
    enum driver_status (*renew)(struct driver_conn *conn);
    /* Call after conn->handle was moved here from another struct driver_conn. NULL if the handle
     * does not refer to the struct. */
    void (*moved)(struct driver_conn *conn);
    /* Returns true if a transaction is open. NULL if the driver has no transactions. */
    bool (*in_transaction)(const struct driver_conn *conn);
    /* Ends an open transaction after an ignored error, so that the event can start again. */
    void (*recover)(struct driver_conn *conn);
    /* Escapes `text` for use inside the quotes of a literal. `to` has room for
     * language->escaped_bytes · length + 1 bytes. Returns the number of bytes written. */
    size_t (*escape)(struct driver_conn *conn, char *to, const char *text, size_t length);

    /*
     * Loads rows faster than INSERT. `text` contains one line per row with fields separated by
     * tabs; \t \n \r and \\ stand for tab, newline, return and backslash, and \N for NULL. The
     * names in `columns` are separated by commas. If the language has no INSERT, text fields begin
     * with '"'. If `load_calls` is set, the last of the columns may be FUNCTION(name): the function
     * converts the text of the field. NULL if the driver cannot load rows.
     */
    enum driver_status (*load)(struct driver_conn *conn, const char *table, const char *columns,
                               const char *text, size_t length);
    bool load_calls;
    /* Sets conn->can_load and conn->max_statement_bytes, if needed with a query to the server. May
     * be NULL. */
    void (*ask_limits)(struct driver_conn *conn);

    /* Returns the file descriptor of an open connection, or −1 if it has none. NULL if the driver
     * has no connections to servers. */
    int (*descriptor)(const struct driver_conn *conn);

    const struct driver_watch *watch; /* sampling of servers; NULL if the driver has no servers */
    const struct driver_waits *waits; /* sampling of sessions; NULL if the driver cannot do this */
    /* changing settings of servers; NULL if the driver cannot do this */
    const struct driver_settings *settings;
};

/* Sampled values that mean the same with every driver. They stay NAN if the server does not count
 * them. */
enum {
    WATCH_STATEMENTS,   /* statements executed by the server, for all clients */
    WATCH_ROWS_CHANGED, /* rows inserted, updated and deleted */
    WATCH_OWN,          /* statements that were executed to take the samples */
    WATCH_CLUSTER,      /* number that identifies the server's cluster; members apply all changes */
    WATCH_SHARED        /* number of these values; the driver's own values follow */
};

/* Sampling of a server's counters and settings. It uses connections of its own. */
struct driver_watch {
    struct probe_table table;
    /*
     * Reads counters from the server into value[], with at most two statements, and adds their
     * number to conn->asked. All values are NAN on entry, and remain NAN if they are not known. If
     * the user lacks the permission for some values, they are skipped: conn->not_allowed is set,
     * conn->error describes the reason, and they are not requested again.
     */
    enum driver_status (*read)(struct driver_conn *conn, double *value);
    /* A statement that returns names and values of the settings that affect results. */
    const char *settings;
    /* Writes the address of the connection's server as the user knows it. Returns true if the
     * server runs on this machine. */
    bool (*where)(const struct driver_conn *conn, char *name, size_t bytes);
    /* The server counts what a session has done only when the session is idle or ends. The sessions
     * of a pooler stay open, so they may be counted after the run. */
    bool counts_late;
};

/* Sampling of the sessions of a server. It uses a connection of its own, except for session(). */
struct driver_waits {
    /* Returns the server's number of the session of an open connection; 0 if it is not known. */
    uint64_t (*session)(const struct driver_conn *conn);
    /* Returns false if the server has no session of this number. */
    bool (*knows)(struct driver_conn *conn, uint64_t session);
    /* Calls `add` for each session that has something to do, and adds the number of statements that
     * were executed to conn->asked. If some of the values are not visible, conn->not_allowed is
     * set; if nothing is, conn->refused is set and the sample fails. In both cases conn->error says
     * what the user can do. */
    enum driver_status (*sample)(struct driver_conn *conn, wait_session_add *add, void *arg);
    /* Returns how often the server refreshes what sample() reads; 0 if it is always up to date. */
    int64_t (*gap_ns)(const struct driver_conn *conn);
};

/* Reading and changing settings of a server, outside of the load. Statements in these operations
 * are neither counted nor repeated. */
struct driver_settings {
    /* Reads the state of the setting `name`, which is a valid name, into *setting, which is zeroed.
     * Returns DRIVER_ERROR if there is no such setting or its state cannot be restored later. The
     * caller frees the texts in both cases. */
    enum driver_status (*read)(struct driver_conn *conn, const char *name,
                               struct server_setting *setting);
    /* Stores `text` in setting->scope, or removes the stored value if `text` is NULL, and waits
     * until new sessions get the value. */
    enum setting_result (*store)(struct driver_conn *conn, const struct server_setting *setting,
                                 const char *text);
    /* Returns true if `now`, as read by a new session, is in effect after `text` was stored. */
    bool (*took)(const struct server_setting *now, const char *text);

    /*
     * Replication that the server receives; NULL if no setting depends on it. running() calls `add`
     * for each replication that is running, with a statement that starts it again;
     * replication_start() executes such a statement, and replication_stop() its opposite.
     */
    enum driver_status (*running)(struct driver_conn *conn,
                                  void (*add)(void *arg, const char *start), void *arg);
    enum driver_status (*replication_start)(struct driver_conn *conn, const char *start);
    enum driver_status (*replication_stop)(struct driver_conn *conn, const char *start);
    /* Returns true if a value is in effect only after replication was stopped and started. */
    bool (*needs_stop)(const char *name);
};

struct driver_conn {
    const struct driver_ops *ops;
    void *shared;               /* shared state from init() */
    void *handle;               /* the driver's connection */
    struct rowset rows;         /* the open result set */
    bool count_only;            /* query() counts rows in `counted` and does not keep them */
    uint64_t counted;           /* with count_only: rows since the caller has reset this member */
    bool more_results;          /* next_result() can open another result set */
    bool can_load;              /* set by ask_limits: the server supports load() */
    size_t max_statement_bytes; /* set by ask_limits: limit of this server; 0 if as in ops */
    uint64_t rows_matched;      /* rows matched by the last INSERT, UPDATE or DELETE */
    uint64_t rows_changed;      /* rows it really changed; rows_matched if this is not known */
    uint64_t changed;           /* rows changed by query() since the caller has reset this member */
    struct sql_failure error;   /* error of the last operation that failed */
    struct rand_stream service; /* random service times of the null driver */
    unsigned number;            /* number of the connection, selects one of several servers */
    unsigned connect_timeout_s; /* limit for connect, at least 1; does not include DNS lookup */
    unsigned answer_timeout_s;  /* limit for the answer to a statement; 0 if unlimited */
    int64_t
        deadline_ns; /* when the statement should have ended (CLOCK_MONOTONIC); 0 if unlimited */
    const char *elsewhere; /* "HOST[:PORT]" or a socket path used instead of the server in the
                              options, or NULL */
    uint64_t asked;        /* number of statements executed by watch->read */
    bool not_allowed;      /* the server refused to return some values to watch->read */
    bool refused;          /* the server refuses all values to waits->sample */
    bool may_cancel;       /* set before connect if cancel() may be called */
    bool read_only;        /* set before connect: the server must refuse writes; only with
                              ops->can_be_read_only */
    /* Set before sampling: waits->session() makes the driver call it for each wait for a lock that
     * it measures itself. NULL if nobody wants to know. */
    void (*locked)(void *arg, int64_t ns);
    void *locked_arg;
    bool closing; /* statements are being closed because the connection will be closed */
};

struct driver_stmt {
    struct driver_conn *conn;
    void *handle;
    bool rebound; /* parameters were bound since the last execution; cleared by the driver */
};

/* The drivers. The table in sql.c lists those that are compiled in. */
extern const struct driver_ops mongodb_driver;
extern const struct driver_ops mysql_driver;
extern const struct driver_ops pgsql_driver;
extern const struct driver_ops sqlite_driver;
extern const struct driver_ops null_driver;

/* Records the rows of a write that changed every row it matched. */
static inline void driver_changed(struct driver_conn *conn, uint64_t rows)
{
    conn->rows_matched = conn->rows_changed = rows;
    conn->changed += rows;
}

/* Fills conn->error, with connection_lost and fatal unset; `fmt` formats the message. Returns
 * DRIVER_ERROR. */
enum driver_status driver_fail(struct driver_conn *conn, int code, const char *state,
                               bool ignorable, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
