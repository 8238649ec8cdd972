/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of this folder only: what they have in common, then what each of them offers
 * to the others, lowest first.
 *
 * Who owns what: struct sql owns the drivers. Scripts hold one reference to each connection,
 * statement and parameter, and drop it with sql_*_free() in any order. A statement holds one
 * reference to its connection and one to each parameter bound to it. All objects of a connection
 * are used by one thread at a time.
 */
#ifndef SQL_INTERNAL_H
#define SQL_INTERNAL_H

#include <ck_queue.h>
#include <string.h>

#include "base/util.h"
#include "drivers/driver.h"
#include "drivers/sql_text.h"
#include "options/options.h"
#include "sql/sql_api.h"
#include "stats/stats.h"

struct sql;

/* Text that grows and is used again. */
struct sql_buffer {
    char *data;
    size_t used, room;
};

#define SQL_BULK_NOT_BEGUN (-2) /* sql_api.h, which is read by Lua, has the number */

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
    bool pretends; /* nothing is executed: nothing is counted */
    unsigned
        failover_s; /* --failover: a server that has not answered for so long is gone; 0: off */
};

struct sql_connection {
    struct driver_conn conn;
    sql_driver *driver;
    struct stats_thread *stats; /* NULL: nothing is counted */
    struct stats_part *part;    /* that of its target; NULL: there is but one server */
    unsigned target;
    bool lost;                      /* its target has been told so */
    bool fails_over;                /* goes to the next server when its own is gone */
    unsigned home;                  /* fails_over: conn.number as it was at first */
    int64_t moved_ns;               /* when it last went to another server; 0: never */
    const struct rowset_field *row; /* the row fetched last; NULL: none */
    CK_LIST_HEAD(, sql_statement) statements;
    unsigned refs;
    bool open;
    bool disconnected;          /* the script has closed it */
    struct rand_stream backoff; /* for pauses between attempts to reconnect */
    struct sql_buffer failed;   /* text of the statement that failed last */
    struct sql_wait *wait;      /* NULL: nobody is told what it waits for */
    unsigned class_id;          /* the class, + 1, of the statement in hand; 0: not found yet */
    unsigned results_class_id;  /* the class, + 1, of the statement whose results are read */
    unsigned error_id;          /* of the last statement's error, + 1; 0: none was recorded */
    int64_t began_ns;           /* when the statement in hand began, where classes are reported */
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
    CK_LIST_ENTRY(sql_statement) link;
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
    struct sql_buffer expanded; /* the text with literals, if it is executed as text */
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

/* Counts on the stats of the connection's thread. */
static inline void sql_count(const sql_connection *con, enum counter type)
{
    if (con->stats != NULL)
        stats_count(con->stats, type, 1);
}

/* sql.c */

const struct options *sql_options(const struct sql *sql);
/* The first driver that was opened; NULL: none. */
const sql_driver *sql_driver_in_use(const struct sql *sql);
/* How many connections threads have opened. */
unsigned sql_connections(const struct sql *sql);
/* Binds the connection to the calling thread: its statistics, random streams of its own. */
void sql_thread_adopt(sql_connection *con);
/* Until when the calling thread may try to get lost connections back; 0: not at all. */
int64_t sql_thread_patience_ns(void);
/* A thread tries to open a connection for the first time. */
void sql_note_attempt(sql_driver *drv);
/*
 * What came of that; NULL error: it is open. True: this is the first failure, and worth a message;
 * the others are like it.
 */
bool sql_note_outcome(sql_driver *drv, const struct sql_failure *error);
/* Whether messages say what to do: sql_give_advice(). */
bool sql_gives_advice(const sql_driver *drv);
/* True once, for the first who asks: nobody has been told yet that connections were lost. */
bool sql_note_loss(sql_driver *drv);
/* True once for each server: nobody has been told yet that it is gone. */
bool sql_note_gone(sql_driver *drv, unsigned server);
/* Keeps the text of the first write of a kind that changed nothing. */
void sql_note_no_op(sql_driver *drv, enum write_kind kind, const char *text, size_t length);

/* sql_target.c: each of several servers is a target of stats. With one server nothing happens. */

/* Finds the server that the connection goes to; what its thread counts is that of the server. */
void sql_target_join(sql_connection *con);
/* The server has one connection more. */
void sql_target_note_open(sql_connection *con);
/* The connection is lost, or there again. */
void sql_target_note_lost(sql_connection *con, bool lost);
/*
 * The connection is open again, maybe at another server than before: there it is a new one, and
 * stays lost where it was.
 */
void sql_target_note_back(sql_connection *con);
/* It is given up: if it is lost, nobody waits for it any more. */
void sql_target_note_gone(sql_connection *con);
/* What the connection's thread counts from now on is that of its server. */
static inline void sql_target_aim(const sql_connection *con)
{
    if (con->stats != NULL)
        stats_aim(con->stats, con->part);
}

/* sql_effect.c */

/* Records what a write that has succeeded has come to. */
void sql_effect_record(sql_connection *con, const char *text, size_t length);

/* sql_class.c */

/* Where classes are reported: says of which class the prepared statement in hand is. */
void sql_class_of_statement(sql_statement *stmt);
/* Where classes are reported: reads the clock before a statement. */
void sql_class_begin(sql_connection *con);
/* Records a statement. Where classes are not reported, call it after errors only. */
void sql_class_end(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                   const char *text, size_t length);
/* Records an error that no statement has had: of a connect, or of a further result. */
void sql_class_failed(sql_connection *con);
/* The last error that was recorded was ignored. */
void sql_class_ignored(sql_connection *con);

/* sql_query.c */

/* Fails without asking the server, because of `reason`. Returns −1. */
int sql_reject(sql_connection *con, const char *text, size_t length, const char *reason);
/* −1 after a logged message: the connection that shall execute `text` is closed. */
int sql_require_open(sql_connection *con, const char *text, size_t length);
/* Makes the connection ready for another statement. −1 when it is closed. */
int sql_begin_statement(sql_connection *con, const char *text, size_t length);
/* Counts the statement, or keeps its text if it failed. Returns 1, 0 or −1 as sql_query() does. */
int sql_end_statement(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                      const char *text, size_t length);
/* Adds the literal that means this text. */
void sql_add_literal(struct driver_conn *conn, struct sql_buffer *to, const char *text,
                     size_t length);
/* Executes text between these two. `text` ends with a NUL that `length` does not count. */
int sql_run_text(sql_connection *con, enum sql_text_kind kind, const char *text, size_t length);

/* sql_connection.c */

/* A connection that is not open and belongs to no thread yet. */
sql_connection *sql_connection_new(sql_driver *drv);
/* Drops one reference to a connection; the last frees it. */
void sql_connection_unref(sql_connection *con);
/* Closes the connection, also a dead one, with what the server has of its statements. Harmless when
 * it is closed. */
void sql_close_connection(sql_connection *con);
/* Gives up what the server has of a prepared statement. */
void sql_statement_release(sql_statement *stmt);

/* sql_load.c */

/* Gives up what was collected to load. */
void sql_load_forget(sql_connection *con);

/* sql_failover.c: with --failover, connections of a run whose server is gone go to the next one. */

/* Whether the last error can be survived at another server. */
bool sql_failover_helps(const sql_connection *con);
/* Says, once per server, that the connection's server is gone, and aims at the next one. */
void sql_failover_move(sql_connection *con);
/* Aims at the server that the connection went to at first. */
void sql_failover_go_home(sql_connection *con);

/* sql_restore.c */

/*
 * Gets a connection back that was lost. False: no further attempt makes sense, conn.error says why.
 * True with the connection closed: the patience of the thread has ended.
 */
bool sql_restore(sql_connection *con);

/* sql_error.c */

/* "1146, state 42S02", or what of it there is. */
void sql_write_codes(const struct sql_failure *error, char *to, size_t bytes);

#endif
