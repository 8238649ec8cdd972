/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begin and end of every statement, execution of statements as text, and results. */
#include <ctype.h>

#include "base/log.h"
#include "sql/pool/pool.h"
#include "sql/sql_internal.h"

_Static_assert(DRIVER_ROWS == 1 && DRIVER_OK == 0 && DRIVER_ERROR == -1,
               "sql_query() returns these values to scripts");

/* Keeps the text of the statement that has failed with conn.error. */
static void keep_failed(sql_connection *con, const char *text, size_t length)
{
    con->failed.used = 0;
    sql_buffer_add(&con->failed, text, length);
    sql_buffer_add(&con->failed, "", 1);
}

int sql_reject(sql_connection *con, const char *text, size_t length, const char *reason)
{
    driver_fail(&con->conn, 0, "", false, "%s", reason);
    keep_failed(con, text, length);
    return -1;
}

static bool in_transaction(const sql_connection *con)
{
    const struct driver_ops *ops = con->conn.ops;
    return con->open && ops->in_transaction != NULL && ops->in_transaction(&con->conn);
}

void sql_give_back(sql_connection *con)
{
    if (con->borrowed == NULL)
        return;
    sql_load_wait(con);
    while (sql_more_results(con) && sql_next_result(con) >= 0)
        continue;
    sql_free_result(con);
    con->conn.more_results = false;
    if (in_transaction(con))
        con->conn.ops->recover(&con->conn);
    pool_return(con);
}

void sql_pool_give_all(void)
{
    sql_connection *con;
    while ((con = pool_borrower()) != NULL)
        sql_give_back(con);
}

/* With --pool-scope=transaction: gives the connection back unless it is in a transaction or has
 * results that were not read. */
static void give_back_early(sql_connection *con)
{
    if (pool_ends_with_transaction(con->pool) && con->open && con->used &&
        con->conn.rows.nfields == 0 && !con->conn.more_results && !con->load.begun &&
        !in_transaction(con))
        pool_return(con);
}

static int take_connection(sql_connection *con, const char *text, size_t length)
{
    if (pool_take(con) == 0)
        return 0;
    sql_class_failed(con);
    sql_count(con, COUNTER_ERROR);
    keep_failed(con, text, length);
    return -1;
}

int sql_require_open(sql_connection *con, const char *text, size_t length)
{
    if (LIKELY(con->open))
        return 0;
    if (con->pool != NULL && con->borrowed == NULL && !con->disconnected)
        return take_connection(con, text, length);
    const char *reason = "attempt to use an already closed connection";
    log_text(LOG_ALERT, "%s", reason);
    return sql_reject(con, text, length, reason);
}

int sql_begin_statement(sql_connection *con, const char *text, size_t length)
{
    if (UNLIKELY(con->load.sending) && sql_load_wait(con) < 0)
        return -1;
    sql_free_result(con);
    con->failed.used = 0;
    if (UNLIKELY(con->borrowed != NULL))
        give_back_early(con);
    if (sql_require_open(con, text, length) < 0)
        return -1;
    con->used = true;
    sql_target_aim(con);
    if (UNLIKELY(con->driver->debug))
        log_text(LOG_DEBUG, "%s: %.*s", con->conn.ops->name, (int)length, text);
    if (UNLIKELY(con->driver->by_class))
        sql_class_begin(con, text, length);
    return 0;
}

/* The first letter of the keyword identifies the kind of write. In a statement that starts with a
 * comment or a WITH clause, the keyword comes later in the text. */
static enum write_kind kind_of(const sql_connection *con, const char *text, size_t length)
{
    const char *word = isalpha((unsigned char)*text) && tolower(*text) != 'w'
                           ? text
                           : con->conn.ops->language->keyword(text, length);

    switch (tolower(*word)) {
    case 'u':
        return WRITE_UPDATE;
    case 'i':
        return WRITE_INSERT;
    case 'd':
        return WRITE_DELETE;
    default:
        return WRITE_OTHER;
    }
}

static void record_effect(sql_connection *con, const char *text, size_t length)
{
    const struct driver_conn *conn = &con->conn;

    if (con->stats == NULL)
        return;
    enum write_kind kind = kind_of(con, text, length);
    stats_record_write(con->stats, kind, conn->rows_matched, conn->rows_changed);
    if (conn->rows_changed == 0 && stats_measures(con->stats))
        sql_note_no_op(con->driver, kind, text, length);
}

int sql_end_statement(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                      const char *text, size_t length)
{
    if (UNLIKELY(con->driver->by_class || status == DRIVER_ERROR))
        sql_class_end(con, status, kind, text, length);
    if (UNLIKELY(status == DRIVER_ERROR)) {
        if (con->conn.error.connection_lost)
            sql_target_note_lost(con, true);
        sql_count(con, COUNTER_ERROR);
        sql_free_result(con);
        keep_failed(con, text, length);
        return -1;
    }
    if (kind == SQL_TEXT_WRITE) {
        sql_count(con, COUNTER_WRITE);
        record_effect(con, text, length);
    } else {
        sql_count(con, status == DRIVER_ROWS ? COUNTER_READ : COUNTER_OTHER);
    }
    if (UNLIKELY(con->borrowed != NULL))
        give_back_early(con);
    return status;
}

/* Writes the statement that stands for a load in counts and error messages, and returns its length.
 */
static size_t write_load(const sql_connection *con, char *to, size_t room)
{
    snprintf(to, room, "INSERT INTO %s", con->load.table);
    return strlen(to);
}

int sql_load_begin_piece(sql_connection *con)
{
    char text[512];
    const size_t length = write_load(con, text, sizeof(text));
    return sql_begin_statement(con, text, length);
}

int sql_load_end_piece(sql_connection *con)
{
    char text[512];
    const size_t length = write_load(con, text, sizeof(text));
    return sql_end_statement(con, con->load.status, SQL_TEXT_WRITE, text, length) < 0 ? -1 : 0;
}

int sql_load_wait(sql_connection *con)
{
    if (!con->load.sending)
        return 0;
    pthread_join(con->load.sender, NULL);
    con->load.sending = false;
    return sql_load_end_piece(con);
}

void sql_add_literal(struct driver_conn *conn, struct sql_buffer *to, const char *text,
                     size_t length)
{
    const struct driver_language *language = conn->ops->language;

    sql_buffer_reserve(to, language->escaped_bytes * length + 3);
    to->data[to->used++] = language->quote;
    to->used += conn->ops->escape(conn, to->data + to->used, text, length);
    to->data[to->used++] = language->quote;
}

int sql_run_text(sql_connection *con, enum sql_text_kind kind, const char *text, size_t length)
{
    if (sql_begin_statement(con, text, length) < 0)
        return -1;
    enum driver_status status = con->conn.ops->query(&con->conn, text, length);
    return sql_end_statement(con, status, kind, text, length);
}

int sql_query(sql_connection *con, const char *text, size_t length)
{
    return sql_run_text(con, con->conn.ops->language->kind(text, length), text, length);
}

bool sql_more_results(sql_connection *con)
{
    return con->open && con->conn.more_results;
}

int sql_next_result(sql_connection *con)
{
    static const char further[] = "(a further result)";

    if (!sql_more_results(con))
        return DRIVER_OK;
    sql_free_result(con);
    enum driver_status status = con->conn.ops->next_result(&con->conn);
    if (status == DRIVER_ERROR) {
        con->class_id = con->results_class_id;
        sql_class_failed(con);
        sql_count(con, COUNTER_ERROR);
        keep_failed(con, further, sizeof(further) - 1);
    }
    return status;
}

double sql_rows(const sql_connection *con)
{
    return (double)con->conn.rows.nrows;
}

uint32_t sql_fields(const sql_connection *con)
{
    return con->conn.rows.nfields;
}

bool sql_fetch(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    con->row = conn->ops->fetch == NULL  ? rowset_fetch(&conn->rows)
               : conn->rows.nfields == 0 ? NULL
                                         : conn->ops->fetch(conn);
    return con->row != NULL;
}

static const struct rowset_field *field(const sql_connection *con, uint32_t i)
{
    static const struct rowset_field none = {NULL, 0};
    return con->row != NULL && i < con->conn.rows.nfields ? &con->row[i] : &none;
}

const char *sql_field(const sql_connection *con, uint32_t i)
{
    return field(con, i)->text;
}

uint32_t sql_field_length(const sql_connection *con, uint32_t i)
{
    return (uint32_t)field(con, i)->length;
}

void sql_free_result(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    if (conn->rows.nfields > 0 && conn->ops->free_result != NULL)
        conn->ops->free_result(conn);
    rowset_clear(&conn->rows);
    con->row = NULL;
}
