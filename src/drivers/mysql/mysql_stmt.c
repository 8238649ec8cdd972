/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepared statements of the MySQL driver. Parameters are bound in place: the client library reads
 * the script's values directly, so that executing a statement allocates and copies nothing.
 */
#include <mysqld_error.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"

/* Initial size of the buffer of a column, in bytes. */
#define COLUMN_BYTES 64

/* Result sets up to this number of rows are not freed at once. */
#define KEPT_ROWS 100

/* MYSQL_BIND points to variables of these types. */
_Static_assert(sizeof(bool) == sizeof(client_bool), "a bool is the library's bool");
_Static_assert(sizeof(size_t) == sizeof(unsigned long), "a length is the library's length");

static enum driver_status next_result(struct driver_conn *conn);
static const struct rowset_field *fetch(struct driver_conn *conn);
static void forget(struct driver_conn *conn);

static const struct mysql_reader reader = {
    .next = next_result,
    .fetch = fetch,
    .forget = forget,
};

/* One column of the current row. */
struct column {
    unsigned long length, room;
    client_bool null;
    char *data;
};

struct mysql_statement {
    MYSQL_STMT *stmt;
    MYSQL_BIND *in;
    unsigned parameters;
    MYSQL_BIND *out;
    struct column *columns;
    unsigned column_room;
    bool columns_bound;      /* the columns are bound for the open result set */
    bool has_rows;           /* a result of the last execution had rows */
    enum sql_text_kind kind; /* for a dry run, in which `stmt` is NULL */
};

static enum driver_status fail(struct driver_conn *conn, struct mysql_statement *m)
{
    return mysql_fail(conn, mysql_stmt_errno(m->stmt), mysql_stmt_sqlstate(m->stmt),
                      mysql_stmt_error(m->stmt));
}

static enum driver_status fail_prepare(struct driver_conn *conn, MYSQL_STMT *stmt)
{
    unsigned code = mysql_stmt_errno(stmt);
    const char *state = mysql_stmt_sqlstate(stmt);
    char message[sizeof(conn->error.message)];

    if (code == ER_UNSUPPORTED_PS)
        return DRIVER_UNSUPPORTED;
    if (code != ER_MAX_PREPARED_STMT_COUNT_REACHED)
        return mysql_fail(conn, code, state, mysql_stmt_error(stmt));
    snprintf(message, sizeof(message),
             "%s; raise max_prepared_stmt_count on the server, or use --db-ps-mode=disable",
             mysql_stmt_error(stmt));
    return mysql_fail(conn, code, state, message);
}

static enum driver_status create(struct driver_stmt *stmt, struct mysql_statement *m,
                                 const char *text, size_t length)
{
    struct mysql_connection *c = stmt->conn->handle;

    if (mysql_drain(stmt->conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    m->stmt = checked_alloc(mysql_stmt_init(c->mysql));
    if (mysql_stmt_prepare(m->stmt, text, length) != 0)
        return fail_prepare(stmt->conn, m->stmt);
    m->parameters = (unsigned)mysql_stmt_param_count(m->stmt);
    m->in = xcalloc(m->parameters + 1, sizeof(m->in[0]));
    return DRIVER_OK;
}

enum driver_status mysql_prepare_statement(struct driver_stmt *stmt, const char *text,
                                           size_t length)
{
    struct mysql_statement *m = xcalloc(1, sizeof(*m));
    enum driver_status status = DRIVER_OK;

    stmt->handle = m;
    m->kind = sql_text_kind(text, length);
    if (stmt->conn->handle != NULL)
        status = create(stmt, m, text, length);
    if (status != DRIVER_OK)
        mysql_close_prepared(stmt);
    return status;
}

static enum enum_field_types field_type(enum sql_type type)
{
    if (sql_type_is_integer(type))
        return MYSQL_TYPE_LONGLONG;
    return sql_type_is_number(type) ? MYSQL_TYPE_DOUBLE : MYSQL_TYPE_STRING;
}

static void bind(MYSQL_BIND *in, struct sql_param *param)
{
    *in = (MYSQL_BIND){.buffer_type = field_type(param->type)};
    in->is_null = (client_bool *)&param->null;
    if (sql_type_is_integer(param->type)) {
        in->buffer = &param->integer;
    } else if (sql_type_is_number(param->type)) {
        in->buffer = &param->number;
    } else {
        in->buffer = param->text;
        in->buffer_length = param->max_length;
        in->length = (unsigned long *)&param->length;
    }
}

static enum driver_status bind_all(struct driver_stmt *stmt, struct sql_param *const *params,
                                   unsigned count)
{
    struct mysql_statement *m = stmt->handle;

    stmt->rebound = false;
    if (count != m->parameters)
        return driver_fail(stmt->conn, 0, "", false,
                           "the server sees %u parameters in the statement, not %u", m->parameters,
                           count);
    for (unsigned i = 0; i < count; i++)
        bind(&m->in[i], params[i]);
    if (count > 0 && mysql_stmt_bind_param(m->stmt, m->in) != 0)
        return fail(stmt->conn, m);
    return DRIVER_OK;
}

/* Stores the current result. */
static enum driver_status store(struct driver_conn *conn, struct mysql_statement *m)
{
    struct mysql_connection *c = conn->handle;
    unsigned fields = mysql_stmt_field_count(m->stmt);

    if (fields == 0) {
        conn->more_results = mysql_more_results(c->mysql);
        mysql_keep_counts(conn, mysql_stmt_affected_rows(m->stmt));
        return DRIVER_OK;
    }
    if (mysql_stmt_store_result(m->stmt) != 0)
        return fail(conn, m);
    conn->more_results = mysql_more_results(c->mysql);
    c->open = m->has_rows = true;
    m->columns_bound = false;
    rowset_start(&conn->rows, fields);
    conn->rows.nrows = mysql_stmt_num_rows(m->stmt);
    conn->rows_matched = conn->rows_changed = conn->rows.nrows;
    return DRIVER_ROWS;
}

/* Receives the next result. */
static enum driver_status receive_next(struct driver_conn *conn, struct mysql_statement *m)
{
    conn->more_results = false;
    if (!m->has_rows) {
        mysql_fail(conn, CR_MALFORMED_PACKET, "HY000",
                   "an unexpected answer: more results after one without rows");
        /* Unread results could not be distinguished from later answers. */
        conn->error.connection_lost = true;
        return DRIVER_ERROR;
    }
    if (mysql_stmt_next_result(m->stmt) > 0)
        return fail(conn, m);
    return store(conn, m);
}

/* Receives results up to the first one with rows. `status` is that of the result stored last. */
static enum driver_status find_rows(struct driver_conn *conn, struct mysql_statement *m,
                                    enum driver_status status)
{
    while (status == DRIVER_OK && conn->more_results)
        status = receive_next(conn, m);
    return status;
}

/*
 * After an error of the client library, the statement must be reset. If the columns of the table
 * have changed since the statement was prepared, its rows are still unread in the connection,
 * before every other answer. If the connection is lost, the library (MariaDB's 3.3) would try to
 * read rows from it at the next execution, possibly forever.
 */
static enum driver_status fail_execution(struct driver_conn *conn, struct mysql_statement *m)
{
    fail(conn, m);
    if (conn->error.code >= CR_MIN_ERROR && conn->error.code <= CR_MAX_ERROR)
        mysql_stmt_reset(m->stmt);
    return DRIVER_ERROR;
}

enum driver_status mysql_execute_statement(struct driver_stmt *stmt,
                                           struct sql_param *const *params, unsigned count)
{
    struct driver_conn *conn = stmt->conn;
    struct mysql_connection *c = conn->handle;
    struct mysql_statement *m = stmt->handle;

    if (UNLIKELY(c == NULL))
        return mysql_dry_answer(conn, m->kind);
    if ((UNLIKELY(conn->more_results) && mysql_drain(conn) == DRIVER_ERROR) ||
        (UNLIKELY(stmt->rebound) && bind_all(stmt, params, count) == DRIVER_ERROR))
        return DRIVER_ERROR;
    c->last = m;
    c->reader = &reader;
    m->has_rows = false;
    if (mysql_stmt_execute(m->stmt) != 0)
        return fail_execution(conn, m);
    return find_rows(conn, m, store(conn, m));
}

static enum driver_status next_result(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    struct mysql_statement *m = c->last;

    return find_rows(conn, m, receive_next(conn, m));
}

/* Reading rows: all columns are read as text. */

static void make_columns(struct mysql_statement *m, unsigned count)
{
    if (count <= m->column_room)
        return;
    m->columns = xrealloc(m->columns, count * sizeof(m->columns[0]));
    m->out = xrealloc(m->out, count * sizeof(m->out[0]));
    for (unsigned i = m->column_room; i < count; i++)
        m->columns[i] = (struct column){.room = COLUMN_BYTES, .data = xcalloc(1, COLUMN_BYTES)};
    m->column_room = count;
}

static void bind_columns(struct mysql_statement *m, unsigned count)
{
    make_columns(m, count);
    for (unsigned i = 0; i < count; i++) {
        struct column *column = &m->columns[i];
        m->out[i] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_STRING,
                                 .buffer = column->data,
                                 .buffer_length = column->room,
                                 .length = &column->length,
                                 .is_null = &column->null};
    }
    m->columns_bound = mysql_stmt_bind_result(m->stmt, m->out) == 0;
}

/* Enlarges the buffer for a value that was truncated, and reads the value again. */
static void read_whole(struct mysql_statement *m, unsigned i)
{
    struct column *column = &m->columns[i];

    column->data = xrealloc(column->data, column->length);
    column->room = column->length;
    m->out[i].buffer = column->data;
    m->out[i].buffer_length = column->room;
    mysql_stmt_fetch_column(m->stmt, &m->out[i], i, 0);
    m->columns_bound = false; /* the library still knows the old address */
}

static const struct rowset_field *fetch(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    struct mysql_statement *m = c->last;
    const unsigned count = conn->rows.nfields;

    if (!m->columns_bound)
        bind_columns(m, count);
    if (!client_row_holds(m->stmt)) {
        log_text(LOG_WARNING, "mysql driver: a row from the server is shorter than its values: "
                              "this row and those after it are ignored");
        return NULL;
    }
    int code = mysql_stmt_fetch(m->stmt);
    if (code != 0 && code != MYSQL_DATA_TRUNCATED)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        struct column *column = &m->columns[i];
        if (!column->null && column->length > column->room)
            read_whole(m, i);
        conn->rows.row[i] = (struct rowset_field){column->null ? NULL : column->data,
                                                  column->null ? 0 : column->length};
    }
    return conn->rows.row;
}

/* Keeps small result sets until the next execution, because freeing them at once costs more time
 * than the memory is worth. */
static void forget(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c->open && conn->rows.nrows > KEPT_ROWS)
        mysql_stmt_free_result(c->last->stmt);
    c->open = false;
}

void mysql_close_prepared(struct driver_stmt *stmt)
{
    struct mysql_connection *c = stmt->conn->handle;
    struct mysql_statement *m = stmt->handle;

    if (c != NULL && c->last == m) {
        if (!stmt->conn->closing)
            mysql_drain(stmt->conn);
        mysql_read_text(c);
    }
    if (m->stmt != NULL)
        client_close_statement(m->stmt);
    for (unsigned i = 0; i < m->column_room; i++)
        free(m->columns[i].data);
    free(m->columns);
    free(m->out);
    free(m->in);
    free(m);
    stmt->handle = NULL;
}
