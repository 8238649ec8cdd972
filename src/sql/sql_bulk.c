/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bulk inserts: rows are collected and sent as long INSERT statements. */
#include "base/log.h"
#include "sql/sql_internal.h"

/* Longest statement. Longer ones do not load faster, but need more memory on the server, and one
 * bad row makes more rows fail. */
#define BULK_BYTES ((size_t)512 * 1024)

static size_t limit(const sql_connection *con)
{
    size_t most = con->conn.ops->max_statement_bytes;
    return most < BULK_BYTES ? most : BULK_BYTES;
}

static bool is_begun(const sql_connection *con)
{
    return con->bulk.text.data != NULL;
}

static bool has_rows(const sql_connection *con)
{
    return is_begun(con) && con->bulk.text.used > con->bulk.head_bytes;
}

/* Executes the collected statement. If this fails, the rows are kept for the next call. */
static int flush(sql_connection *con)
{
    struct sql_buffer *text = &con->bulk.text;

    if (!has_rows(con))
        return 0;
    const char *end = con->conn.ops->language->bulk_end;
    const size_t used = text->used;
    sql_buffer_add(text, end, strlen(end));
    sql_buffer_terminate(text);
    const int rc = sql_run_text(con, SQL_TEXT_WRITE, text->data, text->used);
    text->used = rc < 0 ? used : con->bulk.head_bytes;
    return rc < 0 ? -1 : 0;
}

int sql_bulk_init(sql_connection *con, const char *text, size_t length)
{
    if (sql_require_open(con, text, length) < 0)
        return -1;
    con->bulk.text.used = 0;
    sql_buffer_reserve(&con->bulk.text, limit(con));
    sql_buffer_add(&con->bulk.text, text, length);
    con->bulk.head_bytes = length;
    return 0;
}

int sql_bulk_next(sql_connection *con, const char *text, size_t length)
{
    if (sql_require_open(con, text, length) < 0)
        return -1;
    if (!is_begun(con)) {
        log_text(LOG_ALERT, "attempt to call bulk_insert_next() before bulk_insert_init()");
        return SQL_BULK_NOT_BEGUN;
    }
    if (con->bulk.text.used + 1 + length > limit(con) && flush(con) < 0)
        return -1;
    if (has_rows(con))
        sql_buffer_add(&con->bulk.text, ",", 1);
    sql_buffer_add(&con->bulk.text, text, length);
    return 0;
}

int sql_bulk_done(sql_connection *con)
{
    if (sql_require_open(con, "", 0) < 0 || flush(con) < 0)
        return -1;
    sql_buffer_fini(&con->bulk.text);
    return 0;
}
