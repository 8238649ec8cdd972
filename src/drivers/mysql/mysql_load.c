/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads rows with LOAD DATA LOCAL INFILE from memory. */
#include <stdlib.h>
#include <string.h>

#include "drivers/mysql/mysql_internal.h"

/* The memory that the client library reads instead of a file. */
struct source {
    const char *text;
    size_t left;
};

static int source_init(void **cursor, const char *name, void *source)
{
    (void)name;
    *cursor = source;
    return 0;
}

static int source_read(void *cursor, char *buf, unsigned room)
{
    struct source *source = cursor;
    size_t n = source->left < room ? source->left : room;
    memcpy(buf, source->text, n);
    source->text += n;
    source->left -= n;
    return (int)n;
}

static void source_end(void *cursor)
{
    (void)cursor;
}

static int source_error(void *cursor, char *message, unsigned room)
{
    (void)cursor;
    snprintf(message, room, "cannot read the rows to load");
    return 1;
}

/* LOAD DATA LOCAL skips rows or truncates values with a warning if INSERT would fail. The first
 * warning becomes the error of the load. */
static enum driver_status fail_on_warnings(struct driver_conn *conn)
{
    static const char statement[] = "SHOW WARNINGS LIMIT 1";
    struct mysql_connection *c = conn->handle;
    unsigned warnings = mysql_warning_count(c->mysql);

    if (warnings == 0)
        return DRIVER_OK;
    if (mysql_real_query(c->mysql, statement, sizeof(statement) - 1) != 0)
        return mysql_fail_connection(conn);
    MYSQL_RES *result = mysql_store_result(c->mysql);
    MYSQL_ROW row = result != NULL ? mysql_fetch_row(result) : NULL;
    const char *code = row != NULL ? mysql_cell(result, row, 1) : NULL;
    const char *text = row != NULL ? mysql_cell(result, row, 2) : NULL;
    enum driver_status status = driver_fail(conn, code != NULL ? atoi(code) : 0, "", false,
                                            "%u rows were not loaded as given, the first: %s",
                                            warnings, text != NULL ? text : "unknown");
    mysql_free_result(result);
    return status;
}

/*
 * CHARACTER SET and ESCAPED BY are given because their defaults depend on the database and on
 * sql_mode: the text uses the connection's character set, as in an INSERT, and backslash escapes.
 * The backslash is written as 0x5c, because its meaning in a string depends on sql_mode.
 */
#define LOAD_STATEMENT                                                                             \
    "LOAD DATA LOCAL INFILE 'rows' INTO TABLE %s CHARACTER SET %s FIELDS ESCAPED BY 0x5c (%s)"

/* Writes the columns for the statement. "a, F(b)" becomes "a, @field) SET b = F(@field". Returns
 * the length, as snprintf(). */
static int write_columns(char *to, size_t room, const char *columns)
{
    const char *call = strchr(columns, '(');
    if (call == NULL)
        return snprintf(to, room, "%s", columns);
    const char *function = call;
    while (function > columns && function[-1] != ',')
        function--;
    return snprintf(to, room, "%.*s @field) SET %.*s =%.*s(@field", (int)(function - columns),
                    columns, (int)strcspn(call + 1, ")"), call + 1, (int)(call - function),
                    function);
}

enum driver_status mysql_load(struct driver_conn *conn, const char *table, const char *columns,
                              const char *text, size_t length)
{
    struct mysql_connection *c = conn->handle;
    struct source source = {text, length};
    char statement[1024], list[512];

    if (c == NULL)
        return mysql_dry_answer(conn, SQL_TEXT_WRITE);
    if (mysql_drain(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    mysql_read_text(c);
    int listed = write_columns(list, sizeof(list), columns);
    int n = snprintf(statement, sizeof(statement), LOAD_STATEMENT, table,
                     mysql_character_set_name(c->mysql), list);
    if (listed < 0 || (size_t)listed >= sizeof(list) || n < 0 || (size_t)n >= sizeof(statement))
        return driver_fail(conn, 0, "", false,
                           "names of table and columns are too long to load: %s", table);
    mysql_set_local_infile_handler(c->mysql, source_init, source_read, source_end, source_error,
                                   &source);
    int rc = mysql_real_query(c->mysql, statement, (unsigned long)n);
    mysql_refuse_files(c->mysql);
    if (rc != 0)
        return mysql_fail_connection(conn);
    mysql_keep_counts(conn, mysql_affected_rows(c->mysql));
    return fail_on_warnings(conn);
}

void mysql_ask_limits(struct driver_conn *conn)
{
    static const char statement[] = "SELECT @@max_allowed_packet, @@local_infile";
    struct mysql_connection *c = conn->handle;

    conn->can_load = false;
    if (c == NULL || mysql_drain(conn) == DRIVER_ERROR ||
        mysql_real_query(c->mysql, statement, sizeof(statement) - 1) != 0)
        return;
    MYSQL_RES *result = mysql_store_result(c->mysql);
    MYSQL_ROW row = result != NULL ? mysql_fetch_row(result) : NULL;
    const char *most = row != NULL ? mysql_cell(result, row, 0) : NULL;
    const char *may_load = row != NULL ? mysql_cell(result, row, 1) : NULL;
    conn->max_statement_bytes = most != NULL ? strtoull(most, NULL, 10) : 0;
    conn->can_load = may_load != NULL && may_load[0] == '1';
    mysql_free_result(result);
}
