/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the sessions of MariaDB and MySQL: their states, the locks that they wait for, and the
 * holders of these locks.
 *
 * MariaDB has no wait events unless its performance schema is on, so the state of a session is its
 * label ("Updating"). Waits for row locks are in INNODB_TRX, which MariaDB refreshes only if it was
 * not read for 0.1 s (see gap_ns()). A wait for a metadata lock is visible only as the state of the
 * session. If the plugin METADATA_LOCK_INFO is loaded, it names the holder and the table of the
 * lock. On MySQL, performance_schema has the events, the locks and their holders.
 */
#include <inttypes.h>
#include <mysqld_error.h>
#include <string.h>

#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/wait_field.h"
#include "stats/waits/wait_list.h"

static uint64_t session(const struct driver_conn *conn);
static bool knows(struct driver_conn *conn, uint64_t id);
static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg);
static int64_t gap_ns(const struct driver_conn *conn);

const struct driver_waits mysql_waits = {
    .session = session, .knows = knows, .sample = sample, .gap_ns = gap_ns};

/* The beginning of the state of a session that waits for a metadata lock. */
#define METADATA_STATE "Waiting for table"
/* The names of waits for locks. */
#define METADATA_EVENT "Lock:table metadata"
#define ROW_EVENT "Lock:row"

/* The columns of all statements about sessions. */
enum { ID, COMMAND, EVENT, STATE, USER, HOST, SECONDS, TEXT, BLOCKER, OBJECT, COLUMNS };

/* SHOW PROCESSLIST takes a twentieth of the time of mariadb_sessions, but returns whole seconds and
 * only 100 bytes of a statement. The sessions are read again by mariadb_sessions only to describe
 * those that block others: see needs_description(). */
static const char mariadb_show[] = "SHOW PROCESSLIST";

enum { SHOW_ID, SHOW_USER, SHOW_HOST, SHOW_DB, SHOW_COMMAND, SHOW_TIME, SHOW_STATE, SHOW_INFO };

/* SHOW PROCESSLIST returns at most this many bytes of a statement. It may cut a character. */
#define SHOWN_BYTES 100

static const char mariadb_sessions[] =
    "SELECT ID, COMMAND, NULL, STATE, USER, HOST, TIME_MS / 1000, LEFT(INFO, 120), NULL, NULL"
    " FROM information_schema.PROCESSLIST"
    " WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Daemon', 'Binlog Dump')";

/* At most this many sessions that wait for locks on rows are read. */
#define LOCK_ROWS "10000"

/* Returns a row if a session waits for a row lock. */
static const char mariadb_any_row[] =
    "SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT' LIMIT 1";

static const char mariadb_rows[] =
    "SELECT r.trx_mysql_thread_id, MIN(b.trx_mysql_thread_id), MIN(l.lock_table)"
    " FROM information_schema.INNODB_TRX r"
    " LEFT JOIN information_schema.INNODB_LOCK_WAITS w ON w.requesting_trx_id = r.trx_id"
    " LEFT JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id"
    " LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id"
    " WHERE r.trx_state = 'LOCK WAIT' GROUP BY r.trx_mysql_thread_id LIMIT " LOCK_ROWS;

/* Metadata locks that block statements which only read or change rows. */
static const char mariadb_metadata[] =
    "SELECT THREAD_ID, TABLE_SCHEMA, TABLE_NAME FROM information_schema.METADATA_LOCK_INFO"
    " WHERE LOCK_TYPE = 'Table metadata lock' AND LOCK_MODE IN ('MDL_EXCLUSIVE',"
    " 'MDL_SHARED_NO_READ_WRITE', 'MDL_SHARED_NO_WRITE', 'MDL_SHARED_READ_ONLY')";

static const char mysql_sessions[] =
    "SELECT t.PROCESSLIST_ID, t.PROCESSLIST_COMMAND, e.EVENT_NAME, t.PROCESSLIST_STATE,"
    " t.PROCESSLIST_USER, t.PROCESSLIST_HOST, t.PROCESSLIST_TIME, LEFT(t.PROCESSLIST_INFO, 120),"
    " b.PROCESSLIST_ID, COALESCE(w.name, CONCAT(m.OBJECT_SCHEMA, '.', m.OBJECT_NAME))"
    " FROM performance_schema.threads t"
    " LEFT JOIN (SELECT THREAD_ID, MIN(EVENT_NAME) AS EVENT_NAME"
    " FROM performance_schema.events_waits_current WHERE END_EVENT_ID IS NULL GROUP BY THREAD_ID) e"
    " ON e.THREAD_ID = t.THREAD_ID"
    " LEFT JOIN (SELECT d.REQUESTING_THREAD_ID, MIN(d.BLOCKING_THREAD_ID) AS BLOCKING_THREAD_ID,"
    " MIN(CONCAT(l.OBJECT_SCHEMA, '.', l.OBJECT_NAME)) AS name"
    " FROM performance_schema.data_lock_waits d LEFT JOIN performance_schema.data_locks l"
    " ON l.ENGINE_LOCK_ID = d.REQUESTING_ENGINE_LOCK_ID GROUP BY d.REQUESTING_THREAD_ID) w"
    " ON w.REQUESTING_THREAD_ID = t.THREAD_ID"
    " LEFT JOIN (SELECT p.OWNER_THREAD_ID AS waiter, MIN(g.OWNER_THREAD_ID) AS holder,"
    " MIN(p.OBJECT_SCHEMA) AS OBJECT_SCHEMA, MIN(p.OBJECT_NAME) AS OBJECT_NAME"
    " FROM performance_schema.metadata_locks p LEFT JOIN performance_schema.metadata_locks g"
    " ON g.OBJECT_TYPE = p.OBJECT_TYPE AND g.OBJECT_SCHEMA = p.OBJECT_SCHEMA"
    " AND g.OBJECT_NAME = p.OBJECT_NAME AND g.LOCK_STATUS = 'GRANTED'"
    " AND g.OWNER_THREAD_ID <> p.OWNER_THREAD_ID"
    " WHERE p.LOCK_STATUS = 'PENDING' AND p.OBJECT_TYPE = 'TABLE' GROUP BY p.OWNER_THREAD_ID) m"
    " ON m.waiter = t.THREAD_ID"
    " LEFT JOIN performance_schema.threads b"
    " ON b.THREAD_ID = COALESCE(w.BLOCKING_THREAD_ID, m.holder)"
    " WHERE t.PROCESSLIST_ID <> CONNECTION_ID() AND t.TYPE = 'FOREGROUND'";

static bool is_mariadb(const struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    return mysql_is_mariadb(c->mysql);
}

static uint64_t session(const struct driver_conn *conn)
{
    const struct mysql_connection *c = conn->handle;
    return c != NULL ? mysql_thread_id(c->mysql) : 0; /* NULL in a dry run */
}

/* Returns the shortest time between two samples, with a margin of 5 ms: MariaDB copies INNODB_TRX
 * and the tables of locks to a cache, and refreshes the cache only if it was not read for 0.1 s. */
static int64_t gap_ns(const struct driver_conn *conn)
{
    return conn->handle != NULL && is_mariadb(conn) ? 105 * NS_PER_MS : 0;
}

/* Executes a statement that returns rows, and counts it. Returns −1 if it failed or returned no
 * result. */
static int ask(struct driver_conn *conn, const char *text)
{
    conn->asked++;
    return mysql_text_query(conn, text, strlen(text)) == DRIVER_ROWS ? 0 : -1;
}

static bool knows(struct driver_conn *conn, uint64_t id)
{
    char text[96];
    snprintf(text, sizeof(text), "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %" PRIu64,
             id);
    return conn->handle == NULL || ask(conn, text) != 0 || mysql_result_fetch(conn) != NULL;
}

static bool is_text(const struct rowset_field *field, const char *text)
{
    return field->text != NULL && field->length == strlen(text) &&
           memcmp(field->text, text, field->length) == 0;
}

static bool has_value(const struct rowset_field *field)
{
    return field->text != NULL && field->length > 0;
}

static bool waits_for_table(const struct rowset_field *row)
{
    const struct rowset_field *state = &row[STATE];
    return state->text != NULL && state->length >= strlen(METADATA_STATE) &&
           memcmp(state->text, METADATA_STATE, strlen(METADATA_STATE)) == 0;
}

/* Sets the event of a session to a lock on a table, or to the wait event, or if there is no wait
 * event, to the state or the command. */
static void set_event(struct wait_session *s, const struct rowset_field *row)
{
    const struct rowset_field *field = has_value(&row[EVENT])   ? &row[EVENT]
                                       : has_value(&row[STATE]) ? &row[STATE]
                                                                : &row[COMMAND];
    wait_field_copy(s->event, sizeof(s->event), field);
    if (waits_for_table(row)) {
        s->blocker = WAIT_UNKNOWN_BLOCKER;
        snprintf(s->event, sizeof(s->event), METADATA_EVENT);
    }
}

static void read_session(const struct rowset_field *row, struct wait_session *s)
{
    const bool sleeps = is_text(&row[COMMAND], "Sleep");
    s->id = wait_field_id(&row[ID]);
    s->activity = sleeps ? WAIT_FOR_CLIENT : WAIT_FOR_EVENT;
    s->seconds = wait_field_number(&row[SECONDS]);
    if (!sleeps)
        set_event(s, row);
    if (has_value(&row[BLOCKER])) {
        s->blocker = wait_field_id(&row[BLOCKER]);
        if (strcmp(s->event, METADATA_EVENT) != 0)
            snprintf(s->event, sizeof(s->event), ROW_EVENT);
    }
    wait_field_copy(s->object, sizeof(s->object), &row[OBJECT]);
    wait_field_copy(s->program, sizeof(s->program), &row[HOST]);
    wait_field_copy(s->user, sizeof(s->user), &row[USER]);
    wait_field_copy(s->state, sizeof(s->state), sleeps ? &row[COMMAND] : &row[STATE]);
    wait_field_copy(s->text, sizeof(s->text), &row[TEXT]);
}

static int read_sessions(struct driver_conn *conn, const char *text, struct wait_list *sessions)
{
    const struct rowset_field *row;
    if (ask(conn, text) != 0)
        return -1;
    while (conn->rows.nfields >= COLUMNS && (row = mysql_result_fetch(conn)) != NULL)
        if (has_value(&row[ID]))
            read_session(row, wait_list_append(sessions));
    for (size_t i = 0; is_mariadb(conn) && i < sessions->count; i++)
        wait_field_cut_port(sessions->session[i].program);
    mysql_result_forget(conn);
    return 0;
}

/* Reads the sessions that mariadb_sessions would return. */
static int show_sessions(struct driver_conn *conn, struct wait_list *sessions)
{
    const struct mysql_connection *c = conn->handle;
    const struct rowset_field *row;
    if (ask(conn, mariadb_show) != 0)
        return -1;
    while (conn->rows.nfields > SHOW_INFO && (row = mysql_result_fetch(conn)) != NULL) {
        const struct rowset_field same[COLUMNS] = {
            [ID] = row[SHOW_ID],     [COMMAND] = row[SHOW_COMMAND], [STATE] = row[SHOW_STATE],
            [USER] = row[SHOW_USER], [HOST] = row[SHOW_HOST],       [SECONDS] = row[SHOW_TIME],
            [TEXT] = row[SHOW_INFO]};
        if (wait_field_id(&same[ID]) == mysql_thread_id(c->mysql) ||
            is_text(&same[COMMAND], "Daemon") || is_text(&same[COMMAND], "Binlog Dump"))
            continue;
        struct wait_session *s = wait_list_append(sessions);
        read_session(same, s);
        /* Leaves out the last byte, and the character that it belongs to. */
        wait_field_copy(s->text, SHOWN_BYTES, &same[TEXT]);
    }
    for (size_t i = 0; i < sessions->count; i++)
        wait_field_cut_port(sessions->session[i].program);
    mysql_result_forget(conn);
    return 0;
}

/* Removes the quotes of a name such as `sbtest`.`sbtest1`. */
static void strip_quotes(char *name)
{
    char *to = name;
    for (const char *from = name; *from != '\0'; from++)
        if (*from != '`')
            *to++ = *from;
    *to = '\0';
}

/* Reads a row of mariadb_rows: a session that waits for a row lock. */
static void set_row_wait(const struct rowset_field *row, struct wait_session *s)
{
    s->id = wait_field_id(&row[0]);
    s->blocker = has_value(&row[1]) ? wait_field_id(&row[1]) : WAIT_UNKNOWN_BLOCKER;
    wait_field_copy(s->object, sizeof(s->object), &row[2]);
    strip_quotes(s->object);
}

/* Returns 1 if a session waits for a row lock, 0 if not, and −1 on failure. */
static int any_row_waits(struct driver_conn *conn)
{
    if (ask(conn, mariadb_any_row) != 0)
        return -1;
    const bool any = mysql_result_fetch(conn) != NULL;
    mysql_result_forget(conn);
    return any;
}

static int read_row_waits(struct driver_conn *conn, struct wait_list *waits)
{
    const struct rowset_field *row;
    if (ask(conn, mariadb_rows) != 0)
        return -1;
    while ((row = mysql_result_fetch(conn)) != NULL)
        set_row_wait(row, wait_list_append(waits));
    mysql_result_forget(conn);
    return 0;
}

static void add_row_waits(struct wait_list *sessions, const struct wait_list *waits)
{
    wait_list_sort(sessions);
    for (size_t i = 0; i < waits->count; i++) {
        struct wait_session *s = wait_list_find(sessions, waits->session[i].id);
        if (s == NULL || s->activity == WAIT_FOR_CLIENT)
            continue;
        snprintf(s->event, sizeof(s->event), ROW_EVENT);
        s->blocker = waits->session[i].blocker;
        memcpy(s->object, waits->session[i].object, sizeof(s->object));
    }
}

static bool waits_for_metadata(const struct wait_list *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        if (strcmp(sessions->session[i].event, METADATA_EVENT) == 0)
            return true;
    return false;
}

/* Assigns a metadata lock to the sessions that wait for one and whose statement names the table of
 * this lock. */
static void add_holder(struct wait_list *sessions, const struct rowset_field *row)
{
    char schema[64], table[64];
    wait_field_copy(schema, sizeof(schema), &row[1]);
    wait_field_copy(table, sizeof(table), &row[2]);
    for (size_t i = 0; i < sessions->count; i++) {
        struct wait_session *s = &sessions->session[i];
        const uint64_t holder = wait_field_id(&row[0]);
        if (strcmp(s->event, METADATA_EVENT) != 0 || s->id == holder ||
            !wait_field_names(s->text, table))
            continue;
        s->blocker = holder;
        snprintf(s->object, sizeof(s->object), "%.31s.%.31s", schema, table);
    }
}

/* Reads the holders of metadata locks. If the plugin is not loaded, the statement fails, but the
 * sample is still good. */
static enum driver_status read_holders(struct driver_conn *conn, struct wait_list *sessions)
{
    const struct rowset_field *row;
    if (conn->not_allowed || !waits_for_metadata(sessions))
        return DRIVER_OK;
    if (ask(conn, mariadb_metadata) != 0) {
        if (conn->error.connection_lost)
            return DRIVER_ERROR;
        conn->not_allowed = true;
        driver_fail(conn, 0, "", false,
                    "the holders of metadata locks, and their tables, are not visible: "
                    "INSTALL SONAME 'metadata_lock_info'");
        return DRIVER_OK;
    }
    while ((row = mysql_result_fetch(conn)) != NULL)
        add_holder(sessions, row);
    mysql_result_forget(conn);
    return DRIVER_OK;
}

/* Call after a failed statement. If a privilege is missing, replaces the message of the server by
 * one that says what to grant. Returns DRIVER_ERROR. */
static enum driver_status explain_failure(struct driver_conn *conn, bool mariadb)
{
    const struct mysql_shared *shared = conn->shared;
    const int code = conn->error.code;
    if (code != ER_SPECIFIC_ACCESS_DENIED_ERROR && code != ER_TABLEACCESS_DENIED_ERROR)
        return DRIVER_ERROR;
    conn->refused = true;
    return driver_fail(conn, code, conn->error.state, false,
                       mariadb ? "the locks of the server are not visible: "
                                 "GRANT PROCESS ON *.* TO '%s'"
                               : "the sessions of the server are not visible: "
                                 "GRANT SELECT ON performance_schema.* TO '%s'",
                       shared->user != NULL ? shared->user : "");
}

/* Returns true if a session executes a statement. Otherwise no session can wait for a row lock. */
static bool any_executes(const struct wait_list *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        if (sessions->session[i].activity != WAIT_FOR_CLIENT)
            return true;
    return false;
}

/* Returns true if a session that holds a row lock sleeps or has executed its statement for a
 * second. If the session does not belong to this run, the report describes it. The driver does not
 * know which sessions are those of workers, so workers that sleep between two statements count,
 * too. */
static bool needs_description(const struct wait_list *sessions)
{
    for (size_t i = 0; i < sessions->count; i++) {
        const struct wait_session *s = wait_list_find(sessions, sessions->session[i].blocker);
        if (s != NULL && (s->activity == WAIT_FOR_CLIENT || s->seconds >= 1))
            return true;
    }
    return false;
}

/* Reads the times, states and texts that describe the sessions. Activity, event and blocker stay
 * those that were read first: if they were replaced only in some samples, the moment of a sample
 * would depend on what the sessions do, and the shares would be biased. */
static enum driver_status describe(struct driver_conn *conn, struct wait_list *sessions)
{
    struct wait_list now = {0};
    const int failed = read_sessions(conn, mariadb_sessions, &now);
    for (size_t i = 0; i < now.count; i++) {
        struct wait_session *s = wait_list_find(sessions, now.session[i].id);
        if (s == NULL)
            continue;
        s->seconds = now.session[i].seconds;
        memcpy(s->state, now.session[i].state, sizeof(s->state));
        memcpy(s->text, now.session[i].text, sizeof(s->text));
    }
    wait_list_fini(&now);
    return failed ? DRIVER_ERROR : DRIVER_OK;
}

/* Adds the row locks that sessions wait for. */
static enum driver_status read_locks(struct driver_conn *conn, struct wait_list *sessions)
{
    struct wait_list waits = {0};
    const int failed = read_row_waits(conn, &waits);
    add_row_waits(sessions, &waits);
    wait_list_fini(&waits);
    if (failed)
        return explain_failure(conn, true);
    return needs_description(sessions) ? describe(conn, sessions) : DRIVER_OK;
}

static enum driver_status sample_mariadb(struct driver_conn *conn, struct wait_list *sessions)
{
    struct mysql_connection *c = conn->handle;
    if (show_sessions(conn, sessions) != 0)
        return DRIVER_ERROR;
    /* The first sample shows whether the locks are visible. */
    const int any = any_executes(sessions) || !c->checked_visible ? any_row_waits(conn) : 0;
    c->checked_visible = true;
    if (any < 0)
        return explain_failure(conn, true);
    const enum driver_status status = any > 0 ? read_locks(conn, sessions) : DRIVER_OK;
    return status == DRIVER_OK ? read_holders(conn, sessions) : status;
}

/* Without the performance schema, its tables are empty. Asks once whether it is on. */
static enum driver_status check_schema(struct driver_conn *conn)
{
    struct mysql_connection *c = conn->handle;
    const struct rowset_field *row;
    if (c->checked_visible)
        return DRIVER_OK;
    if (ask(conn, "SELECT @@performance_schema") != 0)
        return DRIVER_ERROR;
    row = mysql_result_fetch(conn);
    const bool is_off = row != NULL && is_text(&row[0], "0");
    mysql_result_forget(conn);
    c->checked_visible = true;
    if (!is_off)
        return DRIVER_OK;
    conn->refused = true;
    return driver_fail(conn, 0, "", false,
                       "the sessions of the server are not visible: "
                       "start the server with performance_schema=ON");
}

static enum driver_status sample_mysql(struct driver_conn *conn, struct wait_list *sessions)
{
    if (read_sessions(conn, mysql_sessions, sessions) != 0)
        return explain_failure(conn, false);
    return sessions->count > 0 ? DRIVER_OK : check_schema(conn);
}

static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg)
{
    struct wait_list sessions = {0};
    if (conn->handle == NULL) /* a dry run */
        return DRIVER_OK;
    const enum driver_status status =
        is_mariadb(conn) ? sample_mariadb(conn, &sessions) : sample_mysql(conn, &sessions);
    for (size_t i = 0; status == DRIVER_OK && i < sessions.count; i++)
        add(arg, &sessions.session[i]);
    wait_list_fini(&sessions);
    return status;
}
