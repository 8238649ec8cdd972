/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements by class (--report-sql), and errors by code, which are always recorded. */
#include <ctype.h>
#include <strings.h>

#include "base/clock.h"
#include "sql/sql_internal.h"

static bool is_blank_or_comment(const char **p, const char *end)
{
    if (isspace((unsigned char)**p) || **p == '(') {
        ++*p;
        return true;
    }
    if (end - *p < 2 || strncmp(*p, "/*", 2) != 0)
        return false;
    const char *close = memmem(*p + 2, (size_t)(end - *p - 2), "*/", 2);
    *p = close != NULL ? close + 2 : end;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Moves *p to the next word; returns its length, 0 at the end. */
static size_t next_word(const char **p, const char *end)
{
    while (*p < end && !is_word(**p))
        ++*p;
    const char *word = *p;
    while (word < end && is_word(*word))
        word++;
    return (size_t)(word - *p);
}

/* What stands behind these words is the name of a table. */
static bool precedes_table(const char *word, size_t length)
{
    static const char *const words[] = {"from", "into", "update", "table"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0)
            return true;
    return false;
}

/* sbtest1, sbtest2 … are one: statements do not differ by the number of the table. */
static size_t without_number(const char *word, size_t length)
{
    size_t n = length;
    while (n > 0 && isdigit((unsigned char)word[n - 1]))
        n--;
    return n > 0 ? n : length;
}

size_t sql_class_name(const char *text, size_t length, char *name, size_t bytes)
{
    const char *p = text, *end = text + length;
    while (p < end && is_blank_or_comment(&p, end))
        ;
    size_t word = next_word(&p, end);
    size_t used = (size_t)snprintf(name, bytes, "%.*s", (int)min_u32((uint32_t)word, 16), p);
    for (size_t i = 0; i < used; i++)
        name[i] = (char)tolower((unsigned char)name[i]);
    bool found = false;
    while (word > 0 && !found) {
        found = precedes_table(p, word);
        p += word;
        word = next_word(&p, end);
    }
    if (found && word > 0)
        used += (size_t)snprintf(name + used, bytes - used, " %.*s",
                                 (int)min_u32((uint32_t)without_number(p, word), 30), p);
    return used;
}

static unsigned find_class(sql_connection *con, const char *text, size_t length)
{
    char name[OPERATION_NAME_BYTES];
    size_t used = sql_class_name(text, length, name, sizeof(name));
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
    if (con->stats != NULL && stats_measures(con->stats)) {
        if (con->driver->by_class && con->class_id == 0)
            con->class_id = find_class(con, text, length);
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
