/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and functions that the files of this folder share. Other folders do not include this
 * header. The functions are listed by file, from the lowest layer up.
 *
 * Ownership: struct sql owns the drivers. Scripts hold one reference to each connection, statement
 * and parameter, and drop it with sql_*_free() in any order. A statement holds one reference to its
 * connection and one to each parameter bound to it. All objects of a connection are used by one
 * thread at a time.
 */
#ifndef SQL_INTERNAL_H
#define SQL_INTERNAL_H

#include <ck_queue.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/util.h"
#include "drivers/driver.h"
#include "drivers/sql_text.h"
#include "options/options.h"
#include "sql/sql_api.h"
#include "stats/stats.h"

struct sql;

/* Growing text buffer; reset with used = 0 and reused. */
struct sql_buffer {
    char *data;
    size_t used, room;
};

#define SQL_BULK_NOT_BEGUN (-2) /* documented in sql_api.h, which cannot define macros */

enum sql_driver_state { SQL_DRIVER_NEW, SQL_DRIVER_OPEN, SQL_DRIVER_FAILED };

/* A driver. Does not change once it is open. */
struct sql_driver {
    const struct driver_ops *ops;
    enum sql_driver_state state;
    void *shared; /* result of ops->init */
    bool emulate; /* execute prepared statements as text */
    bool debug;   /* log each statement */
    struct sql *sql;
    bool by_class;           /* statements are timed and have classes (--report-sql, --slowest) */
    bool reports_classes;    /* --report-sql */
    struct sql_plans *plans; /* --explain; NULL if plans are not asked for */
    bool read_only;          /* connections of the load are opened as read-only sessions */
    bool pretends;           /* statements are not executed, so they are not counted */
    /* --failover: a server is gone if it has not answered for this many seconds; 0 if off */
    unsigned failover_s;
    struct guard *guard;     /* --timeout; NULL if statements have no limit */
    struct pool *pool;       /* --pool-size; NULL if each worker has its own connections */
    char *const *read_hosts; /* --read-hosts; owned by the options */
    unsigned read_host_count;
    atomic_bool has_readers; /* a connection to a read host was requested */
};

struct sql_connection {
    struct driver_conn conn;
    sql_driver *driver;
    struct stats_thread *stats;     /* NULL if statements are not counted */
    struct stats_part *part;        /* statistics of the server; NULL if there is only one server */
    unsigned target;                /* number of the server in the statistics */
    bool lost;                      /* counted as a lost connection in the statistics */
    bool reads;                     /* goes to a host of --read-hosts */
    bool fails_over;                /* connects to the next server if its server is gone */
    unsigned home;                  /* fails_over: the original conn.number */
    int64_t moved_ns;               /* time of the last reconnect by sql_restore(); 0 if none */
    const struct rowset_field *row; /* row fetched last, or NULL */
    CK_LIST_HEAD(, sql_statement) statements;
    unsigned refs;
    bool open;
    bool disconnected;          /* closed by the script */
    struct rand_stream backoff; /* for pauses between attempts to reconnect, and lifetimes */
    struct sql_buffer failed;   /* text of the last statement if it failed; empty otherwise */
    struct guard_watch *watch;  /* limits its statements (policies/guard.h); NULL if nothing does */
    struct pool *pool;          /* where it takes its connection (pool/pool.h); NULL: its own */
    struct pooled *borrowed;    /* the connection that it has taken from the pool, or NULL */
    int (*open_again)(sql_connection *con); /* see pool_join() */
    bool used;     /* a statement was executed since the connection was taken */
    uint64_t turn; /* changes when the handles of statements are no longer valid */
    CK_LIST_ENTRY(sql_connection) borrower_link; /* objects of this thread that have taken one */
    struct sql_wait *wait;                   /* NULL if its waits are not logged */
    unsigned class_id;         /* class of the current statement + 1; 0 if not known yet */
    unsigned results_class_id; /* class of the statement whose results are being read, + 1 */
    unsigned error_id;         /* recorded error of the last statement + 1; 0 if not recorded */
    int64_t began_ns;          /* start of the current statement, set if driver->by_class */
    struct {
        struct sql_buffer text; /* collected statement; has no memory before sql_bulk_init() */
        size_t head_bytes;      /* length of the text before the rows */
    } bulk;
    struct {
        bool begun, native; /* native: the database's load format instead of INSERT */
        char *table, *columns;
        char *function;         /* converts the text of a row's last field; NULL: none */
        unsigned last_field;    /* number of fields of a row if there is a function */
        struct sql_buffer text; /* rows that were not sent yet */
        size_t whole;           /* bytes of `text` that are complete rows */
        unsigned fields;        /* number of fields of the incomplete row */
        /* Rows that `sender` sends while the connection's thread collects the next ones. Only the
         * sender uses `conn` and these fields from its start until sql_load_wait(). */
        bool sending;
        pthread_t sender;
        struct sql_buffer sent;
        enum driver_status status;
    } load;
    struct {
        bool on; /* the connection is opened again from time to time (sql_recycle.h) */
        CK_LIST_ENTRY(sql_connection) link; /* in the list of its thread */
        uint64_t events;                    /* events since it was opened */
        int64_t due_ns;                     /* end of its lifetime; INT64_MAX if it has none */
        bool due;                           /* to be opened again now */
    } recycle;
};

struct sql_statement {
    struct driver_stmt stmt;
    sql_connection *con;
    CK_LIST_ENTRY(sql_statement) link;
    char *text;
    size_t length;
    enum sql_text_kind kind;
    bool emulate;  /* executed as text, with literals for parameters */
    bool prepared; /* stmt.handle is valid on the open connection */
    bool closed;
    unsigned class_id; /* class + 1; 0 if not known yet */
    unsigned number;   /* with a pool: number of the text in the pool */
    uint64_t turn;     /* with a pool: con->turn for which stmt.handle is valid; 0 if for none */
    size_t *offsets;   /* byte offsets of the parameters in the text */
    unsigned parameters;
    sql_param **params;         /* array of length `parameters`; NULL before the first bind */
    struct sql_buffer expanded; /* text with literals, if the statement is executed as text */
};

static inline void sql_buffer_reserve(struct sql_buffer *buffer, size_t bytes)
{
    if (LIKELY(bytes <= buffer->room - buffer->used))
        return;
    size_t room = buffer->room + buffer->room / 2;
    if (room - buffer->used < bytes)
        room = buffer->used + bytes;
    buffer->data = xrealloc(buffer->data, room);
    buffer->room = room;
}

static inline void sql_buffer_add(struct sql_buffer *buffer, const char *text, size_t length)
{
    if (length == 0)
        return; /* memcpy() must not be called if data is still NULL */
    sql_buffer_reserve(buffer, length);
    memcpy(buffer->data + buffer->used, text, length);
    buffer->used += length;
}

/* Drivers need a NUL after the text. The NUL is not included in `used`. */
static inline void sql_buffer_terminate(struct sql_buffer *buffer)
{
    sql_buffer_reserve(buffer, 1);
    buffer->data[buffer->used] = '\0';
}

static inline void sql_buffer_fini(struct sql_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct sql_buffer){0};
}

/* Increments a counter of the connection's thread. */
static inline void sql_count(const sql_connection *con, enum counter type)
{
    if (con->stats != NULL)
        stats_count(con->stats, type, 1);
}

/* sql_options.c */

extern const struct option_spec sql_general_rows[];
extern const unsigned sql_general_row_count;

/* sql.c */

const struct options *sql_options(const struct sql *sql);
/* Returns the first open driver, or NULL if no driver is open. */
const sql_driver *sql_driver_in_use(const struct sql *sql);
/* Number of connections opened by sql_connect(). */
unsigned sql_connections(const struct sql *sql);
/* Binds the connection to the calling thread: sets its statistics and its random streams. */
void sql_thread_adopt(sql_connection *con);
/* Time (CLOCK_MONOTONIC) until which the calling thread may try to reconnect; 0 if it must not. */
int64_t sql_thread_patience_ns(void);
/* Counts an attempt to open a new connection. */
void sql_note_attempt(sql_driver *drv);
/* Records the result of that attempt: `error` is NULL if it succeeded. Returns true for the first
 * failure, which the caller logs; later failures are usually the same. */
bool sql_note_outcome(sql_driver *drv, const struct sql_failure *error);
/* True if sql_give_advice() was called. */
bool sql_gives_advice(const sql_driver *drv);
/* Returns true on the first call only, so that lost connections are logged once. */
bool sql_note_loss(sql_driver *drv);
/* Returns true on the first call for each server, so that its failure is logged once. */
bool sql_note_gone(sql_driver *drv, unsigned server);
/* Keeps the text of the first write of each kind that changed no row. */
void sql_note_no_op(sql_driver *drv, enum write_kind kind, const char *text, size_t length);

/* Counts statements that were executed to sample sessions, and returns their number. */
void sql_note_aside(struct sql *sql, uint64_t statements);
uint64_t sql_aside(const struct sql *sql);

/* sql_target.c: statistics per server ("target"), if the options list several servers. With one
 * server, only lost connections are counted. */

/* Finds the target of the connection's server, and lets the thread count for this target. */
void sql_target_join(sql_connection *con);
/* Counts a new connection of the target. */
void sql_target_note_open(sql_connection *con);
/* Counts the connection as lost (true) or as restored (false). */
void sql_target_note_lost(sql_connection *con, bool lost);
/*
 * Call after a reconnect, which may have gone to another server than before. In this case the
 * connection counts as a new one of the new server, and stays lost in the old server's statistics.
 */
void sql_target_note_back(sql_connection *con);
/* Call before the connection is freed: if it is lost, it no longer counts as missing. */
void sql_target_note_gone(sql_connection *con);
/* From now on the connection's thread counts for the connection's target. */
static inline void sql_target_aim(const sql_connection *con)
{
    if (con->stats != NULL)
        stats_aim(con->stats, con->part);
}

/* sql_publish.c: publishes the sessions of workers for the sampler of --wait-events. */

/* Call after the connection was opened: publishes its session as one of its thread. */
void sql_publish(sql_connection *con);
/* Call before the connection is closed, or before its thread changes. */
void sql_unpublish(const sql_connection *con);

/* sql_recycle.c: connections that are opened again from time to time. */

/* Call for a new connection of the load. */
void sql_recycle_join(sql_connection *con);
/* Call before the connection is freed. */
void sql_recycle_leave(sql_connection *con);
/* Returns a connection that sql_recycle_due() found to be due, or NULL after the last one. */
sql_connection *sql_recycle_next(void);
/* Call after the connection was opened again. */
void sql_recycle_opened(sql_connection *con);

/* sql_class.c */

/* The first five functions are for drivers with by_class only. This one sets the class of the
 * prepared statement that is about to execute. */
void sql_class_of_statement(sql_statement *stmt);
/* Records the start time of a statement. */
void sql_class_begin(sql_connection *con, const char *text, size_t length);
/* Records the start time of an attempt to connect again. */
void sql_class_begin_connect(sql_connection *con);
/* Records the end of this attempt. */
void sql_class_end_connect(sql_connection *con);
/* Records a connection that was reopened, in a class of its own. */
void sql_class_reconnected(sql_connection *con);
/* Records a finished statement. If the driver has no by_class, call it only after errors. */
void sql_class_end(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                   const char *text, size_t length);
/* Records an error of a connect or of a further result set. */
void sql_class_failed(sql_connection *con);
/* Marks the last recorded error as ignored. */
void sql_class_ignored(sql_connection *con);

/* With --explain: keeps the statement as the example of its class. `text` has literals. */
void sql_class_note_plan(sql_connection *con, unsigned class_id, const char *text, size_t length);

/* sql_query.c */

/* Sets the connection's error to `reason` without sending the statement. Returns −1. */
int sql_reject(sql_connection *con, const char *text, size_t length, const char *reason);
/* Returns 0 if the connection is open; otherwise logs an error for statement `text`, returns −1. */
int sql_require_open(sql_connection *con, const char *text, size_t length);
/* Call before each statement. Returns −1 after a logged message if the connection is closed. */
int sql_begin_statement(sql_connection *con, const char *text, size_t length);
/* Call after each statement: counts it, or keeps its text if it failed. Returns the same values as
 * sql_query(). */
int sql_end_statement(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                      const char *text, size_t length);
/* The same for rows that are loaded (sql_load.c), which count as an INSERT statement. */
int sql_load_begin_piece(sql_connection *con);
int sql_load_end_piece(sql_connection *con);
/* Waits for the end of the rows that another thread sends. Returns −1 if they were not loaded. */
int sql_load_wait(sql_connection *con);
/* Gives the connection back to the pool, if the object has one. Results that were not read are
 * discarded, and an open transaction is rolled back. */
void sql_give_back(sql_connection *con);
/* Appends `text` as a quoted and escaped literal. */
void sql_add_literal(struct driver_conn *conn, struct sql_buffer *to, const char *text,
                     size_t length);
/* Executes and counts a statement. `text` ends with a NUL that `length` does not include. */
int sql_run_text(sql_connection *con, enum sql_text_kind kind, const char *text, size_t length);

/* sql_connection.c */

/* Creates a closed connection that is not bound to a thread yet. */
sql_connection *sql_connection_new(sql_driver *drv);
/* Opens the connection of the load, sets con->open, and records how long this took or that it
 * failed. */
void sql_open_connection(sql_connection *con);
/* Drops one reference to a connection, and frees the connection with the last one. */
void sql_connection_unref(sql_connection *con);
/* Closes the connection and its prepared statements, even if the server is gone. Does nothing if
 * the connection is closed. */
void sql_close_connection(sql_connection *con);
/* Closes a prepared statement on the server. */
void sql_statement_release(sql_statement *stmt);

/* sql_load.c */

/* Discards the rows that were collected for loading. The connection must be closed, or no rows may
 * be on their way. */
void sql_load_forget(sql_connection *con);

/* sql_restore.c. With --failover, connections whose server is gone connect to the next one. */

/* True if the connection uses failover and its last error broke it. */
bool sql_failover_helps(const sql_connection *con);
/* Selects the next server for the next connect. Logs once per server that it is gone. */
void sql_failover_move(sql_connection *con);
/* Selects the connection's original server for the next connect. */
void sql_failover_reset(sql_connection *con);
/*
 * Reconnects a lost connection. Returns false if further attempts make no sense, with the reason in
 * conn.error. Returns true if the connection is open, or if it is still closed because the time
 * that the thread may spend on reconnecting (sql_thread_patience_ns()) has ended.
 */
bool sql_restore(sql_connection *con);

/* sql_error.c */

/* Writes error code and SQLSTATE as "1146, state 42S02", or the one of them that is known. */
void sql_write_codes(const struct sql_failure *error, char *to, size_t bytes);

#endif
