/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepared statements and their parameters. */
#include <inttypes.h>
#include <math.h>

#include "sql/pool/pool.h"
#include "sql/sql_internal.h"
#include "sql/sql_plans.h"

/* Enough for any 64-bit integer, or a double with 17 digits, sign, point and exponent. */
#define NUMBER_BYTES 32

/* A parameter with its reference count. */
struct counted_param {
    sql_param param; /* must be first: every sql_param * points to a struct counted_param */
    unsigned refs;
};

static void param_unref(sql_param *param)
{
    struct counted_param *counted = (struct counted_param *)param;

    if (--counted->refs > 0)
        return;
    free(param->text);
    free(counted);
}

sql_param *sql_param_create(int type, uint32_t max_length)
{
    if (type <= SQL_TYPE_NONE || type > SQL_TYPE_VARCHAR)
        return NULL;
    struct counted_param *counted = xcalloc(1, sizeof(*counted));
    sql_param *param = &counted->param;

    counted->refs = 1;
    param->type = (enum sql_type)type;
    param->null = true;
    if (sql_type_is_integer(param->type) || sql_type_is_number(param->type))
        return param;
    param->max_length = max_length;
    param->text = xcalloc(1, (size_t)max_length + 1);
    return param;
}

void sql_param_free(sql_param *param)
{
    if (param != NULL)
        param_unref(param);
}

void sql_param_null(sql_param *param)
{
    param->null = true;
}

void sql_param_int(sql_param *param, int64_t value)
{
    param->null = false;
    param->integer = value;
}

void sql_param_double(sql_param *param, double value)
{
    param->null = false;
    param->number = value;
}

char *sql_param_buffer(sql_param *param)
{
    return param->text;
}

bool sql_param_length(sql_param *param, size_t length)
{
    if (length > param->max_length)
        return false;
    param->null = false;
    param->length = length;
    return true;
}

bool sql_param_text(sql_param *param, const char *text, size_t length)
{
    if (!sql_param_length(param, length))
        return false;
    memcpy(param->text, text, length);
    return true;
}

static enum driver_status prepare(sql_statement *stmt)
{
    enum driver_status status = stmt->con->conn.ops->prepare(&stmt->stmt, stmt->text, stmt->length);

    stmt->prepared = status == DRIVER_OK;
    stmt->emulate = status == DRIVER_UNSUPPORTED;
    stmt->stmt.rebound = true;
    if (stmt->con->borrowed != NULL && stmt->prepared)
        pool_keep_statement(stmt);
    return status;
}

static void find_parameters(sql_statement *stmt)
{
    const struct driver_language *language = stmt->con->conn.ops->language;
    bool backslash = stmt->con->conn.ops->backslash_escapes;

    stmt->parameters = language->parameters(stmt->text, stmt->length, backslash, NULL, 0);
    stmt->offsets = xcalloc(stmt->parameters + 1, sizeof(stmt->offsets[0]));
    language->parameters(stmt->text, stmt->length, backslash, stmt->offsets, stmt->parameters);
}

sql_statement *sql_prepare(sql_connection *con, const char *text, size_t length)
{
    if ((con->pool == NULL || con->disconnected) && sql_require_open(con, text, length) < 0)
        return NULL;
    sql_statement *stmt = xcalloc(1, sizeof(*stmt));

    stmt->stmt.conn = &con->conn;
    stmt->con = con;
    con->refs++;
    stmt->text = xcalloc(1, length + 1);
    memcpy(stmt->text, text, length);
    stmt->length = length;
    stmt->kind = con->conn.ops->language->kind(text, length);
    find_parameters(stmt);
    stmt->emulate = con->driver->emulate;
    CK_LIST_INSERT_HEAD(&con->statements, stmt, link);
    return stmt;
}

uint32_t sql_parameters(const sql_statement *stmt)
{
    return stmt->parameters;
}

static void unbind(sql_statement *stmt)
{
    for (unsigned i = 0; stmt->params != NULL && i < stmt->parameters; i++)
        param_unref(stmt->params[i]);
    free(stmt->params);
    stmt->params = NULL;
}

int sql_bind(sql_statement *stmt, sql_param *const *params, uint32_t count)
{
    if (count > stmt->parameters && stmt->emulate)
        count = stmt->parameters; /* as in sysbench: surplus parameters are ignored */
    if (count > stmt->parameters)
        return sql_reject(stmt->con, stmt->text, stmt->length, "wrong number of parameters");
    sql_param **bound = xcalloc(stmt->parameters + 1, sizeof(bound[0]));

    for (uint32_t i = 0; i < count; i++) {
        bound[i] = params[i];
        ((struct counted_param *)bound[i])->refs++;
    }
    for (uint32_t i = count; i < stmt->parameters; i++)
        bound[i] = sql_param_create(SQL_TYPE_VARCHAR, 0); /* NULL of any type */
    unbind(stmt); /* last, because the same parameters may be bound again */
    stmt->params = bound;
    stmt->stmt.rebound = true;
    return 0;
}

static void write_double(char *to, double value)
{
    if (isinf(value)) {
        strcpy(to, value > 0 ? "9e999" : "-9e999");
        return;
    }
    snprintf(to, NUMBER_BYTES, "%.17g", value);
    /* Without a point or an exponent, the server would read an integer. */
    if (strpbrk(to, ".e") == NULL)
        strcat(to, ".0");
}

static void add_number(struct sql_buffer *to, const sql_param *param)
{
    char number[NUMBER_BYTES];

    if (sql_type_is_number(param->type))
        write_double(number, param->number);
    else
        snprintf(number, sizeof(number), "%" PRId64, param->integer);
    /* Without the space, "k-?" would become "k--1", in which "--" starts a comment. */
    if (number[0] == '-')
        sql_buffer_add(to, " ", 1);
    sql_buffer_add(to, number, strlen(number));
}

static void add_literal(struct sql_buffer *to, struct driver_conn *conn, const sql_param *param)
{
    if (param->null || (sql_type_is_number(param->type) && isnan(param->number)))
        sql_buffer_add(to, conn->ops->language->null, strlen(conn->ops->language->null));
    else if (param->text != NULL)
        sql_add_literal(conn, to, param->text, param->length);
    else
        add_number(to, param);
}

/* Writes the statement's text with literals instead of parameters to `expanded`. */
static void expand(sql_statement *stmt)
{
    struct sql_buffer *to = &stmt->expanded;
    size_t done = 0;

    to->used = 0;
    for (unsigned i = 0; i < stmt->parameters; i++) {
        sql_buffer_add(to, stmt->text + done, stmt->offsets[i] - done);
        add_literal(to, &stmt->con->conn, stmt->params[i]);
        done = stmt->offsets[i] + 1;
    }
    sql_buffer_add(to, stmt->text + done, stmt->length - done);
    sql_buffer_terminate(to);
}

/* With --explain: keeps the first execution of each class as an example, with the values of its
 * parameters. */
static void note_plan(sql_statement *stmt)
{
    sql_connection *con = stmt->con;
    if (con->stats == NULL || !con->open || sql_plans_has(con->driver->plans, stmt->class_id - 1))
        return;
    expand(stmt);
    sql_class_note_plan(con, stmt->class_id, stmt->expanded.data, stmt->expanded.used);
}

static int execute_as_text(sql_statement *stmt)
{
    if (sql_require_open(stmt->con, stmt->text, stmt->length) < 0)
        return -1;
    if (UNLIKELY(stmt->con->driver->plans != NULL))
        note_plan(stmt);
    expand(stmt);
    return sql_run_text(stmt->con, stmt->kind, stmt->expanded.data, stmt->expanded.used);
}

static int execute_prepared(sql_statement *stmt)
{
    sql_connection *con = stmt->con;
    enum driver_status status = DRIVER_OK;

    if (sql_begin_statement(con, stmt->text, stmt->length) < 0)
        return -1;
    if (UNLIKELY(con->pool != NULL) && !pool_find_statement(stmt))
        return execute_as_text(stmt);
    if (UNLIKELY(con->driver->plans != NULL))
        note_plan(stmt);
    if (UNLIKELY(!stmt->prepared))
        status = prepare(stmt);
    if (UNLIKELY(status == DRIVER_UNSUPPORTED))
        return execute_as_text(stmt);
    if (LIKELY(status == DRIVER_OK))
        status = con->conn.ops->execute(&stmt->stmt, stmt->params, stmt->parameters);
    return sql_end_statement(con, status, stmt->kind, stmt->text, stmt->length);
}

int sql_execute(sql_statement *stmt)
{
    if (UNLIKELY(stmt->closed))
        return sql_reject(stmt->con, stmt->text, stmt->length, "the statement is closed");
    if (UNLIKELY(stmt->params == NULL && stmt->parameters > 0))
        sql_bind(stmt, NULL, 0);
    if (UNLIKELY(stmt->con->driver->by_class))
        sql_class_of_statement(stmt);
    return stmt->emulate ? execute_as_text(stmt) : execute_prepared(stmt);
}

void sql_close(sql_statement *stmt)
{
    sql_statement_release(stmt);
    stmt->closed = true;
}

void sql_statement_free(sql_statement *stmt)
{
    if (stmt == NULL)
        return;
    sql_statement_release(stmt);
    CK_LIST_REMOVE(stmt, link);
    unbind(stmt);
    sql_buffer_fini(&stmt->expanded);
    free(stmt->offsets);
    free(stmt->text);
    sql_connection_unref(stmt->con);
    free(stmt);
}
