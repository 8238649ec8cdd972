/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records statements by class (with --report-sql) and errors by code (always). */
#include <string.h>

#include "base/clock.h"
#include "sql/sql_internal.h"

/* The class of the times to reconnect, which scripts request as part of their events. */
#define CONNECT_CLASS "connect"

static unsigned find_class(sql_connection *con, const char *text, size_t length)
{
    char name[OPERATION_NAME_BYTES];
    size_t used = con->conn.ops->language->class_name(text, length, name, sizeof(name));
    return operations_class(&con->stats->operations, name, used) + 1;
}

static bool is_reported(const sql_connection *con)
{
    return con->driver->by_class && con->stats != NULL;
}

void sql_statement_class(sql_statement *stmt, const char *name)
{
    if (is_reported(stmt->con))
        stmt->class_id = operations_class(&stmt->con->stats->operations, name, strlen(name)) + 1;
}

void sql_query_class(sql_connection *con, const char *name)
{
    if (is_reported(con))
        con->class_id = operations_class(&con->stats->operations, name, strlen(name)) + 1;
}

void sql_class_of_statement(sql_statement *stmt)
{
    if (stmt->class_id == 0 && is_reported(stmt->con))
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

void sql_class_begin(sql_connection *con)
{
    con->began_ns = clock_now_ns();
}

static void record_success(sql_connection *con, enum sql_text_kind kind)
{
    const struct driver_conn *conn = &con->conn;
    bool write = kind == SQL_TEXT_WRITE;
    operations_record(&con->stats->operations, con->class_id - 1, clock_now_ns() - con->began_ns,
                      write ? conn->rows_matched : conn->rows.nrows,
                      write ? conn->rows_changed : 0);
}

static void record_failure(sql_connection *con)
{
    const struct sql_failure *error = &con->conn.error;
    unsigned class = con->class_id > 0 ? con->class_id - 1 : OPERATION_NO_CLASS;
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

void sql_class_end(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                   const char *text, size_t length)
{
    con->error_id = 0;
    /* Classes are also found during the warm-up, so that the first interval lists them. */
    if (is_reported(con) && con->class_id == 0)
        con->class_id = find_class(con, text, length);
    if (con->stats != NULL && stats_measures(con->stats)) {
        if (status == DRIVER_ERROR)
            record_failure(con);
        else
            record_success(con, kind);
    }
    con->results_class_id = con->class_id;
    con->class_id = 0;
}

void sql_class_ignored(sql_connection *con)
{
    if (con->error_id > 0)
        operations_ignored(&con->stats->operations, con->error_id - 1);
    con->error_id = 0;
}
