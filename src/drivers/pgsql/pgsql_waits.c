/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples the sessions of PostgreSQL: their states, wait events and blockers. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/wait_field.h"
#include "stats/waits/wait_list.h"

/* Blockers are looked up for at most this many sessions of a sample: the lookup locks the server's
 * whole table of locks. */
#define LOOKED_UP "32"

/*
 * The statements are prepared, because planning takes ten times as long as execution. The function
 * is that of the view pg_stat_activity, whose joins take as long as the function itself. If the
 * user may not see a session of another user, this session has no state.
 */
static const char prepare[] =
    "PREPARE sysrate_waits AS"
    " SELECT pid, state, wait_event_type, wait_event,"
    " coalesce(nullif(application_name, ''), backend_type), pg_get_userbyid(usesysid),"
    " extract(epoch FROM clock_timestamp() - xact_start), left(query, 120)"
    " FROM pg_stat_get_activity(NULL) WHERE pid <> pg_backend_pid()"
    " AND state IS DISTINCT FROM 'idle' AND datid IS NOT NULL;"
    "PREPARE sysrate_locks AS"
    " WITH a AS (SELECT pid, row_number() OVER () AS number FROM pg_stat_get_activity(NULL)"
    " WHERE wait_event_type = 'Lock'),"
    /* A session that waits for the transaction that has changed a row holds the lock of this row. */
    " l AS (SELECT pid, min(relation::regclass::text) AS name FROM pg_locks"
    " WHERE (NOT granted OR locktype = 'tuple') AND relation IS NOT NULL GROUP BY pid)"
    " SELECT a.pid, CASE WHEN number <= " LOOKED_UP " THEN (pg_blocking_pids(a.pid))[1] END, l.name"
    " FROM a LEFT JOIN l ON l.pid = a.pid";

static const char execute[] = "EXECUTE sysrate_waits";
/* Executed only if a session waits for a lock, because it locks the server's table of locks. */
static const char execute_locks[] = "EXECUTE sysrate_locks";

/* The columns of the two statements. */
enum { PID, STATE, TYPE, EVENT, PROGRAM, USER, SECONDS, TEXT, COLUMNS };
enum { WAITING_PID, BLOCKER, OBJECT, LOCK_COLUMNS };

/* Largest number of sessions that are kept of each kind: those that the user may not see, and
 * blockers. */
#define KEPT 64
struct seen {
    uint64_t hidden[KEPT], blocker[KEPT];
    unsigned hidden_count, blocker_count;
    bool disabled; /* the server does not track activities */
};

static uint64_t session(const struct driver_conn *conn);
static bool knows(struct driver_conn *conn, uint64_t id);
static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg);
static int64_t gap_ns(const struct driver_conn *conn);

const struct driver_waits pgsql_waits = {
    .session = session, .knows = knows, .sample = sample, .gap_ns = gap_ns};

static uint64_t session(const struct driver_conn *conn)
{
    const struct pgsql_connection *c = conn->handle;
    return c != NULL ? (uint64_t)PQbackendPID(c->pg) : 0;
}

static bool knows(struct driver_conn *conn, uint64_t id)
{
    char text[96];
    const int length =
        snprintf(text, sizeof(text), "SELECT 1 FROM pg_stat_activity WHERE pid = %" PRIu64, id);
    conn->asked++;
    return pgsql_query(conn, text, (size_t)length) != DRIVER_ROWS || conn->rows.nrows > 0;
}

static int64_t gap_ns(const struct driver_conn *conn)
{
    (void)conn;
    return 0;
}

static bool is_text(const struct rowset_field *field, const char *text)
{
    return field->text != NULL && field->length == strlen(text) &&
           memcmp(field->text, text, field->length) == 0;
}

/* A session that executes nothing, or waits for the rest of its statement, waits for the client. */
static enum wait_activity activity_of(const struct rowset_field *row)
{
    const bool active =
        is_text(&row[STATE], "active") || is_text(&row[STATE], "fastpath function call");
    if (!active || is_text(&row[EVENT], "ClientRead"))
        return WAIT_FOR_CLIENT;
    return row[EVENT].text == NULL ? WAIT_ON_CPU : WAIT_FOR_EVENT;
}

static void set_event(struct wait_session *s, const struct rowset_field *row)
{
    char type[24], event[38];
    wait_field_copy(type, sizeof(type), &row[TYPE]);
    wait_field_copy(event, sizeof(event), &row[EVENT]);
    snprintf(s->event, sizeof(s->event), "%s:%s", type, event);
}

static void note(struct seen *seen, const struct rowset_field *row, const struct wait_session *s)
{
    if (row[STATE].text == NULL && seen->hidden_count < KEPT)
        seen->hidden[seen->hidden_count++] = s->id;
    seen->disabled = seen->disabled || is_text(&row[STATE], "disabled");
}

static void read_session(const struct rowset_field *row, struct wait_session *s)
{
    *s = (struct wait_session){.id = wait_field_id(&row[PID]),
                               .activity = activity_of(row),
                               .blocker = is_text(&row[TYPE], "Lock") ? WAIT_UNKNOWN_BLOCKER
                                                                      : WAIT_NO_BLOCKER,
                               .seconds = wait_field_number(&row[SECONDS])};
    if (s->activity == WAIT_FOR_EVENT)
        set_event(s, row);
    wait_field_copy(s->program, sizeof(s->program), &row[PROGRAM]);
    wait_field_copy(s->user, sizeof(s->user), &row[USER]);
    wait_field_copy(s->state, sizeof(s->state), &row[STATE]);
    wait_field_copy(s->text, sizeof(s->text), &row[TEXT]);
}

static bool has_hidden_blocker(const struct seen *seen)
{
    for (unsigned i = 0; i < seen->hidden_count; i++)
        for (unsigned k = 0; k < seen->blocker_count; k++)
            if (seen->hidden[i] == seen->blocker[k])
                return true;
    return false;
}

static enum driver_status judge(struct driver_conn *conn, const struct seen *seen)
{
    const struct pgsql_connection *c = conn->handle;
    if (seen->disabled) {
        conn->refused = true;
        return driver_fail(conn, 0, "", false,
                           "the server does not track what sessions do: "
                           "ALTER SYSTEM SET track_activities = on");
    }
    if (has_hidden_blocker(seen)) {
        conn->not_allowed = true;
        driver_fail(conn, 0, "", false,
                    "what blocking sessions of other users do is not visible: "
                    "GRANT pg_read_all_stats TO \"%s\"",
                    PQuser(c->pg));
    }
    return DRIVER_OK;
}

static enum driver_status prepare_once(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;
    if (c->samples_waits)
        return DRIVER_OK;
    conn->asked++;
    const enum driver_status status = pgsql_query(conn, prepare, strlen(prepare));
    c->samples_waits = status != DRIVER_ERROR;
    return status;
}

/* pg_blocking_pids() returns 0 for a prepared transaction, which no session holds. */
static void add_blocker(struct wait_list *waiting, const struct rowset_field *row)
{
    const uint64_t id = wait_field_id(&row[WAITING_PID]), pid = wait_field_id(&row[BLOCKER]);
    struct wait_session *s = wait_list_find(waiting, id);
    if (s == NULL)
        return;
    s->blocker = pid != 0 ? pid : WAIT_UNKNOWN_BLOCKER;
    wait_field_copy(s->object, sizeof(s->object), &row[OBJECT]);
}

/* Looks up who blocks the sessions. A session that has got its lock in the meantime keeps an
 * unknown blocker. */
static enum driver_status find_blockers(struct driver_conn *conn, struct wait_list *waiting)
{
    const struct rowset_field *row;
    if (waiting->count == 0)
        return DRIVER_OK;
    conn->asked++;
    const enum driver_status status = pgsql_query(conn, execute_locks, strlen(execute_locks));
    if (status != DRIVER_ROWS || conn->rows.nfields < LOCK_COLUMNS)
        return DRIVER_ERROR;
    wait_list_sort(waiting);
    while ((row = pgsql_fetch(conn)) != NULL)
        add_blocker(waiting, row);
    return DRIVER_OK;
}

static enum driver_status read_sessions(struct driver_conn *conn, struct seen *seen,
                                        struct wait_list *waiting, wait_session_add *add, void *arg)
{
    const struct rowset_field *row;
    struct wait_session s;
    conn->asked++;
    const enum driver_status status = pgsql_query(conn, execute, strlen(execute));
    if (status != DRIVER_ROWS || conn->rows.nfields < COLUMNS)
        return DRIVER_ERROR;
    while ((row = pgsql_fetch(conn)) != NULL) {
        read_session(row, &s);
        note(seen, row, &s);
        if (s.blocker == WAIT_UNKNOWN_BLOCKER)
            *wait_list_append(waiting) = s;
        else
            add(arg, &s);
    }
    return find_blockers(conn, waiting);
}

static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg)
{
    struct seen seen = {.hidden_count = 0};
    struct wait_list waiting = {0};

    if (prepare_once(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    const enum driver_status status = read_sessions(conn, &seen, &waiting, add, arg);
    for (unsigned i = 0; i < waiting.count && status != DRIVER_ERROR; i++) {
        if (seen.blocker_count < KEPT)
            seen.blocker[seen.blocker_count++] = waiting.session[i].blocker;
        add(arg, &waiting.session[i]);
    }
    wait_list_fini(&waiting);
    return status == DRIVER_ERROR ? status : judge(conn, &seen);
}
