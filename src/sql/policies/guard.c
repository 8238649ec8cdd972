/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/policies/guard.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/worker.h"

/* A cancellation has no effect if the server has not begun the statement yet. So it is repeated,
 * and after several repetitions the connection is broken: the server does not answer. */
#define AGAIN_NS (50 * NS_PER_MS)
#define CANCELS_MAX 10

enum watch_state { WATCH_IDLE, WATCH_RUNNING, WATCH_CANCELLING };

/* The statement of one connection. The worker changes IDLE to RUNNING and back; the watchdog
 * changes RUNNING to CANCELLING and back. The other fields belong to the watchdog while the state
 * is CANCELLING, otherwise to the worker. */
struct guard_watch {
    _Alignas(CACHE_ALIGN) _Atomic int state;
    _Atomic int64_t deadline_ns;
    unsigned cancels; /* cancellations of the current statement */
    bool unsent;      /* the last statement was not sent */
    struct guard *guard;
    sql_connection *con;
    CK_LIST_ENTRY(guard_watch) link;
};

struct guard {
    const struct driver_ops *real;
    struct driver_ops ops; /* `real` with limits, used by guarded connections */
    enum timeout_action action;
    int64_t timeout_ns;
    bool retries_errors; /* every error lets the event start again */
    pthread_t thread;
    pthread_mutex_t lock; /* guards the list and `ended`; held while the watchdog scans */
    pthread_cond_t
        earlier; /* a statement has an earlier deadline than wake_ns, or `ended` is set */
    pthread_cond_t settled; /* a cancellation has ended */
    CK_LIST_HEAD(, guard_watch) watches;
    bool ended;
    _Alignas(CACHE_ALIGN) _Atomic int64_t wake_ns; /* when the watchdog scans next */
};

static int64_t earliest_ns(struct guard *g)
{
    int64_t earliest = INT64_MAX;
    struct guard_watch *w;
    CK_LIST_FOREACH(w, &g->watches, link)
    if (atomic_load(&w->state) == WATCH_RUNNING)
        earliest = min_i64(earliest, atomic_load(&w->deadline_ns));
    return earliest;
}

/* Publishes when the watchdog scans next. A worker publishes its statement first and reads wake_ns
 * afterwards; so either the worker sees the new value, or this function sees the statement. */
static int64_t plan_wake(struct guard *g)
{
    int64_t wake_ns = earliest_ns(g), found_ns;
    for (;;) {
        atomic_store(&g->wake_ns, wake_ns);
        found_ns = earliest_ns(g);
        if (found_ns >= wake_ns)
            return wake_ns;
        wake_ns = found_ns;
    }
}

static void stop_statement(struct guard *g, struct guard_watch *w)
{
    struct driver_conn *conn = &w->con->conn;
    const bool persists = g->action == TIMEOUT_ABANDON || w->cancels >= CANCELS_MAX;
    if (persists && g->real->abandon != NULL)
        g->real->abandon(conn);
    else
        g->real->cancel(conn);
    w->cancels++;
}

/*
 * Cancels one statement that is past its deadline. The lock is released while the server is asked:
 * the worker of this statement then waits in end_statement(). Between the scan and the change of
 * the state, the worker may have ended this statement and begun another one, so the deadline is
 * read again. Returns false if no statement is past its deadline.
 */
static bool cancel_one(struct guard *g, int64_t now_ns)
{
    struct guard_watch *w;
    int running = WATCH_RUNNING;
    CK_LIST_FOREACH(w, &g->watches, link)
    {
        if (atomic_load(&w->state) == WATCH_RUNNING && atomic_load(&w->deadline_ns) <= now_ns)
            break;
    }
    if (w == NULL)
        return false;
    if (!atomic_compare_exchange_strong(&w->state, &running, WATCH_CANCELLING))
        return true;
    if (atomic_load(&w->deadline_ns) <= now_ns) {
        pthread_mutex_unlock(&g->lock);
        stop_statement(g, w);
        pthread_mutex_lock(&g->lock);
        atomic_store(&w->deadline_ns, clock_now_ns() + AGAIN_NS);
    }
    atomic_store(&w->state, WATCH_RUNNING);
    pthread_cond_broadcast(&g->settled);
    return true;
}

static void wait_until(struct guard *g, int64_t wake_ns)
{
    const struct timespec at = {wake_ns / NS_PER_SEC, wake_ns % NS_PER_SEC};
    if (wake_ns == INT64_MAX)
        pthread_cond_wait(&g->earlier, &g->lock);
    else
        pthread_cond_timedwait(&g->earlier, &g->lock, &at);
}

static void *watchdog_main(void *arg)
{
    struct guard *g = arg;
    pthread_mutex_lock(&g->lock);
    while (!g->ended) {
        const int64_t wake_ns = plan_wake(g);
        if (clock_now_ns() < wake_ns)
            wait_until(g, wake_ns);
        while (!g->ended && cancel_one(g, clock_now_ns()))
            continue;
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

static __attribute__((noinline)) void wake(struct guard *g)
{
    pthread_mutex_lock(&g->lock);
    pthread_cond_signal(&g->earlier);
    pthread_mutex_unlock(&g->lock);
}

static void begin_statement(struct guard_watch *w, int64_t deadline_ns)
{
    atomic_store_explicit(&w->deadline_ns, deadline_ns, memory_order_relaxed);
    atomic_store(&w->state, WATCH_RUNNING);
    if (UNLIKELY(deadline_ns < atomic_load(&w->guard->wake_ns)))
        wake(w->guard);
}

/* Returns true if the watchdog has cancelled the statement at least once. */
static bool end_statement(struct guard_watch *w)
{
    int running = WATCH_RUNNING;
    if (LIKELY(atomic_compare_exchange_strong(&w->state, &running, WATCH_IDLE) && w->cancels == 0))
        return false;
    pthread_mutex_lock(&w->guard->lock);
    while (atomic_load(&w->state) == WATCH_CANCELLING)
        pthread_cond_wait(&w->guard->settled, &w->guard->lock);
    atomic_store(&w->state, WATCH_IDLE);
    pthread_mutex_unlock(&w->guard->lock);
    const bool cancelled = w->cancels > 0;
    w->cancels = 0;
    return cancelled;
}

/* Replaces the error of a statement by the message about its timeout, and keeps its code. */
static enum driver_status time_out(struct guard *g, struct driver_conn *conn, bool failed)
{
    const struct sql_failure old = conn->error;
    driver_fail(conn, failed ? old.code : 0, failed ? old.state : "", true,
                "the client gave up after %g ms (--timeout)", ns_to_ms(g->timeout_ns));
    conn->error.connection_lost = failed && old.connection_lost;
    return DRIVER_ERROR;
}

static struct guard_watch *watch_of(struct driver_conn *conn)
{
    return ((sql_connection *)conn)->watch;
}

/* Returns false if the time of the request was over before its first statement, which must not be
 * sent. */
static bool begin(struct driver_conn *conn, int64_t *deadline_ns)
{
    struct guard_watch *w = watch_of(conn);
    bool fresh;
    *deadline_ns = worker_deadline_ns(&fresh);
    if (UNLIKELY(fresh && clock_now_ns() >= *deadline_ns)) {
        time_out(w->guard, conn, false);
        w->unsent = true;
        worker_note_failure(FAILURE_TIMEOUT, true);
        return false;
    }
    conn->deadline_ns = *deadline_ns == INT64_MAX ? 0 : *deadline_ns;
    if (*deadline_ns != INT64_MAX && !w->guard->real->keeps_deadline)
        begin_statement(w, *deadline_ns);
    return true;
}

/* SQLSTATE class 40: the server has rolled back the transaction because of others. The numbers are
 * for errors without such a state: a wait for a lock that was too long (MySQL 1205), a locked file
 * (SQLite 5 and 6 in the last byte), a write conflict (MongoDB 112). */
static enum failure_kind kind_of(const struct sql_failure *error)
{
    static const int codes[] = {5, 6, 112, 1205};
    const int code = error->state[0] == '\0' && error->code > 0xff && (error->code & 0xff) <= 6
                         ? error->code & 0xff
                         : error->code;
    if (strncmp(error->state, "40", 2) == 0)
        return FAILURE_DEADLOCK;
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (code == codes[i])
            return FAILURE_DEADLOCK;
    return FAILURE_ERROR;
}

static __attribute__((noinline)) enum driver_status
failed(struct driver_conn *conn, enum driver_status status, int64_t deadline_ns, bool cancelled)
{
    struct guard *g = watch_of(conn)->guard;
    const bool waited = cancelled; /* for the watchdog */
    cancelled = cancelled || clock_now_ns() >= deadline_ns;
    worker_note_failure(cancelled ? FAILURE_TIMEOUT : kind_of(&conn->error), false);
    if (!cancelled) {
        conn->error.ignorable |= g->retries_errors && !conn->error.fatal;
        return status;
    }
    time_out(g, conn, status == DRIVER_ERROR);
    if (!conn->error.connection_lost && waited && g->real->settle != NULL)
        g->real->settle(conn);
    return DRIVER_ERROR;
}

static inline enum driver_status end(struct driver_conn *conn, enum driver_status status,
                                     int64_t deadline_ns)
{
    struct guard_watch *w = watch_of(conn);
    const bool cancelled =
        deadline_ns != INT64_MAX && !w->guard->real->keeps_deadline && end_statement(w);
    if (UNLIKELY(status == DRIVER_ERROR || cancelled))
        return failed(conn, status, deadline_ns, cancelled);
    return status;
}

static enum driver_status guarded_query(struct driver_conn *conn, const char *text, size_t length)
{
    int64_t deadline_ns;
    if (!begin(conn, &deadline_ns))
        return DRIVER_ERROR;
    return end(conn, watch_of(conn)->guard->real->query(conn, text, length), deadline_ns);
}

static enum driver_status guarded_prepare(struct driver_stmt *stmt, const char *text, size_t length)
{
    int64_t deadline_ns;
    if (!begin(stmt->conn, &deadline_ns))
        return DRIVER_ERROR;
    const struct driver_ops *real = watch_of(stmt->conn)->guard->real;
    const enum driver_status status = real->prepare(stmt, text, length);
    if (end(stmt->conn, status, deadline_ns) != DRIVER_ERROR || status != DRIVER_OK)
        return status;
    real->close_statement(stmt);
    stmt->handle = NULL;
    return DRIVER_ERROR;
}

static enum driver_status guarded_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                          unsigned count)
{
    int64_t deadline_ns;
    if (!begin(stmt->conn, &deadline_ns))
        return DRIVER_ERROR;
    return end(stmt->conn, watch_of(stmt->conn)->guard->real->execute(stmt, params, count),
               deadline_ns);
}

static enum driver_status guarded_next_result(struct driver_conn *conn)
{
    int64_t deadline_ns;
    if (!begin(conn, &deadline_ns))
        return DRIVER_ERROR;
    return end(conn, watch_of(conn)->guard->real->next_result(conn), deadline_ns);
}

/* A request that was given up before its first statement has nothing to be rolled back. */
static void guarded_recover(struct driver_conn *conn)
{
    struct guard_watch *w = watch_of(conn);
    if (!w->unsent)
        w->guard->real->recover(conn);
    w->unsent = false;
}

static bool is_able(const struct driver_ops *driver, enum timeout_action action)
{
    if (action == TIMEOUT_CANCEL && (driver->cancel != NULL || driver->keeps_deadline))
        return true;
    if (action == TIMEOUT_ABANDON && driver->abandon != NULL)
        return true;
    log_text(LOG_FATAL, "--timeout-action=%s cannot be used with the %s driver (allowed: %s)",
             action == TIMEOUT_CANCEL ? "cancel" : "abandon", driver->name,
             action == TIMEOUT_CANCEL ? "abandon" : "cancel");
    return false;
}

static void init_locks(struct guard *g)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->earlier, &attr);
    pthread_cond_init(&g->settled, NULL);
    pthread_condattr_destroy(&attr);
}

/* Returns NULL after a logged message. */
static struct guard *create(const struct driver_ops *driver, const struct client_policy *policy)
{
    if (!is_able(driver, policy->action))
        return NULL;
    struct guard *g = counter_calloc(sizeof(*g));
    g->real = driver;
    g->action = policy->action;
    g->timeout_ns = policy->timeout_ns;
    g->retries_errors = policy->retry.attempts > 0 && (policy->retry_on & RETRY_ON_ERROR) != 0;
    g->ops = *driver;
    g->ops.query = guarded_query;
    g->ops.prepare = driver->prepare != NULL ? guarded_prepare : NULL;
    g->ops.execute = driver->execute != NULL ? guarded_execute : NULL;
    g->ops.next_result = driver->next_result != NULL ? guarded_next_result : NULL;
    g->ops.recover = guarded_recover;
    CK_LIST_INIT(&g->watches);
    atomic_store(&g->wake_ns, INT64_MAX);
    init_locks(g);
    if (pthread_create(&g->thread, NULL, watchdog_main, g) == 0)
        return g;
    log_text(LOG_FATAL, "cannot start the thread that watches statements (--timeout)");
    free(g);
    return NULL;
}

int guard_open(sql_driver *drv, const struct options *options)
{
    struct client_policy policy;
    /* Unit tests and fuzz targets use this room without the options of the program. */
    if (options_find(options, "timeout") == NULL)
        return 0;
    client_policy_load(&policy, options);
    if (!policy.on)
        return 0;
    drv->guard = create(drv->ops, &policy);
    if (drv->guard != NULL)
        return 0;
    drv->ops->fini(drv->shared);
    return -1;
}

void guard_destroy(struct guard *g)
{
    if (g == NULL)
        return;
    pthread_mutex_lock(&g->lock);
    g->ended = true;
    pthread_cond_signal(&g->earlier);
    pthread_mutex_unlock(&g->lock);
    pthread_join(g->thread, NULL);
    pthread_cond_destroy(&g->earlier);
    pthread_cond_destroy(&g->settled);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

void guard_join(struct guard *g, sql_connection *con)
{
    struct guard_watch *w = counter_calloc(sizeof(*w));
    w->guard = g;
    w->con = con;
    con->watch = w;
    con->conn.ops = &g->ops;
    con->conn.may_cancel = true;
    pthread_mutex_lock(&g->lock);
    CK_LIST_INSERT_HEAD(&g->watches, w, link);
    pthread_mutex_unlock(&g->lock);
}

void guard_leave(sql_connection *con)
{
    struct guard_watch *w = con->watch;
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->guard->lock);
    CK_LIST_REMOVE(w, link);
    pthread_mutex_unlock(&w->guard->lock);
    free(w);
    con->watch = NULL;
}
