/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the SQL layer (sql*.c) only.
 *
 * Who owns what: struct sql owns the drivers. Scripts hold one reference to each connection,
 * statement and parameter, and drop it with sql_*_free() in any order. A statement holds one
 * reference to its connection and one to each parameter bound to it. All objects of a connection
 * are used by one thread at a time.
 */
#ifndef SQL_INTERNAL_H
#define SQL_INTERNAL_H

#include <string.h>
#include <sys/queue.h>

#include "base/util.h"
#include "drivers/sql_text.h"
#include "sql/sql.h"

/* Text that grows and is used again. */
struct sql_buffer {
    char *data;
    size_t used, room;
};

enum sql_driver_state { SQL_DRIVER_NEW, SQL_DRIVER_OPEN, SQL_DRIVER_FAILED };

/* Constant once it is open. */
struct sql_driver {
    const struct driver_ops *ops;
    enum sql_driver_state state;
    void *shared; /* what ops->init returned */
    bool emulate; /* statements are not prepared on the server */
    bool debug;   /* log each statement */
    struct sql *sql;
    bool by_class; /* --report-sql */
};

struct sql_connection {
    struct driver_conn conn;
    sql_driver *driver;
    struct stats_thread *stats; /* NULL: nothing is counted */
    struct stats_part *part;    /* of its target (targets.h); NULL: there is but one server */
    unsigned target;
    bool lost;                      /* its target has been told so */
    const struct rowset_field *row; /* the row fetched last; NULL: none */
    LIST_HEAD(, sql_statement) statements;
    unsigned refs;
    bool open;
    struct rand_stream backoff; /* for pauses between attempts to reconnect */
    struct sql_buffer failed;   /* text of the statement that failed last */
    unsigned class_id;          /* of the statement in hand, + 1; 0: to be found from its text */
    unsigned results_class_id;  /* likewise, of the statement whose further results are read */
    unsigned error_id;          /* of the last statement, + 1; 0: none was recorded */
    int64_t began_ns;           /* the statement in hand, where it is reported by class */
    struct {
        struct sql_buffer text; /* the statement so far; room 0: not begun */
        size_t head_bytes;      /* of it, what comes before the rows */
    } bulk;
    struct {
        bool begun, native; /* in the database's load format, else INSERT */
        char *table, *columns;
        struct sql_buffer text; /* what was not sent yet … */
        size_t whole;           /* … and how much of it is whole rows */
        unsigned fields;        /* of the row in hand */
    } load;
};

struct sql_statement {
    struct driver_stmt stmt;
    sql_connection *con;
    LIST_ENTRY(sql_statement) link;
    char *text;
    size_t length;
    enum sql_text_kind kind;
    bool emulate;  /* executed as text, with literals for parameters */
    bool prepared; /* stmt.handle is valid on the present connection */
    bool closed;
    unsigned class_id; /* its class, + 1; 0: not found yet */
    size_t *offsets;   /* of the parameters in the text */
    unsigned parameters;
    sql_param **params;         /* as many as `parameters`; NULL: none bound yet */
    struct sql_buffer expanded; /* where it is emulated: the text with literals */
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
        return; /* there may be no memory yet */
    sql_buffer_reserve(buffer, length);
    memcpy(buffer->data + buffer->used, text, length);
    buffer->used += length;
}

/* Puts a NUL behind the text, as drivers want it; it is not counted. */
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

/* Gives up what was collected to load. */
void sql_load_forget(sql_connection *con);

/* Keeps the text of the statement that conn.error belongs to. */
void sql_keep_failed(sql_connection *con, const char *text, size_t length);

/* Fails without asking the server, because of `reason`. Returns −1. */
int sql_reject(sql_connection *con, const char *text, size_t length, const char *reason);

/* −1 after saying so: the connection that shall execute `text` is closed. */
int sql_require_open(sql_connection *con, const char *text, size_t length);

/* Makes the connection ready for another statement. −1 when it is closed. */
int sql_begin_statement(sql_connection *con, const char *text, size_t length);

/* Counts the statement, or keeps its text if it failed. Returns 1, 0 or −1 as sql_query(). */
int sql_end_statement(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                      const char *text, size_t length);

/* Executes text in between of these two. */
int sql_run_text(sql_connection *con, enum sql_text_kind kind, const char *text, size_t length);

/* Closes the connection, also a dead one, with what belongs to it; harmless when it is closed. */
void sql_close_connection(sql_connection *con);

/*
 * Gets a connection back that was lost. False: no further attempt makes sense, conn.error says why.
 * True with the connection closed: the patience of the thread has ended.
 */
bool sql_restore(sql_connection *con);
/* Until when the calling thread may try that; 0: not at all. */
int64_t sql_thread_patience_ns(void);

/*
 * The first connection of its kind is tried, and what came of it (NULL error: it is open). True:
 * this is the first failure, and worth a message; the others are like it.
 */
void sql_note_attempt(sql_driver *drv);
bool sql_note_outcome(sql_driver *drv, const struct sql_failure *error);
/* Whether nobody has been told yet that connections were lost. */
bool sql_note_loss(sql_driver *drv);

/*
 * Statements by class (sql_class.c). The name of a class that the workload has not named: the first
 * word and the first table without the number at its end, "select sbtest". Returns its length.
 */
size_t sql_class_name(const char *text, size_t length, char *name, size_t bytes);
void sql_class_of_statement(sql_statement *stmt); /* before it is executed, where by_class */
void sql_class_begin(sql_connection *con);        /* likewise: reads the clock */
void sql_class_end(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                   const char *text, size_t length); /* where by_class, and after each error */
void sql_class_failed(sql_connection *con);  /* a connect or a further result: no statement */
void sql_class_ignored(sql_connection *con); /* the last error was ignored */

/* Gives up the server's side of all statements of a connection that is about to be closed. */
void sql_release_statements(sql_connection *con);

/* Counts on the stats of the connection's thread. */
static inline void sql_count(const sql_connection *con, enum counter type)
{
    if (con->stats != NULL)
        stats_count(con->stats, type, 1);
}

/* The first driver that was opened; NULL: none. */
const sql_driver *sql_driver_in_use(const struct sql *sql);
const struct options *sql_options(const struct sql *sql);
/* How many connections threads have opened. */
unsigned sql_connections(const struct sql *sql);

/* A connection that is not open and belongs to no thread yet. */
sql_connection *sql_connection_new(sql_driver *drv);

/* "1146, state 42S02", or what of it there is. */
void sql_write_codes(const struct sql_failure *error, char *to, size_t bytes);

/* Binds the connection to the calling thread: its statistics, a random stream of its own. */
void sql_thread_adopt(sql_connection *con);

/*
 * Several servers (sql_target.c): each is a target of stats. What the connection's thread counts
 * from now on is that of its server; the server has one connection more; the connection is lost, or
 * there again.
 */
void sql_target_join(sql_connection *con);
void sql_target_note_open(sql_connection *con);
void sql_target_note_lost(sql_connection *con, bool lost);
static inline void sql_target_aim(const sql_connection *con)
{
    if (con->stats != NULL)
        stats_aim(con->stats, con->part);
}

/* What a write has come to (sql_effect.c); after it has succeeded. */
void sql_effect_record(sql_connection *con, const char *text, size_t length);
/* Keeps the text of the first write of a kind that changed nothing. */
void sql_note_no_op(sql_driver *drv, enum write_kind kind, const char *text, size_t length);

/* Drops one reference to a connection; the last frees it. */
void sql_connection_unref(sql_connection *con);

#endif
