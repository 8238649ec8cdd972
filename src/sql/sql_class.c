/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records statements by class (with --report-sql), steps of slow requests (with --slowest) and
 * errors by code (always). */
#include <string.h>

#include "base/clock.h"
#include "sql/sql_internal.h"
#include "sql/sql_plans.h"
#include "stats/slow/exemplars.h"

/* The class of the times to reconnect, which scripts request as part of their events. */
#define CONNECT_CLASS "connect"

/* True if classes and times are reported (--report-sql). */
static bool is_reported(const sql_connection *con)
{
    return con->driver->reports_classes && con->stats != NULL;
}

/* True if statements have classes, for the report or for the steps of slow requests. */
static bool has_classes(const sql_connection *con)
{
    return con->driver->by_class && con->stats != NULL;
}

static unsigned class_of(sql_connection *con, const char *name, size_t length)
{
    struct operations_thread *operations = &con->stats->operations;
    return (is_reported(con) ? operations_class(operations, name, length)
                             : operations_hidden_class(operations, name, length)) +
           1;
}

static unsigned find_class(sql_connection *con, const char *text, size_t length)
{
    char name[OPERATION_NAME_BYTES];
    size_t used = con->conn.ops->language->class_name(text, length, name, sizeof(name));
    return class_of(con, name, used);
}

void sql_statement_class(sql_statement *stmt, const char *name)
{
    if (has_classes(stmt->con))
        stmt->class_id = class_of(stmt->con, name, strlen(name));
}

void sql_query_class(sql_connection *con, const char *name)
{
    if (has_classes(con))
        con->class_id = class_of(con, name, strlen(name));
}

void sql_class_of_statement(sql_statement *stmt)
{
    if (stmt->class_id == 0 && has_classes(stmt->con))
        stmt->class_id = find_class(stmt->con, stmt->text, stmt->length);
    stmt->con->class_id = stmt->class_id;
}

void sql_class_reconnected(sql_connection *con)
{
    if (!is_reported(con) || !stats_measures(con->stats))
        return;
    const unsigned class =
        operations_class(&con->stats->operations, CONNECT_CLASS, strlen(CONNECT_CLASS));
    operations_record(&con->stats->operations, class, clock_now_ns() - con->began_ns, 0, 0);
}

void sql_class_note_plan(sql_connection *con, unsigned class_id, const char *text, size_t length)
{
    const unsigned class = class_id - 1;
    if (!sql_plans_has(con->driver->plans, class))
        sql_plans_note(con->driver->plans, class,
                       operations_class_name(con->stats->operations.shared, class), text, length);
}

/* Steps of slow requests (--slowest). */

static bool has_steps(const sql_connection *con)
{
    return con->stats != NULL && con->stats->exemplars != NULL;
}

static void begin_step(sql_connection *con, unsigned class_id)
{
    exemplars_begin_step(con->stats->exemplars, con->stats->number, class_id - 1,
                         con->part != NULL ? con->target : EXEMPLAR_NO_TARGET, con->began_ns);
}

static void end_step(sql_connection *con, int64_t now_ns, uint64_t rows, bool failed)
{
    const struct sql_failure *error = &con->conn.error;
    exemplars_end_step(con->stats->exemplars, con->stats->number, now_ns, rows,
                       failed ? error->code : 0, failed ? error->state : NULL);
}

void sql_class_begin(sql_connection *con, const char *text, size_t length)
{
    if (!has_steps(con)) {
        con->began_ns = clock_now_ns();
        return;
    }
    if (con->class_id == 0)
        con->class_id = find_class(con, text, length);
    con->began_ns = clock_now_ns();
    begin_step(con, con->class_id);
}

void sql_class_begin_connect(sql_connection *con)
{
    con->began_ns = clock_now_ns();
    if (has_steps(con))
        begin_step(con, class_of(con, CONNECT_CLASS, strlen(CONNECT_CLASS)));
}

void sql_class_end_connect(sql_connection *con)
{
    if (has_steps(con))
        end_step(con, clock_now_ns(), 0, !con->open);
}

static void record_success(sql_connection *con, int64_t ns, uint64_t rows, bool write)
{
    operations_record(&con->stats->operations, con->class_id - 1, ns, rows,
                      write ? con->conn.rows_changed : 0);
}

static void record_failure(sql_connection *con)
{
    const struct sql_failure *error = &con->conn.error;
    unsigned class = con->class_id > 0 && is_reported(con) ? con->class_id - 1 : OPERATION_NO_CLASS;
    con->error_id = operations_error(&con->stats->operations, class, error->code, error->state,
                                     error->message) +
                    1;
}

void sql_class_failed(sql_connection *con)
{
    con->error_id = 0;
    if (con->stats != NULL && stats_measures(con->stats))
        record_failure(con);
    con->class_id = 0;
}

static void record(sql_connection *con, enum driver_status status, enum sql_text_kind kind)
{
    const struct driver_conn *conn = &con->conn;
    const bool write = kind == SQL_TEXT_WRITE, failed = status == DRIVER_ERROR;
    const uint64_t rows = failed ? 0 : write ? conn->rows_matched : conn->rows.nrows;
    const int64_t now_ns = con->driver->by_class ? clock_now_ns() : 0;
    if (con->driver->by_class && has_steps(con))
        end_step(con, now_ns, rows, failed);
    if (!stats_measures(con->stats))
        return;
    if (failed)
        record_failure(con);
    else if (is_reported(con))
        record_success(con, now_ns - con->began_ns, rows, write);
}

void sql_class_end(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                   const char *text, size_t length)
{
    con->error_id = 0;
    /* Classes are also found during the warm-up, so that the first interval lists them. */
    if ((is_reported(con) || con->driver->plans != NULL) && con->class_id == 0 &&
        con->stats != NULL)
        con->class_id = find_class(con, text, length);
    if (con->driver->plans != NULL && con->stats != NULL && status != DRIVER_ERROR)
        sql_class_note_plan(con, con->class_id, text, length);
    if (con->stats != NULL)
        record(con, status, kind);
    con->results_class_id = con->class_id;
    con->class_id = 0;
}

void sql_class_ignored(sql_connection *con)
{
    if (con->error_id > 0)
        operations_ignored(&con->stats->operations, con->error_id - 1);
    con->error_id = 0;
}
