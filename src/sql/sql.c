/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "base/near.h"
#include "sql/policies/guard.h"
#include "sql/pool/pool.h"
#include "sql/replicas/read_hosts.h"
#include "sql/sql_internal.h"
#include "sql/sql_plans.h"
#include "sql/sql_recycle.h"
#include "sql/sql_wait.h"

static const struct {
    const struct driver_ops *ops;
    const char *group; /* heading of its options */
} drivers[] = {
#ifdef HAVE_MYSQL
    {&mysql_driver, "mysql options"},
#endif
#ifdef HAVE_PGSQL
    {&pgsql_driver, "pgsql options"},
#endif
    {&sqlite_driver, "sqlite options"},
#ifdef HAVE_MONGODB
    {&mongodb_driver, "mongodb options"},
#endif
    {&null_driver, "null options"},
};

#define GROUP "General database options"

/* Timeout for the first connection of a thread. --thread-init-timeout is usually shorter. */
#define CONNECT_TIMEOUT_S 60

/* Kept length of a statement's text: enough to see which table it uses. */
#define NO_OP_BYTES 256

struct sql {
    const struct options *options;
    uint64_t seed;
    unsigned threads;     /* workers of this process */
    unsigned all_threads; /* workers of the whole run */
    struct rank rank;     /* part of this process in --pool-size */
    pthread_mutex_t lock; /* held while a driver is opened */
    struct sql_driver driver[ARRAY_SIZE(drivers)];
    atomic_bool used;
    atomic_bool loss_logged;
    _Atomic(uint64_t) gone_logged;      /* bit i is set once a message says that server i is gone */
    _Atomic(char *) no_op[WRITE_KINDS]; /* texts of writes that changed no row; NULL if none did */
    struct sql_waits *waits;            /* NULL if waits are not logged */
    bool gives_advice;
    bool times_statements;      /* --slowest */
    const char *prepare_advice; /* NULL if there is no advice */
    atomic_bool lacks_table;
    _Atomic uint64_t aside; /* statements that were executed to sample sessions */

    pthread_mutex_t attempts_lock; /* guards the following counts of new connections */
    unsigned attempted, connected, failed;
    struct sql_failure first_failure, last_failure; /* the first failure was logged */
};

/* Binding of the calling thread, set by sql_thread_enter(). */
static _Thread_local struct binding {
    struct sql *sql;
    struct stats_thread *stats;
    unsigned thread;
    unsigned connections;   /* number of connections created */
    bool refused;           /* a connection could not be opened */
    bool reports_waits;     /* log statements that wait for the server */
    sql_patience *until_ns; /* NULL if lost connections are not reopened */
    void *until_arg;
} self;

int sql_add_options(struct options *set)
{
    if (options_add(set, GROUP, sql_general_rows, sql_general_row_count) ||
        options_add(set, GROUP, sql_recycle_rows, sql_recycle_row_count) ||
        options_add(set, GROUP, sql_pool_rows, sql_pool_row_count) ||
        options_add(set, GROUP, sql_replica_rows, sql_replica_row_count))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        if (options_add(set, drivers[i].group, drivers[i].ops->options,
                        drivers[i].ops->options_count))
            return -1;
    return 0;
}

const struct driver_ops *sql_driver_at(unsigned i)
{
    return i < ARRAY_SIZE(drivers) ? drivers[i].ops : NULL;
}

const char *sql_drivers_left_out(void)
{
    static const char names[] = ""
#ifndef HAVE_MYSQL
                                " mysql"
#endif
#ifndef HAVE_PGSQL
                                " pgsql"
#endif
#ifndef HAVE_MONGODB
                                " mongodb"
#endif
        ;

    return names[0] != '\0' ? names : NULL;
}

const char *sql_driver_meant(const char *name)
{
    static const struct {
        const char *name, *driver;
    } others[] = {
        {"postgresql", "pgsql"}, {"pg", "pgsql"}, {"mariadb", "mysql"}, {"mongo", "mongodb"}};
    struct near near = near_to(name);

    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        near_offer(&near, drivers[i].ops->name);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        const char *before = near.best;
        near_offer(&near, others[i].name);
        if (near.best != before)
            near.best = others[i].driver;
    }
    return near.best;
}

static void set_up_driver(struct sql *sql, size_t i)
{
    sql->driver[i].ops = drivers[i].ops;
    sql->driver[i].sql = sql;
    if (drivers[i].ops->setup != NULL)
        drivers[i].ops->setup(sql->options);
}

struct sql *sql_create(const struct options *options, uint64_t seed, unsigned threads,
                       unsigned all_threads)
{
    struct sql *sql = xcalloc(1, sizeof(*sql));

    sql->options = options;
    sql->seed = seed;
    sql->threads = threads;
    sql->all_threads = all_threads;
    pthread_mutex_init(&sql->lock, NULL);
    pthread_mutex_init(&sql->attempts_lock, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        set_up_driver(sql, i);
    return sql;
}

void sql_divide_pool(struct sql *sql, const struct rank *rank)
{
    sql->rank = *rank;
}

void sql_destroy(struct sql *sql)
{
    if (sql == NULL)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        if (sql->driver[i].state == SQL_DRIVER_OPEN) {
            pool_destroy(sql->driver[i].pool);
            guard_destroy(sql->driver[i].guard);
            sql_plans_destroy(sql->driver[i].plans);
            sql->driver[i].ops->fini(sql->driver[i].shared);
        }
    for (size_t i = 0; i < WRITE_KINDS; i++)
        free(sql->no_op[i]);
    sql_waits_destroy(sql->waits);
    pthread_mutex_destroy(&sql->attempts_lock);
    pthread_mutex_destroy(&sql->lock);
    free(sql);
}

void sql_give_advice(struct sql *sql)
{
    sql->gives_advice = true;
}

void sql_time_statements(struct sql *sql)
{
    sql->times_statements = true;
}

bool sql_gives_advice(const sql_driver *drv)
{
    return drv->sql->gives_advice;
}

void sql_set_prepare_advice(struct sql *sql, const char *advice)
{
    sql->prepare_advice = advice;
}

bool sql_note_missing_table(struct sql *sql)
{
    if (sql->prepare_advice == NULL)
        return false;
    if (!atomic_exchange(&sql->lacks_table, true))
        log_bare("%s", sql->prepare_advice);
    return true;
}

bool sql_lacks_table(const struct sql *sql)
{
    return atomic_load(&sql->lacks_table);
}

bool sql_thread_was_refused(void)
{
    return self.sql->gives_advice && self.refused;
}

void sql_thread_enter(struct sql *sql, struct stats_thread *stats, unsigned thread)
{
    self = (struct binding){.sql = sql, .stats = stats, .thread = thread};
}

void sql_report_waits(struct sql *sql, int64_t connect_ns, int64_t every_ns)
{
    sql->waits = sql_waits_create(connect_ns, every_ns);
}

void sql_thread_report_waits(void)
{
    self.reports_waits = true;
}

void sql_thread_be_patient(sql_patience *until_ns, void *arg)
{
    self.until_ns = until_ns;
    self.until_arg = arg;
}

int64_t sql_thread_patience_ns(void)
{
    return self.until_ns != NULL ? self.until_ns(self.until_arg) : 0;
}

void sql_note_attempt(sql_driver *drv)
{
    pthread_mutex_lock(&drv->sql->attempts_lock);
    drv->sql->attempted++;
    pthread_mutex_unlock(&drv->sql->attempts_lock);
}

bool sql_note_outcome(sql_driver *drv, const struct sql_failure *error)
{
    struct sql *sql = drv->sql;

    self.refused = self.refused || error != NULL;
    pthread_mutex_lock(&sql->attempts_lock);
    sql->connected += error == NULL;
    bool first = error != NULL && sql->failed++ == 0;
    if (first)
        sql->first_failure = *error;
    if (error != NULL)
        sql->last_failure = *error;
    pthread_mutex_unlock(&sql->attempts_lock);
    return first;
}

bool sql_note_loss(sql_driver *drv)
{
    return !atomic_exchange(&drv->sql->loss_logged, true);
}

bool sql_note_gone(sql_driver *drv, unsigned server)
{
    uint64_t bit = UINT64_C(1) << (server % 64);

    return (atomic_fetch_or(&drv->sql->gone_logged, bit) & bit) == 0;
}

void sql_note_no_op(sql_driver *drv, enum write_kind kind, const char *text, size_t length)
{
    _Atomic(char *) *kept = &drv->sql->no_op[kind];
    char *none = NULL;

    if (LIKELY(atomic_load_explicit(kept, memory_order_relaxed) != NULL))
        return;
    char *copy = checked_alloc(strndup(text, min_u32((uint32_t)length, NO_OP_BYTES)));
    if (!atomic_compare_exchange_strong(kept, &none, copy))
        free(copy);
}

bool sql_check_tables(const struct sql *sql)
{
    return options_bool(sql->options, "check-tables");
}

const char *sql_no_op(const struct sql *sql, enum write_kind kind)
{
    return sql->no_op[kind];
}

void sql_log_connections(const struct sql *sql)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&sql->attempts_lock;

    pthread_mutex_lock(lock);
    const char *last = sql->last_failure.message;
    bool as_above = strcmp(sql->first_failure.message, last) == 0;
    /* Threads that ended before their first attempt count as well: each needs a connection. */
    unsigned wanted =
        sql->attempted > sql->threads || sql_has_pool(sql) ? sql->attempted : sql->threads;
    /* If no connection was opened and the only reason was logged, counts add nothing. */
    const bool logged = sql->gives_advice && sql->connected == 0 && sql->failed > 0 && as_above;
    if (sql->connected < sql->attempted && !logged && !sql_lacks_table(sql))
        log_text(LOG_FATAL, "%u of %u connections were opened; %s%s", sql->connected, wanted,
                 sql->failed > 0 ? "the last error: " : "the others still wait",
                 sql->failed == 0 ? ""
                 : as_above       ? "as above"
                                  : last);
    pthread_mutex_unlock(lock);
}

void sql_thread_adopt(sql_connection *con)
{
    unsigned stream = self.thread + self.sql->all_threads * self.connections++;

    con->stats = con->driver->pretends ? NULL : self.stats;
    con->conn.number = stream;
    con->conn.connect_timeout_s = CONNECT_TIMEOUT_S;
    if (con->driver->failover_s > 0 && self.until_ns != NULL && read_hosts_choice(con) > 1) {
        con->fails_over = true;
        con->home = con->conn.number;
        con->conn.answer_timeout_s = con->conn.connect_timeout_s = con->driver->failover_s;
    }
    if (self.reports_waits && self.sql->waits != NULL)
        sql_wait_join(self.sql->waits, con);
    rand_stream_init(&con->backoff, self.sql->seed, RAND_BACKOFF, stream);
    rand_stream_init(&con->conn.service, self.sql->seed, RAND_SERVICE, stream);
}

void sql_note_aside(struct sql *sql, uint64_t statements)
{
    atomic_fetch_add(&sql->aside, statements);
}

uint64_t sql_aside(const struct sql *sql)
{
    uint64_t statements = atomic_load(&sql->aside);
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        statements += sql_plans_asked(sql->driver[i].plans);
    return statements;
}

const struct options *sql_options(const struct sql *sql)
{
    return sql->options;
}

unsigned sql_connections(const struct sql *sql)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&sql->attempts_lock;

    pthread_mutex_lock(lock);
    unsigned connected = sql->connected;
    pthread_mutex_unlock(lock);
    return connected;
}

const sql_driver *sql_driver_in_use(const struct sql *sql)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&sql->lock;
    const sql_driver *found = NULL;

    pthread_mutex_lock(lock);
    for (size_t i = 0; i < ARRAY_SIZE(drivers) && found == NULL; i++)
        if (sql->driver[i].state == SQL_DRIVER_OPEN)
            found = &sql->driver[i];
    pthread_mutex_unlock(lock);
    return found;
}

bool sql_used(const struct sql *sql)
{
    return atomic_load(&sql->used);
}

bool sql_has_pool(const struct sql *sql)
{
    return options_find(sql->options, "pool-size") != NULL &&
           options_get(sql->options, "pool-size")->integer > 0;
}

static void set_failover(struct sql *sql, struct sql_driver *drv)
{
    int64_t timeout_ns = options_get(sql->options, "failover-timeout")->integer;

    if (!options_bool(sql->options, "failover"))
        return;
    if (sql_servers(drv) > 1 || drv->read_host_count > 1)
        drv->failover_s = (unsigned)(timeout_ns / NS_PER_SEC);
    else
        log_text(LOG_WARNING, "--failover has no effect: there is one host only");
}

/* Some drivers are compiled as a module that is loaded when it is needed. Loads the module. */
static int load_whole_driver(struct sql_driver *drv)
{
    if (drv->ops->whole == NULL)
        return 0;
    const struct driver_ops *whole = drv->ops->whole();
    if (whole == NULL)
        return -1;
    drv->ops = whole;
    return 0;
}

/* Opens the pool and the guard. Returns −1 after a logged message; the shared state of the driver
 * is then freed. */
static int open_policies(struct sql *sql, struct sql_driver *drv)
{
    if (pool_open(drv, sql->options, &sql->rank, sql->threads) != 0) {
        drv->ops->fini(drv->shared);
        return -1;
    }
    if (guard_open(drv, sql->options) == 0)
        return 0;
    pool_destroy(drv->pool);
    return -1;
}

static void open_locked(struct sql *sql, struct sql_driver *drv)
{
    if (drv->state != SQL_DRIVER_NEW)
        return;
    if (load_whole_driver(drv) != 0 || read_hosts_open(drv, sql->options) != 0 ||
        drv->ops->init(sql->options, &drv->shared) < 0) {
        drv->state = SQL_DRIVER_FAILED;
        return;
    }
    drv->emulate = !drv->ops->supports_prepare ||
                   strcmp(options_string(sql->options, "db-ps-mode"), "disable") == 0;
    drv->pretends = drv->ops->pretends != NULL && drv->ops->pretends(drv->shared);
    drv->debug = options_bool(sql->options, "db-debug");
    drv->reports_classes = options_bool(sql->options, "report-sql");
    if (options_bool(sql->options, "explain") && drv->ops->explain != NULL)
        drv->plans = sql_plans_create(drv);
    drv->by_class = drv->reports_classes || sql->times_statements || drv->plans != NULL;
    set_failover(sql, drv);
    drv->state = open_policies(sql, drv) == 0 ? SQL_DRIVER_OPEN : SQL_DRIVER_FAILED;
    atomic_store(&sql->used, true);
}

static void log_unknown(const char *name)
{
    char known[128] = "";

    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "",
                 drivers[i].ops->name);
    }
    log_text(LOG_FATAL, "invalid database driver name: '%s' (compiled in: %s)", name, known);
}

/* Returns the index of the named driver, or that of --db-driver if `name` is NULL. Returns −1 after
 * a logged message if there is no such driver. */
static int find_driver(const struct sql *sql, const char *name)
{
    if (name == NULL)
        name = options_string(sql->options, "db-driver");
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        if (strcmp(name, drivers[i].ops->name) == 0)
            return (int)i;
    log_unknown(name);
    return -1;
}

const struct driver_ops *sql_chosen_driver(const struct sql *sql)
{
    int found = find_driver(sql, NULL);
    return found >= 0 ? drivers[found].ops : NULL;
}

sql_driver *sql_driver_open(const char *name)
{
    struct sql *sql = self.sql;
    int found = find_driver(sql, name);
    if (found < 0)
        return NULL;
    struct sql_driver *drv = &sql->driver[found];
    pthread_mutex_lock(&sql->lock);
    open_locked(sql, drv);
    pthread_mutex_unlock(&sql->lock);
    return drv->state == SQL_DRIVER_OPEN ? drv : NULL;
}

const char *sql_driver_name(const sql_driver *drv)
{
    return drv->ops->name;
}
