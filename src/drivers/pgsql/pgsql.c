/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL: text statements and results; pgsql_connect.c has connections, pgsql_stmt.c prepared
 * statements. A result set stays where the client library has stored it and is read from there, row
 * by row, if the script asks for rows.
 */
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/server.h"

/* What libpq has no SQLSTATE for: it has lost the server. */
#define STATE_LOST "08006"

static bool is_ignored(const struct pgsql_shared *s, const char *state, bool lost)
{
    if (s->ignore_all || (s->ignore_lost && lost))
        return true;
    for (unsigned i = 0; s->ignored != NULL && s->ignored[i] != NULL; i++)
        if (strcmp(s->ignored[i], state) == 0)
            return true;
    return false;
}

void pgsql_one_line(char *to, size_t bytes, const char *text)
{
    size_t used = 0;

    for (; *text != '\0' && used + 1 < bytes; text++) {
        bool blank = strchr("\n\t ", *text) != NULL;
        if (!blank || (used > 0 && to[used - 1] != ' '))
            to[used++] = *text == '\n' || *text == '\t' ? ' ' : *text;
    }
    while (used > 0 && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

enum driver_status pgsql_fail_with(struct driver_conn *conn, const char *state, const char *text,
                                   bool lost)
{
    char message[sizeof(conn->error.message)];

    pgsql_one_line(message, sizeof(message), text);
    driver_fail(conn, 0, state, is_ignored(conn->shared, state, lost), "%s", message);
    conn->error.connection_lost = lost;
    return DRIVER_ERROR;
}

enum driver_status pgsql_fail(struct driver_conn *conn, const PGresult *result)
{
    struct pgsql_connection *c = conn->handle;
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool lost = PQstatus(c->pg) == CONNECTION_BAD || (state != NULL && pgsql_is_lost(state));

    if (state == NULL)
        state = lost ? STATE_LOST : "";
    return pgsql_fail_with(conn, state, text != NULL ? text : PQerrorMessage(c->pg), lost);
}

/* The driver's life. */

static const char *library(void)
{
    static char name[32];
    int version = PQlibVersion();

    snprintf(name, sizeof(name), "libpq %d.%d", version / 10000, version % 10000);
    return name;
}

static int init(const struct options *options, void **shared)
{
    struct pgsql_shared *s = xcalloc(1, sizeof(*s));

    *shared = s;
    if (!PQisthreadsafe())
        log_text(LOG_FATAL, "the PostgreSQL client library was built without support for threads");
    else if (pgsql_shared_init(s, options) == 0)
        return 0;
    pgsql_shared_fini(s);
    free(s);
    return -1;
}

static void fini(void *shared)
{
    pgsql_shared_fini(shared);
    free(shared);
}

static unsigned servers(const void *shared)
{
    const struct pgsql_shared *s = shared;

    return server_count(s->hosts, s->ports);
}

static void server_name(const void *shared, unsigned server, char *name, size_t bytes)
{
    const struct pgsql_shared *s = shared;

    server_write_name(s->hosts, s->ports, server, name, bytes);
}

/* Results. */

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

/* What COPY would wait for is not there. */
static void end_copy(struct pgsql_connection *c, ExecStatusType status)
{
    char *line;

    if (status == PGRES_COPY_IN)
        PQputCopyEnd(c->pg, "COPY from the client is not possible in a query");
    while (status == PGRES_COPY_OUT && PQgetCopyData(c->pg, &line, 0) > 0)
        PQfreemem(line);
}

enum driver_status pgsql_take(struct driver_conn *conn, PGresult *result)
{
    struct pgsql_connection *c = conn->handle;
    ExecStatusType kind = PQresultStatus(result);
    enum driver_status status = DRIVER_OK;

    switch (kind) {
    case PGRES_TUPLES_OK:
        conn->rows_matched = conn->rows_changed = strtoull(PQcmdTuples(result), NULL, 10);
        keep(c, result);
        return DRIVER_ROWS;
    case PGRES_SINGLE_TUPLE:
        conn->counted++;
        break;
    case PGRES_COMMAND_OK:
        conn->rows_matched = conn->rows_changed = strtoull(PQcmdTuples(result), NULL, 10);
        break;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
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

/* The first error counts: it has undone what came before it. */
enum driver_status pgsql_collect(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    enum driver_status status = DRIVER_OK;
    PGresult *result;

    while ((result = PQgetResult(c->pg)) != NULL) {
        if (status == DRIVER_ERROR)
            PQclear(result);
        else
            status = pgsql_take(conn, result);
    }
    if (status == DRIVER_ERROR)
        pgsql_forget(conn);
    return status == DRIVER_ERROR ? status : pgsql_open_first(conn);
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

static enum driver_status next_result(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;

    return conn->more_results ? open_result(conn, c->current + 1) : DRIVER_OK;
}

static const struct rowset_field *fetch(struct driver_conn *conn)
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

/* For connections that watch: until the whole answer is here. */
static enum driver_status wait_for_answer(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    const int64_t deadline_ns = clock_now_ns() + conn->answer_timeout_s * NS_PER_SEC;

    while (PQisBusy(c->pg)) {
        struct pollfd answer = {.fd = PQsocket(c->pg), .events = POLLIN};
        int64_t left_ms = (deadline_ns - clock_now_ns()) / NS_PER_MS;
        if (left_ms <= 0)
            return pgsql_fail_with(conn, STATE_LOST, "no answer", true);
        if (poll(&answer, 1, (int)left_ms) > 0 && !PQconsumeInput(c->pg))
            return pgsql_fail(conn, NULL);
    }
    return DRIVER_OK;
}

static enum driver_status query(struct driver_conn *conn, const char *text, size_t length)
{
    struct pgsql_connection *c = conn->handle;

    (void)length;
    pgsql_forget(conn);
    if (!PQsendQuery(c->pg, text))
        return pgsql_fail(conn, NULL);
    if (conn->count_only)
        PQsetSingleRowMode(c->pg);
    if (conn->answer_timeout_s > 0 && wait_for_answer(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return pgsql_collect(conn);
}

static void cancel(struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    PGcancel *handle = PQgetCancel(c->pg);
    char ignored[256];

    if (handle != NULL)
        PQcancel(handle, ignored, sizeof(ignored));
    PQfreeCancel(handle);
}

static void recover(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;

    pgsql_forget(conn);
    if (PQtransactionStatus(c->pg) != PQTRANS_IDLE)
        PQclear(PQexec(c->pg, "ROLLBACK"));
}

static size_t escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    struct pgsql_connection *c = conn->handle;

    return PQescapeStringConn(c->pg, to, text, length, NULL);
}

const struct driver_ops pgsql_driver = {
    .name = "pgsql",
    .description = "PostgreSQL driver",
    .options = pgsql_option_rows,
    .options_count = PGSQL_OPTIONS,
    .max_statement_bytes = 256 * 1024 * 1024,
    .supports_prepare = true,
    .library = library,
    .setup = pgsql_setup,
    .init = init,
    .fini = fini,
    .servers = servers,
    .server_name = server_name,
    .connect = pgsql_connect,
    .disconnect = pgsql_disconnect,
    .query = query,
    .next_result = next_result,
    .fetch = fetch,
    .prepare = pgsql_prepare_statement,
    .execute = pgsql_execute_statement,
    .close_statement = pgsql_close_statement,
    .cancel = cancel,
    .recover = recover,
    .escape = escape,
    .load = pgsql_load,
    .ask_limits = pgsql_ask_limits,
    .watch = &pgsql_watch,
};
