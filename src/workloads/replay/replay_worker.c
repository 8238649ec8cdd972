/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker thread of a replay: takes arrivals and executes the statements of each session in
 * order. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "drivers/language.h"
#include "engine/worker_api.h"
#include "sql/sql_workload.h"
#include "workloads/replay/replay.h"
#include "workloads/replay/sql_scan.h"
#include "workloads/replay/statement_names.h"

struct replay_thread {
    struct replay *replay;
    const struct workload_worker *worker;
    bool failed;
};

static void put_idle(struct replay *r, sql_connection *con)
{
    pthread_mutex_lock(&r->lock);
    r->idle[r->idle_count++] = con;
    pthread_mutex_unlock(&r->lock);
}

static sql_connection *take_idle(struct replay *r)
{
    pthread_mutex_lock(&r->lock);
    sql_connection *con = r->idle_count > 0 ? r->idle[--r->idle_count] : NULL;
    pthread_mutex_unlock(&r->lock);
    return con;
}

/* Makes the session read only if necessary. On failure returns false and closes the connection, so
 * that the session has to open another one before its next statement. */
static bool set_up(struct replay *r, sql_connection *con)
{
    if (r->set_up == NULL || sql_query_aside(con, r->set_up) == 0)
        return true;
    replay_compare_error(r->compare, r->set_up, sql_error_message(con));
    sql_disconnect(con);
    return false;
}

/* Like set_up(), before the run. If it fails, the run does not start. */
static bool set_up_first(struct replay *r, sql_connection *con)
{
    if (set_up(r, con))
        return true;
    log_text(LOG_FATAL,
             "a session cannot be made read only: %s: %s; with --allow-writes sessions are not "
             "read only",
             r->set_up, sql_error_message(con));
    return false;
}

static int thread_end(void *arg)
{
    free(arg);
    return 0;
}

/* Each worker opens one connection, which is given to the next session that begins. */
static void *thread_start(void *self, const struct workload_worker *worker)
{
    struct replay *r = self;
    sql_thread_enter(r->sql, worker->stats, worker->id);
    sql_thread_be_patient(worker->give_up_ns, worker->arg);
    sql_connection *con = sql_connect(r->driver);
    if (con == NULL)
        return NULL;
    if (!set_up_first(r, con)) {
        sql_connection_free(con);
        return NULL;
    }
    put_idle(r, con);
    struct replay_thread *t = xcalloc(1, sizeof(*t));
    *t = (struct replay_thread){.replay = r, .worker = worker};
    return t;
}

/* Returns the connection of the session, opened and set up if possible; the calling worker uses it
 * from now on. Returns NULL if the connection could not be opened for the first time. */
static sql_connection *connection_of(struct replay_thread *t, struct replay_line *line)
{
    struct replay *r = t->replay;
    if (line->con == NULL) {
        line->con = take_idle(r);
        memcpy(line->database, r->database, sizeof(line->database));
    }
    if (line->con == NULL) {
        const int64_t from_ns = clock_now_ns();
        line->con = sql_connect(r->driver);
        if (line->con == NULL)
            return NULL;
        set_up(r, line->con);
        replay_compare_connected(r->compare, clock_now_ns() - from_ns);
    }
    sql_take_over(line->con, t->worker->stats);
    if (!sql_connected(line->con) && sql_reconnect(line->con) == 0) {
        set_up(r, line->con);
        memcpy(line->database, r->database, sizeof(line->database));
    }
    return line->con;
}

/* Records the error. Closes a lost connection so that the next statement opens it again. */
static bool fail_on_the_way(struct replay *r, struct replay_line *line, const char *text)
{
    replay_compare_error(r->compare, text, sql_error_message(line->con));
    if (sql_connection_lost(line->con))
        sql_disconnect(line->con);
    return false;
}

/* Leaves the database: the protocol allows that only by resetting the session. */
static bool leave_database(struct replay *r, struct replay_line *line)
{
    if (sql_renew(line->con) != 0)
        return fail_on_the_way(r, line, "change of the user");
    line->database[0] = '\0';
    return set_up(r, line->con);
}

/* Notes the database in which the session is according to the log. */
static void follow_log(const struct replay *r, struct replay_line *line,
                       const struct replay_item *item)
{
    if (!r->uses_databases || (item->database[0] == '\0' && !item->nowhere))
        return;
    memcpy(line->home, item->database, sizeof(line->home));
    line->nowhere = item->nowhere;
}

/* Switches to the database in which the log has the statement; a connection that was reopened is
 * not in that database. Returns false on failure: in another database the statement could mean
 * something else. */
static bool use_database(struct replay *r, struct replay_line *line, const struct replay_item *item)
{
    char text[SQL_USE_BYTES(LOG_EVENT_DATABASE_BYTES)];
    const char *database = line->home;
    follow_log(r, line, item);
    if (line->nowhere && (item->nowhere || line->database[0] != '\0'))
        return leave_database(r, line);
    if (database[0] == '\0' || strcmp(database, line->database) == 0)
        return true;
    /* The statement itself is a USE, so it may run in any database. */
    if (sql_scan_use(item->text, item->length, text, sizeof(text)))
        return true;
    sql_write_use(text, database);
    if (sql_query_aside(line->con, text) != 0)
        return fail_on_the_way(r, line, text);
    memcpy(line->database, database, sizeof(line->database));
    return true;
}

/* Notes the new database after a USE statement succeeded. */
static void follow_use(struct replay_line *line, const struct replay_item *item)
{
    char name[LOG_EVENT_DATABASE_BYTES];
    if (!sql_scan_use(item->text, item->length, name, sizeof(name)))
        return;
    memcpy(line->home, name, sizeof(name));
    memcpy(line->database, name, sizeof(name));
    line->nowhere = false;
}

/* Sends the text. If the text names prepared statements, they are replaced by names that are unique
 * to the session. */
static int send_text(const struct replay *r, sql_connection *con, const struct replay_item *item)
{
    if (!item->names_statements)
        return sql_query(con, item->text, item->length);
    char prefix[UNIQUE_BYTES + 16];
    snprintf(prefix, sizeof(prefix), "r%s_%" PRIu32 "_", r->names, item->session);
    size_t length = item->length;
    char *text = statement_names_prefix(item->text, &length, prefix);
    int status = sql_query(con, text, length);
    free(text);
    return status;
}

/* Executes the statement and fetches all of its results. Returns −1 on an error. */
static int execute_text(const struct replay *r, sql_connection *con, const struct replay_item *item)
{
    int status = send_text(r, con, item);
    while (status >= 0 && sql_more_results(con))
        status = sql_next_result(con);
    sql_free_result(con);
    return status;
}

/* Records an error. Returns false if the connection failed: then the error is not comparable to an
 * error in the log. */
static bool note_failure(struct replay *r, struct replay_line *line, const struct replay_item *item)
{
    sql_connection *con = line->con;
    const bool lost = sql_connection_lost(con);
    if (!item->failed || lost)
        replay_compare_error(r->compare, item->text, sql_error_message(con));
    if (!lost)
        return true;
    /* The transaction and other state of the session is lost with the connection, as in any
     * client. */
    if (sql_connected(con) && sql_error_ignore(con) && sql_connected(con)) {
        set_up(r, con);
        memcpy(line->database, r->database, sizeof(line->database));
    }
    return false;
}

static void name_class(const struct replay_item *item, char *name, size_t bytes)
{
    const size_t used = sql_language.class_name(item->text, item->length, name, bytes);
    name[used < bytes ? used : bytes - 1] = '\0';
    worker_set_event_type(worker_event_type(name));
}

/* Executes the statement of the current event and ends the event. */
static void execute(struct replay_thread *t, struct replay_entry *entry, int64_t waited_ns)
{
    struct replay *r = t->replay;
    const struct replay_item *item = entry->item;
    char name[OPERATION_NAME_BYTES];
    name_class(item, name, sizeof(name));
    const int64_t arrival_ns = worker_of_thread()->arrival_ns;
    sql_connection *con = connection_of(t, entry->line);
    int status = -1;
    int64_t begun_ns = clock_now_ns();
    const bool there = con != NULL && sql_connected(con) && use_database(r, entry->line, item);
    if (there) {
        begun_ns = clock_now_ns();
        status = execute_text(r, con, item);
    }
    if (status >= 0)
        follow_use(entry->line, item);
    const int64_t ended_ns = clock_now_ns();
    const bool measured = stats_measures(t->worker->stats);
    const bool answered = there && (status >= 0 || note_failure(r, entry->line, item));
    /* If the statement failed in the log, too, its error is the expected answer. */
    worker_finish(answered && (status >= 0 || item->failed));
    if (!measured)
        return;
    replay_compare_add(r->compare,
                       &(struct replay_outcome){.class_name = name,
                                                .logged_ns = item->duration_ns,
                                                .took_ns = ended_ns - begun_ns,
                                                .due_ns = entry->due_ns,
                                                .begun_ns = entry->due_ns + begun_ns - arrival_ns,
                                                .waited_ns = waited_ns,
                                                .executed = there,
                                                .answered = answered,
                                                .failed = status < 0,
                                                .failed_in_log = item->failed});
}

/* Executes the statement whose arrival was taken, then those of the same session that have
 * arrived. */
static void serve(struct replay_thread *t, struct replay_entry *entry)
{
    struct replay_lines *lines = t->replay->lines;
    bool full;
    if (!replay_lines_begin(lines, entry, &full)) {
        if (full) {
            log_text(LOG_FATAL, "too many statements wait for earlier ones of their sessions "
                                "(--queue-size): the server is unable to keep up with the log");
            t->failed = true;
        }
        return;
    }
    int64_t waited_ns = 0;
    do {
        execute(t, entry, waited_ns);
        entry = replay_lines_end(lines, entry);
        waited_ns = entry != NULL ? clock_now_ns() - entry->arrived_ns : 0;
    } while (entry != NULL);
}

static int thread_run(void *arg)
{
    struct replay_thread *t = arg;
    while (!t->failed && worker_next()) {
        struct replay_entry *entry = replay_lines_find(t->replay->lines, worker_arrival_ns());
        if (entry != NULL)
            serve(t, entry);
        else
            worker_finish(false);
    }
    if (worker_is_over() || t->failed)
        replay_lines_give_back(t->replay->lines);
    return t->failed ? -1 : 0;
}

const struct workload_ops replay_ops = {.thread_start = thread_start,
                                        .thread_run = thread_run,
                                        .thread_end = thread_end,
                                        .next_ns = replay_next_ns,
                                        SQL_WORKLOAD_SESSIONS};
