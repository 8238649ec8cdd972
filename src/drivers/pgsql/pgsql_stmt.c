/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepared statements of the PostgreSQL driver, which use the extended protocol. A statement is
 * prepared on the server when it is first executed, because only then the types of its parameters
 * are known. Numbers are sent with a type, texts without one, so that the server derives their type
 * from the context, as for literals. Executing a statement allocates no memory.
 */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/sql_text.h"

/* Object identifiers of types; they are the same in every server. */
#define TYPE_UNKNOWN ((Oid)0)
#define TYPE_INT8 ((Oid)20)
#define TYPE_INT4 ((Oid)23)
#define TYPE_FLOAT4 ((Oid)700)
#define TYPE_FLOAT8 ((Oid)701)

/* Enough for a double with 17 digits, sign, point and exponent, or any 64-bit integer. */
#define NUMBER_BYTES 32

struct pgsql_statement {
    char name[UNIQUE_BYTES + 24];
    char *text; /* with $1, $2 … */
    unsigned parameters;
    bool prepared;
    Oid *types;          /* parameter types at the time it was prepared */
    const char **values; /* NUL-terminated parameter values for libpq; NULL for SQL NULL */
    char (*numbers)[NUMBER_BYTES];
};

/* Returns a copy of `text` in which the '?' at the offsets are replaced by $1, $2, ... */
static char *number_parameters(const char *text, size_t length, const size_t *offsets,
                               unsigned count)
{
    char *numbered = xcalloc(1, length + (size_t)count * 10 + 1);
    char *to = numbered;
    size_t done = 0;

    for (unsigned i = 0; i < count; i++) {
        to = mempcpy(to, text + done, offsets[i] - done);
        to += sprintf(to, "$%u", i + 1);
        done = offsets[i] + 1;
    }
    memcpy(to, text + done, length - done);
    return numbered;
}

enum driver_status pgsql_prepare_statement(struct driver_stmt *stmt, const char *text,
                                           size_t length)
{
    struct pgsql_statement *p = xcalloc(1, sizeof(*p));
    unsigned count = sql_text_parameters(text, length, false, NULL, 0);
    size_t *offsets = xcalloc(count + 1, sizeof(offsets[0]));

    sql_text_parameters(text, length, false, offsets, count);
    p->text = number_parameters(text, length, offsets, count);
    free(offsets);
    p->parameters = count;
    p->types = xcalloc(count + 1, sizeof(p->types[0]));
    p->values = xcalloc(count + 1, sizeof(p->values[0]));
    p->numbers = xcalloc(count + 1, sizeof(p->numbers[0]));
    stmt->handle = p;
    return DRIVER_OK;
}

static Oid type_of(enum sql_type type)
{
    switch (type) {
    case SQL_TYPE_TINYINT:
    case SQL_TYPE_SMALLINT:
    case SQL_TYPE_INT:
        return TYPE_INT4;
    case SQL_TYPE_BIGINT:
        return TYPE_INT8;
    case SQL_TYPE_FLOAT:
        return TYPE_FLOAT4;
    case SQL_TYPE_DOUBLE:
        return TYPE_FLOAT8;
    default:
        return TYPE_UNKNOWN;
    }
}

/* Closes the statement on the server. Ignores a refusal by the server; returns DRIVER_ERROR only if
 * the connection is lost. */
static enum driver_status deallocate(struct driver_stmt *stmt)
{
    struct driver_conn *conn = stmt->conn;
    struct pgsql_connection *c = conn->handle;
    struct pgsql_statement *p = stmt->handle;
    const struct sql_failure before = conn->error;
    char text[sizeof(p->name) + 16];

    if (!p->prepared || conn->closing || PQstatus(c->pg) != CONNECTION_OK)
        return DRIVER_OK;
    p->prepared = false;
    snprintf(text, sizeof(text), "DEALLOCATE %s", p->name);
    if (pgsql_answer(conn, PQsendQuery(c->pg, text), PGRES_COMMAND_OK) == DRIVER_OK)
        return DRIVER_OK;
    if (conn->error.connection_lost)
        return DRIVER_ERROR;
    conn->error = before;
    return DRIVER_OK;
}

/* Prepares the statement on the server for the types of these parameters. */
static enum driver_status prepare(struct driver_stmt *stmt, struct sql_param *const *params)
{
    struct pgsql_connection *c = stmt->conn->handle;
    struct pgsql_statement *p = stmt->handle;

    if (deallocate(stmt) == DRIVER_ERROR)
        return DRIVER_ERROR;
    /* Always a new name, because DEALLOCATE fails in an aborted transaction. */
    snprintf(p->name, sizeof(p->name), "s%s_%" PRIu64, c->names, ++c->statements);
    for (unsigned i = 0; i < p->parameters; i++)
        p->types[i] = type_of(params[i]->type);
    int sent = PQsendPrepare(c->pg, p->name, p->text, (int)p->parameters, p->types);
    enum driver_status status = pgsql_answer(stmt->conn, sent, PGRES_COMMAND_OK);
    p->prepared = status == DRIVER_OK;
    return status;
}

static bool same_types(const struct pgsql_statement *p, struct sql_param *const *params)
{
    for (unsigned i = 0; i < p->parameters; i++)
        if (p->types[i] != type_of(params[i]->type))
            return false;
    return true;
}

/* Writes an integer, faster than printf(). Returns its start in `buf`. */
static const char *write_integer(char buf[NUMBER_BYTES], int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char *p = buf + NUMBER_BYTES - 1;

    *p = '\0';
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--p = '-';
    return p;
}

static void set_value(struct pgsql_statement *p, unsigned i, const struct sql_param *param)
{
    if (param->null) {
        p->values[i] = NULL;
    } else if (sql_type_is_integer(param->type)) {
        p->values[i] = write_integer(p->numbers[i], param->integer);
    } else if (sql_type_is_number(param->type)) {
        snprintf(p->numbers[i], NUMBER_BYTES, "%.17g", param->number);
        p->values[i] = p->numbers[i];
    } else {
        /* The buffer has max_length + 1 bytes. */
        param->text[param->length] = '\0';
        p->values[i] = param->text;
    }
}

/* Executes the statement with an answer timeout. */
static enum driver_status execute_with_timeout(struct driver_conn *conn,
                                               const struct pgsql_statement *p, unsigned count)
{
    struct pgsql_connection *c = conn->handle;

    if (!PQsendQueryPrepared(c->pg, p->name, (int)count, p->values, NULL, NULL, 0))
        return pgsql_fail(conn, NULL);
    if (pgsql_await(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return pgsql_collect(conn);
}

enum driver_status pgsql_execute_statement(struct driver_stmt *stmt,
                                           struct sql_param *const *params, unsigned count)
{
    struct driver_conn *conn = stmt->conn;
    struct pgsql_connection *c = conn->handle;
    struct pgsql_statement *p = stmt->handle;

    pgsql_forget(conn);
    if (UNLIKELY(!p->prepared || (stmt->rebound && !same_types(p, params))) &&
        prepare(stmt, params) == DRIVER_ERROR)
        return DRIVER_ERROR;
    stmt->rebound = false;
    for (unsigned i = 0; i < count; i++)
        set_value(p, i, params[i]);
    if (UNLIKELY(conn->answer_timeout_s > 0))
        return execute_with_timeout(conn, p, count);
    PGresult *result = PQexecPrepared(c->pg, p->name, (int)count, p->values, NULL, NULL, 0);
    if (pgsql_take(conn, result) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return pgsql_open_first(conn);
}

void pgsql_close_statement(struct driver_stmt *stmt)
{
    struct pgsql_statement *p = stmt->handle;

    deallocate(stmt);
    free(p->text);
    free(p->types);
    free(p->values);
    free(p->numbers);
    free(p);
    stmt->handle = NULL;
}
