/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text statements of the PostgreSQL driver, and results of all statements. A result set stays in
 * the memory of libpq and is read there row by row if the script fetches rows.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/sql_text.h"

void pgsql_forget(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;

    for (unsigned i = 0; i < c->count; i++)
        PQclear(c->results[i]);
    c->count = 0;
    conn->more_results = false;
}

static void keep(struct pgsql_connection *c, PGresult *result)
{
    if (UNLIKELY(c->count == c->room)) {
        c->room = c->room * 2 + 1;
        c->results = xrealloc(c->results, c->room * sizeof(PGresult *));
    }
    c->results[c->count++] = result;
}

/* Ends a COPY that a script has started: it has no data to send, and discards received data. */
static void end_copy(struct pgsql_connection *c, ExecStatusType status)
{
    char *line;

    if (status == PGRES_COPY_IN || status == PGRES_COPY_BOTH)
        PQputCopyEnd(c->pg, "COPY from the client is not possible in a query");
    while ((status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) &&
           PQgetCopyData(c->pg, &line, 0) > 0)
        PQfreemem(line);
}

/* Returned rows count as changed only if the statement is a write with RETURNING. */
static void take_count(struct driver_conn *conn, PGresult *result)
{
    const char *tag = PQcmdStatus(result);
    const bool gave_rows = PQresultStatus(result) == PGRES_TUPLES_OK;
    const uint64_t before = conn->changed;

    driver_changed(conn, strtoull(PQcmdTuples(result), NULL, 10));
    if (gave_rows && sql_text_kind(tag, strlen(tag)) != SQL_TEXT_WRITE)
        conn->changed = before;
}

enum driver_status pgsql_take(struct driver_conn *conn, PGresult *result)
{
    struct pgsql_connection *c = conn->handle;
    ExecStatusType kind = PQresultStatus(result);
    enum driver_status status = DRIVER_OK;

    switch (kind) {
    case PGRES_TUPLES_OK:
        take_count(conn, result);
        keep(c, result);
        return DRIVER_ROWS;
    case PGRES_SINGLE_TUPLE:
        conn->counted++;
        break;
    case PGRES_COMMAND_OK:
        take_count(conn, result);
        break;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
        end_copy(c, kind);
        break;
    case PGRES_EMPTY_QUERY:
        break;
    default:
        status = pgsql_fail(conn, result);
    }
    PQclear(result);
    return status;
}

/* Frees a result and receives and frees all results after it. */
static void drop(struct pgsql_connection *c, PGresult *result)
{
    for (; result != NULL; result = PQgetResult(c->pg)) {
        end_copy(c, PQresultStatus(result));
        PQclear(result);
    }
}

/* The first error counts, because it has rolled back the statements before it. */
enum driver_status pgsql_collect(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    enum driver_status status = DRIVER_OK;
    PGresult *result;

    while (status != DRIVER_ERROR && (result = PQgetResult(c->pg)) != NULL)
        status = pgsql_take(conn, result);
    if (status != DRIVER_ERROR)
        return pgsql_open_first(conn);
    drop(c, PQgetResult(c->pg));
    pgsql_forget(conn);
    return DRIVER_ERROR;
}

static enum driver_status open_result(struct driver_conn *conn, unsigned i)
{
    struct pgsql_connection *c = conn->handle;

    c->current = i;
    c->row = 0;
    conn->more_results = i + 1 < c->count;
    rowset_start(&conn->rows, (uint32_t)PQnfields(c->results[i]));
    conn->rows.nrows = (uint64_t)PQntuples(c->results[i]);
    return DRIVER_ROWS;
}

enum driver_status pgsql_open_first(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;

    return c->count > 0 ? open_result(conn, 0) : DRIVER_OK;
}

enum driver_status pgsql_next_result(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;

    return conn->more_results ? open_result(conn, c->current + 1) : DRIVER_OK;
}

const struct rowset_field *pgsql_fetch(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    const PGresult *result = c->results[c->current];

    if (c->row >= PQntuples(result))
        return NULL;
    for (int i = 0; i < (int)conn->rows.nfields; i++) {
        bool null = PQgetisnull(result, c->row, i);
        conn->rows.row[i] = (struct rowset_field){
            null ? NULL : PQgetvalue(result, c->row, i),
            (size_t)PQgetlength(result, c->row, i),
        };
    }
    c->row++;
    return conn->rows.row;
}

/* Shuts the socket down, so that a late answer is never read and later requests fail at once. */
static enum driver_status fail_silent(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    char text[64];

    shutdown(PQsocket(c->pg), SHUT_RDWR);
    while (PQconsumeInput(c->pg))
        continue;
    snprintf(text, sizeof(text), "no answer within %u s", conn->answer_timeout_s);
    return pgsql_fail_with(conn, PGSQL_STATE_LOST, text, true);
}

enum driver_status pgsql_await(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    const int64_t deadline_ns = clock_now_ns() + conn->answer_timeout_s * NS_PER_SEC;

    while (conn->answer_timeout_s > 0 && PQisBusy(c->pg)) {
        struct pollfd answer = {.fd = PQsocket(c->pg), .events = POLLIN};
        int64_t left_ms = (deadline_ns - clock_now_ns()) / NS_PER_MS;
        if (left_ms <= 0)
            return fail_silent(conn);
        if (poll(&answer, 1, (int)left_ms) > 0 && !PQconsumeInput(c->pg))
            return pgsql_fail(conn, NULL);
    }
    return DRIVER_OK;
}

enum driver_status pgsql_answer(struct driver_conn *conn, int sent, ExecStatusType wanted)
{
    struct pgsql_connection *c = conn->handle;

    if (!sent)
        return pgsql_fail(conn, NULL);
    if (pgsql_await(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    PGresult *result = PQgetResult(c->pg);
    if (PQresultStatus(result) != wanted) {
        pgsql_fail(conn, result);
        drop(c, result);
        return DRIVER_ERROR;
    }
    PQclear(result);
    /* After PGRES_COPY_IN the COPY is still running. */
    if (wanted != PGRES_COPY_IN)
        drop(c, PQgetResult(c->pg));
    return DRIVER_OK;
}

enum driver_status pgsql_query(struct driver_conn *conn, const char *text, size_t length)
{
    struct pgsql_connection *c = conn->handle;

    (void)length;
    pgsql_forget(conn);
    if (!PQsendQuery(c->pg, text))
        return pgsql_fail(conn, NULL);
    if (conn->count_only)
        PQsetSingleRowMode(c->pg);
    if (pgsql_await(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return pgsql_collect(conn);
}
