/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text statements of the MySQL driver, and results of all statements. Result sets stay in the
 * memory of the client library and are read there row by row if the script fetches rows.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/mysql/mysql_internal.h"

static enum driver_status next_text_result(struct driver_conn *conn);
static const struct rowset_field *fetch_text(struct driver_conn *conn);
static void forget_text(struct driver_conn *conn);

static const struct mysql_reader text_reader = {
    .next = next_text_result,
    .fetch = fetch_text,
    .forget = forget_text,
};

void mysql_read_text(struct mysql_connection *c)
{
    c->reader = &text_reader;
    c->last = NULL;
    c->open = false;
}

enum driver_status mysql_dry_answer(struct driver_conn *conn, enum sql_text_kind kind)
{
    if (kind == SQL_TEXT_READ) {
        rowset_start(&conn->rows, 1);
        return DRIVER_ROWS;
    }
    driver_changed(conn, kind == SQL_TEXT_WRITE);
    return DRIVER_OK;
}

void mysql_keep_counts(struct driver_conn *conn, uint64_t affected)
{
    struct mysql_connection *c = conn->handle;
    const char *info = mysql_info(c->mysql);
    const char prefix[] = "Rows matched: ";

    driver_changed(conn, affected);
    /* For an UPDATE, the info is "Rows matched: 1  Changed: 0  Warnings: 0". */
    if (info != NULL && strncmp(info, prefix, sizeof(prefix) - 1) == 0)
        conn->rows_matched = strtoull(info + sizeof(prefix) - 1, NULL, 10);
}

const char *mysql_cell(MYSQL_RES *result, MYSQL_ROW row, unsigned i)
{
    return i < mysql_num_fields(result) ? row[i] : NULL;
}

/* Receives a result set and counts its rows without keeping them. */
static enum driver_status count_rows(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    MYSQL_RES *result = mysql_use_result(c->mysql);

    while (result != NULL && mysql_fetch_row(result) != NULL)
        conn->counted++;
    bool failed = mysql_errno(c->mysql) != 0;
    if (result != NULL)
        mysql_free_result(result);
    conn->more_results = mysql_more_results(c->mysql);
    rowset_start(&conn->rows, 1);
    return failed ? mysql_fail_connection(conn) : DRIVER_ROWS;
}

/* Stores the current result of a text statement. */
static enum driver_status store(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    conn->more_results = mysql_more_results(c->mysql);
    if (mysql_field_count(c->mysql) == 0) {
        mysql_keep_counts(conn, mysql_affected_rows(c->mysql));
        return DRIVER_OK;
    }
    if (conn->count_only)
        return count_rows(conn);
    c->result = mysql_store_result(c->mysql);
    if (c->result == NULL)
        return mysql_fail_connection(conn);
    conn->more_results = mysql_more_results(c->mysql);
    rowset_start(&conn->rows, mysql_num_fields(c->result));
    conn->rows.nrows = mysql_num_rows(c->result);
    conn->rows_matched = conn->rows_changed = conn->rows.nrows; /* for a write with RETURNING */
    return DRIVER_ROWS;
}

/* Stores results up to the first one that has rows. */
static enum driver_status store_first(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    enum driver_status status = store(conn);

    while (status == DRIVER_OK && conn->more_results) {
        if (mysql_next_result(c->mysql) > 0)
            return mysql_fail_connection(conn);
        status = store(conn);
    }
    return status;
}

static enum driver_status next_text_result(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    conn->more_results = false;
    if (mysql_next_result(c->mysql) > 0)
        return mysql_fail_connection(conn);
    return store_first(conn);
}

static const struct rowset_field *fetch_text(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    MYSQL_ROW row = c->result != NULL ? mysql_fetch_row(c->result) : NULL;

    if (row == NULL)
        return NULL;
    const unsigned long *lengths = mysql_fetch_lengths(c->result);
    for (uint32_t i = 0; i < conn->rows.nfields; i++)
        conn->rows.row[i] = (struct rowset_field){row[i], lengths[i]};
    return conn->rows.row;
}

static void forget_text(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;

    if (c->result != NULL)
        mysql_free_result(c->result);
    c->result = NULL;
}

enum driver_status mysql_result_next(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;

    return conn->more_results ? c->reader->next(conn) : DRIVER_OK;
}

const struct rowset_field *mysql_result_fetch(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;

    return c != NULL ? c->reader->fetch(conn) : NULL;
}

void mysql_result_forget(struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;

    if (c != NULL)
        c->reader->forget(conn);
}

enum driver_status mysql_drain(struct driver_conn *conn)
{
    while (conn->more_results) {
        if (mysql_result_next(conn) == DRIVER_ERROR)
            return DRIVER_ERROR;
        mysql_result_forget(conn);
        rowset_clear(&conn->rows);
    }
    return DRIVER_OK;
}

enum driver_status mysql_text_query(struct driver_conn *conn, const char *text, size_t length)
{
    struct mysql_connection *c = conn->handle;

    if (c == NULL)
        return mysql_dry_answer(conn, sql_text_kind(text, length));
    if (mysql_drain(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    mysql_read_text(c);
    if (mysql_real_query(c->mysql, text, length) != 0)
        return mysql_fail_connection(conn);
    return store_first(conn);
}
