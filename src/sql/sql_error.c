/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last error of a connection: access for scripts, recovery, and messages. */
#include <string.h>

#include "base/log.h"
#include "sql/sql.h"
#include "sql/sql_internal.h"

/* Statements are truncated to this length in messages. */
#define SHOWN_BYTES 1000

bool sql_failed(const sql_connection *con)
{
    return con->failed.used > 0;
}

int sql_error_code(const sql_connection *con)
{
    return con->conn.error.code;
}

const char *sql_error_state(const sql_connection *con)
{
    return con->conn.error.state;
}

const char *sql_error_message(const sql_connection *con)
{
    return con->conn.error.message;
}

const char *sql_error_query(const sql_connection *con)
{
    return con->failed.used > 0 ? con->failed.data : "";
}

bool sql_error_ignorable(const sql_connection *con)
{
    return con->conn.error.ignorable || sql_failover_helps(con);
}

bool sql_error_fatal(const sql_connection *con)
{
    return con->conn.error.fatal;
}

bool sql_error_ignore(sql_connection *con)
{
    sql_class_ignored(con);
    if (!con->open)
        return true;
    if (con->conn.error.connection_lost)
        return sql_restore(con);
    con->conn.ops->recover(&con->conn);
    return true;
}

void sql_write_codes(const struct sql_failure *error, char *to, size_t bytes)
{
    const char *state = error->state;

    if (error->code == 0 && state[0] != '\0')
        snprintf(to, bytes, "%s", state);
    else
        snprintf(to, bytes, "%d%s%s", error->code, state[0] != '\0' ? ", state " : "", state);
}

/* MySQL and PostgreSQL report a missing table by SQLSTATE. SQLite does not use SQLSTATE; its
 * messages are never translated. */
static bool is_missing_table(const struct sql_failure *error)
{
    return strcmp(error->state, "42S02") == 0 || strcmp(error->state, "42P01") == 0 ||
           (error->state[0] == '\0' && strncmp(error->message, "no such table", 13) == 0);
}

/* Logs the loss of a connection, and the entry that the list of ignored errors needs: the number of
 * the error, or its state if it has no number. */
static void log_loss(const struct sql_failure *error, const char *driver, const char *codes)
{
    char number[16];
    snprintf(number, sizeof(number), "%d", error->code);
    log_text(
        LOG_FATAL,
        "%s driver: the connection is lost: error %s (%s). In a run, workers reconnect if %s is "
        "in --%s-ignore-errors.",
        driver, codes, error->message, error->code != 0 ? number : error->state, driver);
}

void sql_error_log(const sql_connection *con)
{
    const struct sql_failure *error = &con->conn.error;
    const char *query = sql_error_query(con), *name = con->conn.ops->name;
    int shown = (int)strnlen(query, SHOWN_BYTES);
    char codes[32];

    sql_write_codes(error, codes, sizeof(codes));
    if (!con->open)
        log_text(LOG_FATAL, "%s driver: cannot reconnect: error %s (%s)", name, codes,
                 error->message);
    else if (!error->connection_lost)
        log_text(LOG_FATAL, "%s driver: error %s (%s) for query '%.*s%s'", name, codes,
                 error->message, shown, query, query[shown] != '\0' ? " ..." : "");
    else if (sql_note_loss(con->driver))
        log_loss(error, name, codes);
    if (con->open && is_missing_table(error))
        sql_note_missing_table(con->driver->sql);
}
