/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections, text statements, results and errors. */
#include "base/log.h"
#include "sql/sql_internal.h"

/* Statements are cut to this in messages. */
#define SHOWN_BYTES 1000

/* How long a connection that the run could do without, or an answer there, may take. */
#define ASIDE_TIMEOUT_S 5

static void log_connect(const struct driver_conn *conn)
{
    log_text(LOG_FATAL, "unable to connect with the %s driver: %s", conn->ops->name,
             conn->error.message);
}

static int open_first_time(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    sql_note_attempt(con->driver);
    con->open = conn->ops->connect(conn) != DRIVER_ERROR;
    if (con->open)
        sql_target_note_open(con);
    else
        sql_class_failed(con);
    if (sql_note_outcome(con->driver, con->open ? NULL : &conn->error))
        log_connect(conn);
    return con->open ? 0 : -1;
}

void sql_close_connection(sql_connection *con)
{
    if (!con->open)
        return;
    sql_release_statements(con);
    sql_free_result(con);
    con->conn.ops->disconnect(&con->conn);
    con->conn.handle = NULL;
    con->open = false;
}

sql_connection *sql_connection_new(sql_driver *drv)
{
    sql_connection *con = xcalloc(1, sizeof(*con));

    con->driver = drv;
    con->conn.ops = drv->ops;
    con->conn.shared = drv->shared;
    con->refs = 1;
    LIST_INIT(&con->statements);
    return con;
}

sql_connection *sql_connect(sql_driver *drv)
{
    sql_connection *con = sql_connection_new(drv);

    sql_thread_adopt(con);
    sql_target_join(con);
    if (open_first_time(con) < 0) {
        sql_connection_unref(con);
        return NULL;
    }
    return con;
}

sql_connection *sql_connect_aside(sql_driver *drv, uint32_t server)
{
    sql_connection *con = sql_connection_new(drv);

    con->conn.number = server;
    con->conn.connect_timeout_s = con->conn.answer_timeout_s = ASIDE_TIMEOUT_S;
    con->open = drv->ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->open)
        return con;
    sql_connection_unref(con);
    return NULL;
}

int sql_reconnect(sql_connection *con)
{
    struct driver_conn *conn = &con->conn;

    sql_target_aim(con);
    sql_close_connection(con);
    con->open = conn->ops->connect(conn) != DRIVER_ERROR;
    sql_target_note_lost(con, !con->open);
    if (con->open)
        sql_count(con, COUNTER_RECONNECT);
    else
        sql_class_failed(con);
    if (!con->open && conn->error.ignorable && conn->error.connection_lost) {
        sql_class_ignored(con);
        sql_restore(con);
    }
    if (!con->open)
        log_connect(conn);
    return con->open ? 0 : -1;
}

void sql_disconnect(sql_connection *con)
{
    sql_close_connection(con);
    sql_buffer_fini(&con->bulk.text);
    sql_load_forget(con);
}

const char *sql_connection_driver(const sql_connection *con)
{
    return con->driver->ops->name;
}

bool sql_connected(const sql_connection *con)
{
    return con->open;
}

void sql_connection_unref(sql_connection *con)
{
    if (--con->refs > 0)
        return;
    rowset_fini(&con->conn.rows);
    sql_buffer_fini(&con->failed);
    free(con);
}

void sql_connection_free(sql_connection *con)
{
    if (con == NULL)
        return;
    sql_disconnect(con);
    sql_connection_unref(con);
}

void sql_keep_failed(sql_connection *con, const char *text, size_t length)
{
    con->failed.used = 0;
    sql_buffer_add(&con->failed, text, length);
    sql_buffer_add(&con->failed, "", 1);
}

int sql_reject(sql_connection *con, const char *text, size_t length, const char *reason)
{
    driver_fail(&con->conn, 0, "", false, "%s", reason);
    sql_keep_failed(con, text, length);
    return -1;
}

int sql_require_open(sql_connection *con, const char *text, size_t length)
{
    if (LIKELY(con->open))
        return 0;
    const char *reason = "attempt to use an already closed connection";
    log_text(LOG_ALERT, "%s", reason);
    return sql_reject(con, text, length, reason);
}

int sql_begin_statement(sql_connection *con, const char *text, size_t length)
{
    sql_free_result(con);
    sql_target_aim(con);
    if (sql_require_open(con, text, length) < 0)
        return -1;
    if (UNLIKELY(con->driver->debug))
        log_text(LOG_DEBUG, "%s: %.*s", con->conn.ops->name, (int)length, text);
    if (UNLIKELY(con->driver->by_class))
        sql_class_begin(con);
    return 0;
}

int sql_end_statement(sql_connection *con, enum driver_status status, enum sql_text_kind kind,
                      const char *text, size_t length)
{
    if (UNLIKELY(con->driver->by_class || status == DRIVER_ERROR))
        sql_class_end(con, status, kind, text, length);
    if (UNLIKELY(status == DRIVER_ERROR)) {
        if (con->conn.error.connection_lost)
            sql_target_note_lost(con, true);
        sql_free_result(con);
        sql_keep_failed(con, text, length);
        return -1;
    }
    if (kind == SQL_TEXT_WRITE) {
        sql_count(con, COUNTER_WRITE);
        sql_effect_record(con, text, length);
    } else {
        sql_count(con, status == DRIVER_ROWS ? COUNTER_READ : COUNTER_OTHER);
    }
    return status;
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
    return sql_run_text(con, sql_text_kind(text, length), text, length);
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
        sql_keep_failed(con, further, sizeof(further) - 1);
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
    return con->conn.error.ignorable;
}

bool sql_error_count(sql_connection *con)
{
    sql_count(con, COUNTER_ERROR);
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
        log_text(LOG_FATAL, "%s driver: the connection is lost: error %s (%s)", name, codes,
                 error->message);
}
