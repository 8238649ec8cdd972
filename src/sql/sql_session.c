/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_session.h"

#include "sql/sql_internal.h"

/* Timeout for opening a session. The end of a run does not wait longer for it. */
#define CONNECT_TIMEOUT_S 5

static void write_failure(const sql_connection *con, char *failure, size_t bytes)
{
    char codes[32];
    sql_write_codes(&con->conn.error, codes, sizeof(codes));
    snprintf(failure, bytes, "error %s (%s)", codes, con->conn.error.message);
}

sql_connection *sql_session_open(struct sql *sql, char *failure, size_t bytes)
{
    sql_thread_enter(sql, NULL, 0);
    sql_driver *driver = sql_driver_open(NULL);
    if (driver == NULL) {
        snprintf(failure, bytes, "the database driver cannot be used");
        return NULL;
    }
    sql_connection *con = sql_connection_new(driver);
    sql_thread_adopt(con);
    con->conn.connect_timeout_s = CONNECT_TIMEOUT_S;
    con->conn.count_only = true;
    con->conn.may_cancel = true;
    con->open = driver->ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->open)
        return con;
    write_failure(con, failure, bytes);
    sql_connection_unref(con);
    return NULL;
}

const char *sql_session_objection(const struct sql *sql, const char *text)
{
    const struct driver_ops *ops = sql_chosen_driver(sql);
    return ops != NULL && ops->language->objection != NULL
               ? ops->language->objection(text, strlen(text))
               : NULL;
}

int sql_session_execute(sql_connection *con, const char *text, struct injection_outcome *outcome,
                        char *failure, size_t bytes)
{
    struct driver_conn *conn = &con->conn;
    conn->counted = conn->changed = 0;
    int status = sql_query(con, text, strlen(text));
    bool rows = status == DRIVER_ROWS;
    while (status != DRIVER_ERROR && sql_more_results(con))
        status = sql_next_result(con);
    if (status == DRIVER_ERROR) {
        *outcome = (struct injection_outcome){.kind = INJECTION_OUTCOME_NONE};
        write_failure(con, failure, bytes);
        return -1;
    }
    *outcome = (struct injection_outcome){.kind = INJECTION_OUTCOME_ROWS,
                                          .gave_rows = rows,
                                          .rows_changed = conn->changed,
                                          .rows_read = conn->counted};
    return 0;
}

void sql_session_cancel(sql_connection *con)
{
    if (con->conn.ops->cancel != NULL)
        con->conn.ops->cancel(&con->conn);
}
