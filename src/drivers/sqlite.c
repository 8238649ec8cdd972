/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite driver: an embedded database that needs no server. All connections open the same file.
 * They are opened one at a time, because a change of the journal mode needs exclusive access to the
 * file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "drivers/driver.h"
#include "drivers/own_sessions.h"
#include "drivers/sql_text.h"
#include "drivers/sqlite_vectors.h"
#include "drivers/sqlite_waits.h"

static const char *check_path(const char *value);
static int sqlite_init(const struct options *options, void **shared);
static void sqlite_fini(void *shared);
static enum driver_status sqlite_connect(struct driver_conn *conn);
static const char *sqlite_connect_advice(const struct driver_conn *conn);
static void sqlite_disconnect(struct driver_conn *conn);
static enum driver_status sqlite_query(struct driver_conn *conn, const char *text, size_t length);
static enum driver_status sqlite_prepare(struct driver_stmt *stmt, const char *text, size_t length);
static enum driver_status sqlite_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                         unsigned count);
static void sqlite_close_statement(struct driver_stmt *stmt);
static void sqlite_cancel(struct driver_conn *conn);
static bool sqlite_in_transaction(const struct driver_conn *conn);
static void sqlite_recover(struct driver_conn *conn);
static size_t sqlite_escape(struct driver_conn *conn, char *to, const char *text, size_t length);

static const struct option_spec sqlite_options[] = {
    {.name = "sqlite-db",
     .type = OPTION_FILE,
     .fallback = "sysrate.db",
     .help = "SQLite database file, created if it does not exist",
     .check = check_path,
     .field = OPTION_NO_FIELD},
    {.name = "sqlite-journal-mode",
     .type = OPTION_STRING,
     .fallback = "wal",
     .help = "journal mode",
     .choices = OPTION_CHOICES({"wal", NULL}, {"delete", NULL}, {"truncate", NULL},
                               {"persist", NULL}, {"memory", NULL}, {"off", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "sqlite-synchronous",
     .type = OPTION_STRING,
     .fallback = "normal",
     .help = "when to wait for the disk",
     .choices = OPTION_CHOICES({"off", NULL}, {"normal", NULL}, {"full", NULL}, {"extra", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "sqlite-busy-timeout",
     .type = OPTION_INT,
     .fallback = "5000",
     .help = "milliseconds to wait for a lock before the event is restarted",
     .max = 86400000,
     .field = OPTION_NO_FIELD},
    {.name = "sqlite-cache-size",
     .type = OPTION_SIZE,
     .fallback = "8M",
     .help = "page cache of each connection",
     .min = 1024,
     .max = 1024.0 * 1024 * 1024 * 1024,
     .field = OPTION_NO_FIELD},
    {.name = "sqlite-extension",
     .type = OPTION_FILE,
     .fallback = "",
     .help = "shared library with an extension that each connection loads",
     .field = OPTION_NO_FIELD},
};

const struct driver_ops sqlite_driver = {
    .name = "sqlite",
    .description = "SQLite driver",
    .language = &sql_language,
    .options = sqlite_options,
    .options_count = ARRAY_SIZE(sqlite_options),
    .max_statement_bytes = 1000 * 1000 * 1000, /* SQLITE_MAX_SQL_LENGTH as distributed */
    .in_process = true,
    .supports_prepare = true,
    .init = sqlite_init,
    .fini = sqlite_fini,
    .connect = sqlite_connect,
    .connect_advice = sqlite_connect_advice,
    .disconnect = sqlite_disconnect,
    .query = sqlite_query,
    .prepare = sqlite_prepare,
    .execute = sqlite_execute,
    .close_statement = sqlite_close_statement,
    .cancel = sqlite_cancel,
    .moved = sqlite_moved,
    .in_transaction = sqlite_in_transaction,
    .recover = sqlite_recover,
    .escape = sqlite_escape,
    .waits = &sqlite_waits,
};

static sqlite3 *db_of(const struct driver_conn *conn)
{
    return ((const struct sqlite_handle *)conn->handle)->db;
}

static const char *check_path(const char *value)
{
    return *value != '\0' ? NULL : "the name of a file";
}

static int sqlite_init(const struct options *options, void **shared)
{
    if (!sqlite3_threadsafe()) {
        log_text(LOG_FATAL, "the SQLite library was built without support for threads");
        return -1;
    }
    /*
     * With memory statistics, every allocation would take a lock that all threads share. The call
     * has no effect if SQLite is already in use, which does no harm.
     */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);

    struct sqlite_shared *s = xcalloc(1, sizeof(*s));
    pthread_mutex_init(&s->connecting, NULL);
    s->sessions = own_sessions_create();
    s->path = options_string(options, "sqlite-db");
    s->journal_mode = options_string(options, "sqlite-journal-mode");
    s->synchronous = options_string(options, "sqlite-synchronous");
    s->extension = options_string(options, "sqlite-extension");
    s->busy_timeout_ms = (int)options_int(options, "sqlite-busy-timeout");
    s->cache_bytes = options_int(options, "sqlite-cache-size");
    *shared = s;
    return 0;
}

static void sqlite_fini(void *shared)
{
    struct sqlite_shared *s = shared;

    pthread_mutex_destroy(&s->connecting);
    own_sessions_destroy(s->sessions);
    free(s);
}

/* Returns a description of an error that concerns the file, for the message before SQLite's own
 * text. Returns NULL for other errors. */
static const char *file_trouble(int code)
{
    switch (code & 0xff) {
    case SQLITE_CANTOPEN:
        return "cannot be opened";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "cannot be written";
    case SQLITE_FULL:
        return "cannot grow";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "is damaged or no database";
    case SQLITE_IOERR:
        return "cannot be read or written";
    default:
        return NULL;
    }
}

/*
 * Tries to open the database file and to write its folder. Returns the reason of the failure, or
 * NULL if both work. SQLite's own errno is useless here: it belongs to SQLite's last attempt, not
 * to the one that shows the cause.
 */
static const char *system_trouble(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash + 1 - path)) : strdup("./");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    const char *trouble = NULL;

    if (file < 0)
        trouble = strerror(errno);
    else if (euidaccess(checked_alloc(folder), W_OK | X_OK) < 0)
        trouble = "its folder cannot be written";
    if (file >= 0)
        close(file);
    free(folder);
    return trouble;
}

/* Fills conn->error from the last failed call on `db`, whose result was `code` (extended). */
static enum driver_status fail(struct driver_conn *conn, sqlite3 *db, int code)
{
    const struct sqlite_shared *s = conn->shared;
    const char *trouble = file_trouble(code);
    const char *text = NULL;
    int primary = code & 0xff;
    bool locked = primary == SQLITE_BUSY || primary == SQLITE_LOCKED;

    if (trouble == NULL)
        return driver_fail(conn, code, "", locked, "%s", sqlite3_errmsg(db));
    if (primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY)
        text = system_trouble(s->path);
    return driver_fail(conn, code, "", false, "database file '%s' %s: %s", s->path, trouble,
                       text != NULL ? text : sqlite3_errmsg(db));
}

/* The first value of a PRAGMA's answer. */
struct answer {
    char text[32];
};

static int keep_answer(void *arg, int columns, char **values, char **names)
{
    struct answer *answer = arg;

    (void)names;
    if (columns > 0 && values[0] != NULL)
        snprintf(answer->text, sizeof(answer->text), "%s", values[0]);
    return 0;
}

/* Executes a PRAGMA. Retries if the file is locked, up to the busy timeout, because SQLite does not
 * wait for all locks. */
static enum driver_status set_pragma(struct driver_conn *conn, sqlite3 *db, const char *pragma,
                                     struct answer *answer)
{
    const struct sqlite_shared *s = conn->shared;
    int64_t give_up_ns = clock_now_ns() + s->busy_timeout_ms * NS_PER_MS;
    int code;

    while ((code = sqlite3_exec(db, pragma, keep_answer, answer, NULL)) != SQLITE_OK) {
        int64_t now_ns = clock_now_ns();
        if ((code & 0xff) == SQLITE_BUSY && now_ns < give_up_ns)
            clock_sleep_until_ns(now_ns + NS_PER_MS);
        else if ((code & 0xff) == SQLITE_BUSY)
            return driver_fail(conn, code, "", false,
                               "database file '%s' is locked by another program", s->path);
        else
            return fail(conn, db, code);
    }
    return DRIVER_OK;
}

static enum driver_status set_journal_mode(struct driver_conn *conn, sqlite3 *db)
{
    const struct sqlite_shared *s = conn->shared;
    struct answer mode = {""};
    char pragma[64];

    snprintf(pragma, sizeof(pragma), "PRAGMA journal_mode=%s", s->journal_mode);
    if (set_pragma(conn, db, pragma, &mode) == DRIVER_ERROR)
        return DRIVER_ERROR;
    if (strcmp(mode.text, s->journal_mode) == 0)
        return DRIVER_OK;
    return driver_fail(conn, SQLITE_ERROR, "", false,
                       "database file '%s' does not accept journal mode %s and keeps %s", s->path,
                       s->journal_mode, mode.text);
}

static enum driver_status configure(struct driver_conn *conn, sqlite3 *db)
{
    const struct sqlite_shared *s = conn->shared;
    struct answer ignored;
    char synchronous[64], cache[64];

    snprintf(synchronous, sizeof(synchronous), "PRAGMA synchronous=%s", s->synchronous);
    snprintf(cache, sizeof(cache), "PRAGMA cache_size=-%lld", (long long)(s->cache_bytes / 1024));
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, s->busy_timeout_ms);
    if (set_journal_mode(conn, db) == DRIVER_ERROR ||
        set_pragma(conn, db, synchronous, &ignored) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return set_pragma(conn, db, cache, &ignored);
}

/* SQL functions cannot load further extensions: only this call is allowed to. */
static enum driver_status load_extension(struct driver_conn *conn, sqlite3 *db)
{
    const struct sqlite_shared *s = conn->shared;
    char *reason = NULL;

    if (*s->extension == '\0')
        return DRIVER_OK;
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    int code = sqlite3_load_extension(db, s->extension, NULL, &reason);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    if (code != SQLITE_OK)
        driver_fail(conn, code, "", false, "--sqlite-extension: '%s' cannot be loaded: %s",
                    s->extension, reason != NULL ? reason : sqlite3_errmsg(db));
    sqlite3_free(reason);
    return code == SQLITE_OK ? DRIVER_OK : DRIVER_ERROR;
}

static enum driver_status open_file(struct driver_conn *conn, sqlite3 **db)
{
    const struct sqlite_shared *s = conn->shared;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(s->path, db, flags, NULL);

    if (code == SQLITE_OK)
        code = sqlite_vectors_add(*db);
    if (code != SQLITE_OK)
        return fail(conn, *db, code);
    return load_extension(conn, *db) == DRIVER_OK ? configure(conn, *db) : DRIVER_ERROR;
}

static enum driver_status sqlite_connect(struct driver_conn *conn)
{
    struct sqlite_shared *s = conn->shared;
    sqlite3 *db;

    pthread_mutex_lock(&s->connecting);
    enum driver_status status = open_file(conn, &db);
    pthread_mutex_unlock(&s->connecting);
    if (status == DRIVER_ERROR) {
        sqlite3_close(db);
        return status;
    }
    struct sqlite_handle *handle = xcalloc(1, sizeof(*handle));
    handle->db = db;
    conn->handle = handle;
    sqlite_moved(conn);
    return status;
}

static const char *sqlite_connect_advice(const struct driver_conn *conn)
{
    const bool cannot_open = conn->error.code == SQLITE_CANTOPEN;

    return cannot_open ? "Check --sqlite-db: the file is created, but its folder must exist."
                       : NULL;
}

static void sqlite_disconnect(struct driver_conn *conn)
{
    struct sqlite_shared *s = conn->shared;
    struct sqlite_handle *handle = conn->handle;

    sqlite3_close(handle->db);
    if (handle->session != NULL)
        own_session_destroy(s->sessions, handle->session);
    free(handle);
}

static void add_value(struct rowset *rows, sqlite3_stmt *handle, int column)
{
    const char *value = NULL;

    switch (sqlite3_column_type(handle, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_BLOB:
        value = sqlite3_column_blob(handle, column);
        value = value != NULL ? value : ""; /* SQLite returns NULL for an empty BLOB */
        break;
    default:
        value = (const char *)sqlite3_column_text(handle, column);
    }
    rowset_add(rows, value, (size_t)sqlite3_column_bytes(handle, column));
}

static void add_row(struct rowset *rows, sqlite3_stmt *handle)
{
    for (int i = 0; i < (int)rows->nfields; i++)
        add_value(rows, handle, i);
    rowset_end_row(rows);
}

/* After a statement that is not a write, such as COMMIT, sqlite3_changes64() repeats the count of
 * the last write. `changed` is true if the total count of the connection has grown. */
static void take_count(struct driver_conn *conn, bool changed)
{
    conn->rows_matched = conn->rows_changed = (uint64_t)sqlite3_changes64(db_of(conn));
    conn->changed += changed ? conn->rows_changed : 0;
}

/*
 * Executes a statement to its end and resets it, so that no read transaction stays open. Keeps the
 * rows unless an earlier statement of the same text has returned a result set.
 */
static enum driver_status run(struct driver_conn *conn, sqlite3_stmt *handle)
{
    const sqlite3_int64 before = sqlite3_total_changes64(db_of(conn));
    struct own_session *session = ((struct sqlite_handle *)conn->handle)->session;
    int columns = sqlite3_column_count(handle);
    bool keep = columns > 0 && conn->rows.nfields == 0;

    if (keep)
        rowset_start(&conn->rows, (uint32_t)columns);
    if (UNLIKELY(session != NULL))
        own_session_set(session, own_session_on_cpu);
    while (sqlite3_step(handle) == SQLITE_ROW)
        if (conn->count_only)
            conn->counted++;
        else if (keep)
            add_row(&conn->rows, handle);
    int code = sqlite3_reset(handle); /* returns the error of the last step */
    if (UNLIKELY(session != NULL))
        own_session_set(session, NULL);
    if (code != SQLITE_OK)
        return fail(conn, db_of(conn), code);
    take_count(conn, sqlite3_total_changes64(db_of(conn)) != before);
    return conn->rows.nfields > 0 ? DRIVER_ROWS : DRIVER_OK;
}

static enum driver_status sqlite_query(struct driver_conn *conn, const char *text, size_t length)
{
    const char *end = text + length;
    enum driver_status status = DRIVER_OK;

    while (text < end && status != DRIVER_ERROR) {
        const char *begin = text;
        sqlite3_stmt *handle;
        int code = sqlite3_prepare_v2(db_of(conn), text, (int)(end - text), &handle, &text);
        if (code != SQLITE_OK)
            return fail(conn, db_of(conn), code);
        if (handle == NULL && text == begin)
            return driver_fail(conn, SQLITE_ERROR, "", false, "a NUL byte in a statement");
        if (handle == NULL)
            continue; /* blanks or a comment */
        status = run(conn, handle);
        sqlite3_finalize(handle);
    }
    return status;
}

/* Returns false if the text contains only blanks, semicolons and comments. */
static bool more_text(sqlite3 *db, const char *text, const char *end)
{
    while (text < end) {
        const char *begin = text;
        sqlite3_stmt *handle;
        if (sqlite3_prepare_v2(db, text, (int)(end - text), &handle, &text) != SQLITE_OK)
            return true;
        sqlite3_finalize(handle);
        if (handle != NULL || text == begin)
            return true;
    }
    return false;
}

static enum driver_status sqlite_prepare(struct driver_stmt *stmt, const char *text, size_t length)
{
    struct driver_conn *conn = stmt->conn;
    sqlite3_stmt *handle;
    const char *rest;
    int code = sqlite3_prepare_v3(db_of(conn), text, (int)length, SQLITE_PREPARE_PERSISTENT,
                                  &handle, &rest);

    if (code != SQLITE_OK)
        return fail(conn, db_of(conn), code);
    if (handle == NULL || more_text(db_of(conn), rest, text + length)) {
        sqlite3_finalize(handle);
        return driver_fail(conn, SQLITE_MISUSE, "", false,
                           "exactly one statement can be prepared at a time");
    }
    stmt->handle = handle;
    return DRIVER_OK;
}

static int bind_value(sqlite3_stmt *handle, int position, const struct sql_param *param)
{
    if (param->null)
        return sqlite3_bind_null(handle, position);
    if (sql_type_is_integer(param->type))
        return sqlite3_bind_int64(handle, position, param->integer);
    if (sql_type_is_number(param->type))
        return sqlite3_bind_double(handle, position, param->number);
    return sqlite3_bind_text64(handle, position, param->text, param->length, SQLITE_STATIC,
                               SQLITE_UTF8);
}

static enum driver_status sqlite_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int code = bind_value(stmt->handle, (int)i + 1, params[i]);
        if (code != SQLITE_OK)
            return fail(stmt->conn, db_of(stmt->conn), code);
    }
    return run(stmt->conn, stmt->handle);
}

static void sqlite_close_statement(struct driver_stmt *stmt)
{
    sqlite3_finalize(stmt->handle);
}

static void sqlite_cancel(struct driver_conn *conn)
{
    sqlite3_interrupt(db_of(conn));
}

static bool sqlite_in_transaction(const struct driver_conn *conn)
{
    return !sqlite3_get_autocommit(db_of(conn));
}

static void sqlite_recover(struct driver_conn *conn)
{
    if (!sqlite3_get_autocommit(db_of(conn)))
        sqlite3_exec(db_of(conn), "ROLLBACK", NULL, NULL, NULL);
}

static size_t sqlite_escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    (void)conn;
    return sql_text_double_quotes(to, text, length);
}
