/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/replicas/staleness.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "sql/replicas/read_hosts.h"
#include "sql/sql.h"

#define TABLE STALENESS_TABLE
/* Time between two reads of a replica. */
#define READ_STEP_NS (10 * NS_PER_MS)
/* Pause after a failure, and the longest sleep of a thread: it notices the end of the run then. */
#define PAUSE_NS NS_PER_SEC
#define NAP_NS (20 * NS_PER_MS)
/* Limit for connects and answers. The end of a run does not wait longer. */
#define TIMEOUT_S 5
/* The commits of this number of markers are known, 54 minutes at the default step. The age of older
 * data is that of the oldest known marker. */
#define MARKERS (UINT64_C(1) << 16)
/* Entries at the old end of the ring that are not read, because they may be overwritten. */
#define MARGIN 64

/* A read host. Used by its thread only, except before the thread starts and after it has ended. */
struct follower {
    struct staleness *of;
    const char *host;
    sql_connection *con; /* NULL if it is not open */
    pthread_t thread;
    bool started, appeared; /* appeared: it has returned a marker */
    bool warned;
    char failure[512]; /* last error; "" if there was none */
};

struct staleness {
    struct sql *sql;
    sql_driver *drv;
    struct stats *stats;
    int64_t step_ns, measure_ns;
    atomic_bool ended;
    pthread_t thread; /* writes the markers */
    bool started, warned;
    sql_connection *primary;        /* NULL if it is not open */
    /* Markers have the numbers base + 1, base + 2, ... The base is the time of day in ms, so that
     * a table which an earlier run has left in a database that is no replica has lower numbers. */
    uint64_t base;
    _Atomic uint64_t last;          /* number of the newest marker that was acknowledged, or base */
    _Atomic int64_t known[MARKERS]; /* when marker i was acknowledged, at i % MARKERS */
    unsigned count;
    struct follower follower[];
};

static sql_connection *open_session(sql_driver *drv, const char *host, char *failure, size_t bytes)
{
    sql_connection *con = sql_connection_new(drv);
    con->conn.elsewhere = host;
    con->conn.connect_timeout_s = con->conn.answer_timeout_s = TIMEOUT_S;
    con->open = drv->ops->connect(&con->conn) != DRIVER_ERROR;
    if (con->open)
        return con;
    snprintf(failure, bytes, "%s", con->conn.error.message);
    sql_connection_unref(con);
    return NULL;
}

static void close_session(sql_connection **con)
{
    sql_connection_free(*con);
    *con = NULL;
}

/* Sleeps until a time, or until the end of the run. */
static void sleep_until(const struct staleness *s, int64_t until_ns)
{
    for (int64_t now_ns = clock_now_ns(); now_ns < until_ns && !atomic_load(&s->ended);
         now_ns = clock_now_ns())
        clock_sleep_until_ns(min_i64(until_ns, now_ns + NAP_NS));
}

/* The marker table. */

static int execute(sql_connection *con, const char *text)
{
    return con != NULL && sql_query_aside(con, text) == 0 ? 0 : -1;
}

static int create_table(struct staleness *s)
{
    static const char *const statements[] = {
        "DROP TABLE IF EXISTS " TABLE,
        "CREATE TABLE " TABLE " (id INTEGER NOT NULL PRIMARY KEY, number BIGINT NOT NULL)",
        "INSERT INTO " TABLE " (id, number) VALUES (0, 0)",
    };
    char failure[512];
    s->primary = open_session(s->drv, NULL, failure, sizeof(failure));
    if (s->primary == NULL) {
        log_text(LOG_FATAL, "--staleness: unable to connect to the primary: %s", failure);
        return -1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
        if (execute(s->primary, statements[i]) != 0) {
            log_text(LOG_FATAL,
                     "--staleness: the table " TABLE " cannot be created: %s (the user needs the "
                     "privileges CREATE, DROP, INSERT, SELECT and UPDATE in the database; with "
                     "PostgreSQL CREATE in the schema)",
                     s->primary->conn.error.message);
            return -1;
        }
    return 0;
}

static void drop_table(struct staleness *s)
{
    char failure[512] = "";
    if (s->primary == NULL)
        s->primary = open_session(s->drv, NULL, failure, sizeof(failure));
    if (execute(s->primary, "DROP TABLE IF EXISTS " TABLE) != 0)
        log_text(LOG_WARNING, "--staleness: the table " TABLE " was not dropped: %s",
                 s->primary != NULL ? s->primary->conn.error.message : failure);
    close_session(&s->primary);
}

/* Markers. */

/* Writes marker `number`. A marker that was not acknowledged is written again, so that each number
 * is acknowledged before the next one is written. */
static bool write_marker(struct staleness *s, uint64_t number, char *failure, size_t bytes)
{
    char text[128];
    if (s->primary == NULL)
        s->primary = open_session(s->drv, NULL, failure, bytes);
    if (s->primary == NULL)
        return false;
    snprintf(text, sizeof(text), "UPDATE " TABLE " SET number = %" PRIu64 " WHERE id = 0", number);
    if (execute(s->primary, text) == 0) {
        atomic_store(&s->known[number % MARKERS], clock_now_ns());
        atomic_store(&s->last, number);
        return true;
    }
    snprintf(failure, bytes, "%s", s->primary->conn.error.message);
    close_session(&s->primary);
    return false;
}

static void *write_markers(void *arg)
{
    struct staleness *s = arg;
    int64_t due_ns = clock_now_ns();
    char failure[512];
    sql_thread_enter(s->sql, NULL, 0);
    for (uint64_t number = s->base + 1; !atomic_load(&s->ended);) {
        if (write_marker(s, number, failure, sizeof(failure))) {
            number++;
            due_ns = max_i64(due_ns + s->step_ns, clock_now_ns());
        } else {
            if (!s->warned)
                log_text(LOG_WARNING, "--staleness: the primary does not accept a marker: %s",
                         failure);
            s->warned = true;
            due_ns = clock_now_ns() + PAUSE_NS;
        }
        sleep_until(s, due_ns);
    }
    return NULL;
}

/* A marker may be visible before it was acknowledged. Other numbers are those of earlier runs. */
static bool is_ours(const struct staleness *s, uint64_t number)
{
    return number > s->base && number <= atomic_load(&s->last) + 1;
}

/* Returns the age of data that has the marker `number` and no later one, read at `at_ns`. */
static int64_t age_of(const struct staleness *s, uint64_t number, int64_t at_ns)
{
    const uint64_t last = atomic_load(&s->last), oldest = MARKERS - MARGIN;
    uint64_t missing = is_ours(s, number) ? number + 1 : s->base + 1;
    if (missing > last)
        return 0;
    if (last - missing >= oldest)
        missing = last - oldest + 1;
    return max_i64(0, at_ns - atomic_load(&s->known[missing % MARKERS]));
}

/* Reads the number of the newest marker that the replica has; 0 if it has none, also if it does not
 * have the table. Returns false if the replica does not answer. */
static bool read_marker(struct follower *f, uint64_t *number)
{
    static const char text[] = "SELECT number FROM " TABLE " WHERE id = 0";
    char digits[32] = "0";
    if (f->con == NULL)
        f->con = open_session(f->of->drv, f->host, f->failure, sizeof(f->failure));
    if (f->con == NULL)
        return false;
    const bool answered = sql_query(f->con, text, sizeof(text) - 1) == DRIVER_ROWS;
    if (answered && sql_fetch(f->con) && sql_field(f->con, 0) != NULL)
        snprintf(digits, sizeof(digits), "%.*s", (int)sql_field_length(f->con, 0),
                 sql_field(f->con, 0));
    sql_free_result(f->con);
    *number = strtoull(digits, NULL, 10);
    if (answered)
        return true;
    snprintf(f->failure, sizeof(f->failure), "%s", f->con->conn.error.message);
    if (!sql_connection_lost(f->con))
        return true;
    close_session(&f->con);
    return false;
}

/* Reads once and records the age. Returns false if the replica does not answer. */
static bool look(struct follower *f)
{
    struct staleness *s = f->of;
    const int64_t at_ns = clock_now_ns();
    const enum phase phase = at_ns < s->measure_ns ? PHASE_WARMUP : PHASE_MEASURED;
    uint64_t number;
    const bool answered = read_marker(f, &number);
    f->appeared = f->appeared || (answered && is_ours(s, number));
    stats_record_staleness(s->stats, phase, answered ? age_of(s, number, at_ns) : -1);
    if (!answered && !f->warned)
        log_text(LOG_WARNING, "--staleness: read host %s does not answer: %s", f->host, f->failure);
    f->warned = !answered;
    return answered;
}

static void *follow(void *arg)
{
    struct follower *f = arg;
    int64_t due_ns = clock_now_ns();
    sql_thread_enter(f->of->sql, NULL, 0);
    while (!atomic_load(&f->of->ended)) {
        due_ns = look(f) ? max_i64(due_ns + READ_STEP_NS, clock_now_ns())
                         : clock_now_ns() + PAUSE_NS;
        sleep_until(f->of, due_ns);
    }
    close_session(&f->con);
    return NULL;
}

/* Operations. */

static const char *objection(const sql_driver *drv)
{
    if (drv == NULL)
        return "the database driver cannot be used";
    if (drv->read_host_count == 0)
        return "there are no replicas to read from: --read-hosts is needed";
    return drv->ops->descriptor != NULL
               ? NULL
               : "the database driver cannot do this (allowed: mysql, pgsql)";
}

static void *prepare(void *server, struct stats *stats, int64_t step_ns)
{
    sql_thread_enter(server, NULL, 0);
    sql_driver *drv = sql_driver_open(NULL);
    const char *reason = objection(drv);
    if (reason != NULL) {
        log_text(LOG_FATAL, "--staleness: %s", reason);
        return NULL;
    }
    const unsigned count = drv->read_host_count;
    struct staleness *s = xcalloc(1, sizeof(*s) + count * sizeof(s->follower[0]));
    s->sql = server;
    s->drv = drv;
    s->stats = stats;
    s->step_ns = step_ns;
    s->base = (uint64_t)((clock_now_ns() + clock_wall_ahead_ns()) / NS_PER_MS);
    atomic_store(&s->last, s->base);
    s->count = count;
    for (unsigned i = 0; i < count; i++)
        s->follower[i] = (struct follower){.of = s, .host = drv->read_hosts[i]};
    if (create_table(s) == 0)
        return s;
    close_session(&s->primary);
    free(s);
    return NULL;
}

static int begin(void *staleness, int64_t measure_ns)
{
    struct staleness *s = staleness;
    s->measure_ns = measure_ns;
    int error = thread_start_quiet(&s->thread, write_markers, s);
    s->started = error == 0;
    for (unsigned i = 0; i < s->count && error == 0; i++) {
        error = thread_start_quiet(&s->follower[i].thread, follow, &s->follower[i]);
        s->follower[i].started = error == 0;
    }
    if (error != 0)
        log_text(LOG_FATAL, "--staleness: a thread cannot be started: %s", strerror(error));
    return error == 0 ? 0 : -1;
}

static void warn_absent(const struct follower *f)
{
    if (f->appeared || !f->started || atomic_load(&f->of->last) == f->of->base)
        return;
    log_text(LOG_WARNING,
             "--staleness: no marker has appeared at read host %s: it is no replica of the primary, "
             "or it was behind during the whole run%s%s",
             f->host, f->failure[0] != '\0' ? "; its last error: " : "", f->failure);
}

static void end(void *staleness)
{
    struct staleness *s = staleness;
    atomic_store(&s->ended, true);
    for (unsigned i = 0; i < s->count; i++)
        if (s->follower[i].started)
            pthread_join(s->follower[i].thread, NULL);
    if (s->started)
        pthread_join(s->thread, NULL);
    for (unsigned i = 0; i < s->count; i++)
        warn_absent(&s->follower[i]);
    drop_table(s);
    free(s);
}

const struct staleness_source sql_staleness_source = {
    .prepare = prepare, .begin = begin, .end = end};
