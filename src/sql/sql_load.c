/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads tables. Rows are passed field by field, collected and sent in large pieces: in the
 * database's own load format (LOAD DATA, COPY) if the server accepts it, otherwise as INSERT
 * statements with many rows.
 */
#include "base/thread.h"
#include "sql/sql_internal.h"

/* Size of a piece in load format, which is one transaction. Larger pieces do not load faster. */
#define LOAD_BYTES ((size_t)4 * 1024 * 1024)
/* Length of an INSERT. Longer ones are not parsed faster. The server may have a lower limit. */
#define INSERT_BYTES ((size_t)1024 * 1024)

static size_t piece_bytes(const sql_connection *con)
{
    const struct driver_conn *conn = &con->conn;
    if (con->load.native)
        return LOAD_BYTES;
    size_t most =
        conn->max_statement_bytes > 0 ? conn->max_statement_bytes : conn->ops->max_statement_bytes;
    return most < INSERT_BYTES ? most : INSERT_BYTES;
}

static bool choose_method(sql_connection *con, const char *method)
{
    const struct driver_ops *ops = con->conn.ops;
    if (ops->ask_limits != NULL)
        ops->ask_limits(&con->conn);
    bool able =
        ops->load != NULL && con->conn.can_load && (con->load.function == NULL || ops->load_calls);
    con->load.native = able && (strcmp(method, "insert") != 0 || !ops->language->has_insert);
    return able || strcmp(method, "load") != 0;
}

/* Sets con->load.function if the last column is FUNCTION(name), and its position. */
static void find_function(sql_connection *con, const char *columns)
{
    const char *last = strrchr(columns, ',');
    last = last != NULL ? last + 1 : columns;
    last += strspn(last, " ");
    const size_t length = strcspn(last, "(");
    if (last[length] != '(')
        return;
    con->load.function = xstrdup(last);
    con->load.function[length] = '\0';
    con->load.last_field = 1;
    for (const char *at = columns; at < last; at++)
        con->load.last_field += *at == ',';
}

/* Returns "a,b" for "a, F(b)". */
static char *without_function(const char *columns)
{
    const char *call = strchr(columns, '('), *last = strrchr(columns, ',');
    last = last != NULL ? last + 1 : columns;
    char *list = xstrdup(columns);
    snprintf(list + (last - columns), strlen(last), "%.*s", (int)strcspn(call + 1, ")"), call + 1);
    return list;
}

int sql_load_begin(sql_connection *con, const char *table, const char *columns, const char *method)
{
    size_t length = strlen(table);
    if (sql_begin_statement(con, table, length) < 0)
        return -1;
    sql_load_forget(con);
    find_function(con, columns);
    if (!choose_method(con, method))
        return sql_reject(
            con, table, length,
            "the server does not take rows in its load format (MySQL: local_infile is off); "
            "use --prepare-method=auto or insert");
    con->load.table = xstrdup(table);
    con->load.columns = con->load.native || con->load.function == NULL ? xstrdup(columns)
                                                                       : without_function(columns);
    con->load.begun = true;
    return 0;
}

void sql_load_forget(sql_connection *con)
{
    free(con->load.table);
    free(con->load.columns);
    free(con->load.function);
    sql_buffer_fini(&con->load.text);
    sql_buffer_fini(&con->load.sent);
    con->load.table = con->load.columns = con->load.function = NULL;
    con->load.begun = false;
    con->load.fields = 0;
    con->load.whole = 0;
}

static void add_text(sql_connection *con, const char *text)
{
    sql_buffer_add(&con->load.text, text, strlen(text));
}

static void begin_insert(sql_connection *con)
{
    add_text(con, "INSERT INTO ");
    add_text(con, con->load.table);
    add_text(con, "(");
    add_text(con, con->load.columns);
    add_text(con, ") VALUES");
}

/* Appends the text that is needed before the next field. */
static void begin_field(sql_connection *con)
{
    struct sql_buffer *text = &con->load.text;
    bool first = con->load.fields++ == 0;
    if (con->load.native) {
        if (!first)
            sql_buffer_add(text, "\t", 1);
        return;
    }
    if (text->used == 0)
        begin_insert(con);
    else if (first)
        sql_buffer_add(text, ",", 1);
    sql_buffer_add(text, first ? "(" : ",", 1);
}

static int require_begun(sql_connection *con)
{
    if (con->open && con->load.begun)
        return 0;
    return sql_reject(con, "", 0, "load_begin() on an open connection comes before what is loaded");
}

#define EXACT_IN_DOUBLE 9007199254740992.0 /* 2^53 */

/* Appends an integer. Does not use printf(), which took half of the time needed to build rows. */
static void add_whole(struct sql_buffer *text, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--at = '-';
    sql_buffer_add(text, at, (size_t)(digits + sizeof(digits) - at));
}

int sql_load_int(sql_connection *con, double value)
{
    char text[400]; /* the largest double has 309 digits */
    if (require_begun(con) < 0)
        return -1;
    begin_field(con);
    if (value > -EXACT_IN_DOUBLE && value < EXACT_IN_DOUBLE && value == (double)(int64_t)value) {
        add_whole(&con->load.text, (int64_t)value);
        return 0;
    }
    snprintf(text, sizeof(text), "%.0f", value);
    add_text(con, text);
    return 0;
}

/* Appends text in load format: special characters are escaped with a backslash. */
static void add_escaped(struct sql_buffer *buffer, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t plain = i;
        while (i < length && text[i] != '\t' && text[i] != '\n' && text[i] != '\r' &&
               text[i] != '\\')
            i++;
        sql_buffer_add(buffer, text + plain, i - plain);
        if (i == length)
            return;
        const char escaped[2] = {'\\', text[i] == '\t'   ? 't'
                                       : text[i] == '\n' ? 'n'
                                       : text[i] == '\r' ? 'r'
                                                         : '\\'};
        sql_buffer_add(buffer, escaped, sizeof(escaped));
    }
}

static void add_native(sql_connection *con, const char *text, size_t length)
{
    if (!con->conn.ops->language->has_insert)
        sql_buffer_add(&con->load.text, "\"", 1);
    add_escaped(&con->load.text, text, length);
}

int sql_load_text(sql_connection *con, const char *text, size_t length)
{
    if (require_begun(con) < 0)
        return -1;
    begin_field(con);
    const bool calls =
        con->load.function != NULL && con->load.fields == con->load.last_field && !con->load.native;
    if (calls) {
        add_text(con, con->load.function);
        add_text(con, "(");
    }
    if (con->load.native)
        add_native(con, text, length);
    else
        sql_add_literal(&con->conn, &con->load.text, text, length);
    if (calls)
        add_text(con, ")");
    return 0;
}

int sql_load_null(sql_connection *con)
{
    if (require_begun(con) < 0)
        return -1;
    begin_field(con);
    add_text(con, con->load.native ? "\\N" : "NULL");
    return 0;
}

static void *send_rows(void *arg)
{
    sql_connection *con = arg;
    con->load.status = con->conn.ops->load(&con->conn, con->load.table, con->load.columns,
                                           con->load.sent.data, con->load.sent.used);
    return NULL;
}

/* Sends rows in load format. Unless they are the last ones, another thread sends them, so that the
 * next rows are collected while the server takes these. */
static int send_native(sql_connection *con, size_t bytes, bool last)
{
    if (sql_load_begin_piece(con) < 0)
        return -1;
    const struct sql_buffer sent = con->load.sent;
    con->load.sent = con->load.text;
    con->load.sent.used = bytes;
    con->load.text = sent;
    if (!last && thread_start_quiet(&con->load.sender, send_rows, con) == 0) {
        con->load.sending = true;
        return 0;
    }
    send_rows(con);
    return sql_load_end_piece(con);
}

static int send_insert(sql_connection *con, size_t bytes)
{
    con->load.text.used = bytes;
    sql_buffer_terminate(&con->load.text);
    return sql_run_text(con, SQL_TEXT_WRITE, con->load.text.data, bytes);
}

/* Sends the first `bytes` of the collected text, then discards all of it, even after an error. */
static int send_piece(sql_connection *con, size_t bytes, bool last)
{
    if (bytes == 0)
        return 0;
    int rc = con->load.native ? send_native(con, bytes, last) : send_insert(con, bytes);
    con->load.text.used = 0;
    con->load.whole = 0;
    return rc < 0 ? -1 : 0;
}

int sql_load_row(sql_connection *con)
{
    if (require_begun(con) < 0)
        return -1;
    if (con->load.fields == 0)
        return sql_reject(con, "", 0, "a row to load has no fields");
    struct sql_buffer *text = &con->load.text;
    sql_buffer_add(text, con->load.native ? "\n" : ")", 1);
    size_t row_bytes = text->used - con->load.whole;
    con->load.fields = 0;
    con->load.whole = text->used;
    /* Send now if another row of about the same length would exceed the limit. */
    return text->used + row_bytes + 64 > piece_bytes(con) ? send_piece(con, text->used, false) : 0;
}

int sql_load_done(sql_connection *con)
{
    if (require_begun(con) < 0)
        return -1;
    int rc = send_piece(con, con->load.whole, true);
    if (sql_load_wait(con) < 0)
        rc = -1;
    sql_load_forget(con);
    return rc;
}
