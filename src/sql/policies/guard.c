/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/policies/guard.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/worker.h"

/* A cancellation has no effect if the server has not begun the statement yet. So it is repeated.
 * Some time after the deadline the connection is broken: the server does not answer. */
#define AGAIN_NS (50 * NS_PER_MS)
#define GIVE_UP_NS NS_PER_SEC
/* The canceller ends after at most this time, unless the server is frozen. */
#define CANCELLER_NS (3 * NS_PER_SEC)

/* The statement is not running, is running, waits for the canceller, or is being cancelled. */
enum watch_state { WATCH_IDLE, WATCH_RUNNING, WATCH_QUEUED, WATCH_CANCELLING };

/* The statement of one connection. The worker changes IDLE to RUNNING and back. The guard's threads
 * change RUNNING to the other states and back, with the lock held. The fields other than the first
 * two belong to the worker while the state is IDLE or RUNNING, otherwise they are guarded by the
 * lock. */
struct guard_watch {
    _Alignas(CACHE_ALIGN) _Atomic int state;
    _Atomic int64_t deadline_ns; /* when the watchdog acts next */
    int64_t give_up_ns;          /* when the connection is broken */
    unsigned cancels;            /* cancellations of the current statement */
    bool broken;                 /* the connection was broken */
    bool unsent;                 /* the last statement was not sent */
    void *cancellation;          /* from ops->cancel_begin(), while the state is QUEUED */
    struct guard *guard;
    sql_connection *con;
    CK_LIST_ENTRY(guard_watch) link;
};

struct guard {
    const struct driver_ops *real;
    struct driver_ops ops; /* `real` with limits, used by guarded connections */
    enum timeout_action action;
    int64_t timeout_ns;
    unsigned retry_on; /* kinds of errors after which the event starts again; RETRY_ON_ constants */
    pthread_t watchdog, canceller;
    pthread_mutex_t lock; /* guards the following members; held while the watchdog scans */
    /* A statement has an earlier deadline than wake_ns, or `ended` is set. */
    pthread_cond_t earlier;
    pthread_cond_t queued;  /* a statement waits for the canceller, or `ended` is set */
    pthread_cond_t settled; /* a cancellation has ended, or the canceller */
    CK_LIST_HEAD(, guard_watch) watches;
    /* The statement that the canceller cancels. NULL if there is none, or if its connection was
     * broken in the meantime, so that its worker goes on. */
    struct guard_watch *current;
    bool ended, canceller_left;
    _Alignas(CACHE_ALIGN) _Atomic int64_t wake_ns; /* when the watchdog scans next */
};

static int64_t earliest_ns(struct guard *g)
{
    int64_t earliest = INT64_MAX;
    struct guard_watch *w;
    CK_LIST_FOREACH(w, &g->watches, link)
    if (atomic_load(&w->state) != WATCH_IDLE)
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

/* Lets the worker of a statement go on, and plans the next look at it. Called with the lock held.
 */
static void settle(struct guard *g, struct guard_watch *w)
{
    w->cancels++;
    atomic_store(&w->deadline_ns, clock_now_ns() + AGAIN_NS);
    atomic_store(&w->state, WATCH_RUNNING);
    pthread_cond_broadcast(&g->settled);
}

/* Returns true if the connection of the statement is to be broken. */
static bool is_given_up(const struct guard *g, const struct guard_watch *w, int64_t now_ns)
{
    return g->real->abandon != NULL && (g->action == TIMEOUT_ABANDON || now_ns >= w->give_up_ns);
}

/* Acts on a statement that is past its deadline, and was running. */
static void stop_statement(struct guard *g, struct guard_watch *w, int64_t now_ns)
{
    if (is_given_up(g, w, now_ns)) {
        g->real->abandon(&w->con->conn);
        w->broken = true;
    } else if (g->real->cancel_begin != NULL) {
        w->cancellation = g->real->cancel_begin(&w->con->conn);
        atomic_store(&w->deadline_ns, w->give_up_ns);
        pthread_cond_signal(&g->queued);
        return;
    } else {
        g->real->cancel(&w->con->conn);
    }
    settle(g, w);
}

/* Breaks the connection of a statement whose cancellation takes too long. A cancellation that is
 * under way goes on, but has no effect: the session that it names ends. */
static void break_connection(struct guard *g, struct guard_watch *w)
{
    if (g->real->abandon == NULL)
        return;
    if (atomic_load(&w->state) == WATCH_QUEUED)
        g->real->cancel_end(w->cancellation, false);
    else
        g->current = NULL;
    g->real->abandon(&w->con->conn);
    w->broken = true;
    settle(g, w);
}

/*
 * Acts on one statement that is past its deadline. Between the scan and the change of the state,
 * the worker may have ended this statement and begun another one, so the deadline is read again.
 * Returns false if no statement is past its deadline.
 */
static bool stop_one(struct guard *g, int64_t now_ns)
{
    struct guard_watch *w;
    int running = WATCH_RUNNING;
    CK_LIST_FOREACH(w, &g->watches, link)
    {
        if (atomic_load(&w->state) != WATCH_IDLE && atomic_load(&w->deadline_ns) <= now_ns)
            break;
    }
    if (w == NULL)
        return false;
    if (atomic_compare_exchange_strong(&w->state, &running, WATCH_QUEUED)) {
        if (atomic_load(&w->deadline_ns) <= now_ns)
            stop_statement(g, w, now_ns);
        else
            atomic_store(&w->state, WATCH_RUNNING);
    } else if (running != WATCH_IDLE) {
        break_connection(g, w);
    }
    return true;
}

/* Sends the cancellations, each of which may take as long as the server does not answer. */
static void *canceller_main(void *arg)
{
    struct guard *g = arg;
    pthread_mutex_lock(&g->lock);
    while (!g->ended) {
        struct guard_watch *w;
        CK_LIST_FOREACH(w, &g->watches, link)
        if (atomic_load(&w->state) == WATCH_QUEUED)
            break;
        if (w == NULL) {
            pthread_cond_wait(&g->queued, &g->lock);
            continue;
        }
        void *const cancellation = w->cancellation;
        g->current = w;
        atomic_store(&w->state, WATCH_CANCELLING);
        pthread_mutex_unlock(&g->lock);
        g->real->cancel_end(cancellation, true);
        pthread_mutex_lock(&g->lock);
        if (g->current == NULL)
            continue;
        g->current = NULL;
        settle(g, w);
        pthread_cond_signal(&g->earlier);
    }
    g->canceller_left = true;
    pthread_cond_broadcast(&g->settled);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

static void wait_until(struct guard *g, int64_t wake_ns)
{
    const struct timespec at = clock_timespec(wake_ns);
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
        while (!g->ended && stop_one(g, clock_now_ns()))
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
    w->give_up_ns = deadline_ns + GIVE_UP_NS;
    atomic_store_explicit(&w->deadline_ns, deadline_ns, memory_order_relaxed);
    atomic_store(&w->state, WATCH_RUNNING);
    if (UNLIKELY(deadline_ns < atomic_load(&w->guard->wake_ns)))
        wake(w->guard);
}

/* What the guard has done to a statement. */
enum stopped { STOPPED_NOT, STOPPED_CANCELLED, STOPPED_BROKEN };

static __attribute__((noinline)) enum stopped end_stopped(struct guard_watch *w)
{
    struct guard *g = w->guard;
    pthread_mutex_lock(&g->lock);
    if (atomic_load(&w->state) == WATCH_QUEUED)
        g->real->cancel_end(w->cancellation, false);
    while (atomic_load(&w->state) == WATCH_CANCELLING)
        pthread_cond_wait(&g->settled, &g->lock);
    atomic_store(&w->state, WATCH_IDLE);
    pthread_mutex_unlock(&g->lock);
    const enum stopped stopped = w->broken        ? STOPPED_BROKEN
                                 : w->cancels > 0 ? STOPPED_CANCELLED
                                                  : STOPPED_NOT;
    w->cancels = 0;
    w->broken = false;
    return stopped;
}

static enum stopped end_statement(struct guard_watch *w)
{
    int running = WATCH_RUNNING;
    if (LIKELY(atomic_compare_exchange_strong(&w->state, &running, WATCH_IDLE) && w->cancels == 0))
        return STOPPED_NOT;
    return end_stopped(w);
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

/* Returns false if the time of the request was over before the statement, which must not be sent.
 */
static bool begin(struct driver_conn *conn, int64_t *deadline_ns)
{
    struct guard_watch *w = watch_of(conn);
    bool fresh;
    *deadline_ns = worker_deadline_ns(&fresh);
    if (UNLIKELY(*deadline_ns != INT64_MAX && clock_now_ns() >= *deadline_ns)) {
        time_out(w->guard, conn, false);
        w->unsent = fresh;
        worker_note_failure(FAILURE_TIMEOUT, fresh);
        return false;
    }
    conn->deadline_ns = *deadline_ns == INT64_MAX ? 0 : *deadline_ns;
    if (*deadline_ns != INT64_MAX && !w->guard->real->keeps_deadline)
        begin_statement(w, *deadline_ns);
    return true;
}

/* SQLSTATE class 40: the server has rolled back the transaction because of others; 55P03: a lock is
 * not available (PostgreSQL). The numbers are for errors without such a state: a row that another
 * transaction has changed (MariaDB 1020), a wait for a lock that was too long or was not wanted
 * (MySQL 1205, 3572), a locked file (SQLite 5 and 6 in the last byte), a write conflict (MongoDB
 * 112). */
static enum failure_kind kind_of(const struct sql_failure *error)
{
    static const int codes[] = {5, 6, 112, 1020, 1205, 3572};
    const int code = error->state[0] == '\0' && error->code > 0xff && (error->code & 0xff) <= 6
                         ? error->code & 0xff
                         : error->code;
    if (strncmp(error->state, "40", 2) == 0 || strcmp(error->state, "55P03") == 0)
        return FAILURE_DEADLOCK;
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (code == codes[i])
            return FAILURE_DEADLOCK;
    return FAILURE_ERROR;
}

static __attribute__((noinline)) enum driver_status failed(struct driver_conn *conn,
                                                           enum driver_status status,
                                                           int64_t deadline_ns,
                                                           enum stopped stopped)
{
    struct guard *g = watch_of(conn)->guard;
    const bool timed_out = stopped != STOPPED_NOT || clock_now_ns() >= deadline_ns;
    const enum failure_kind kind = timed_out ? FAILURE_TIMEOUT : kind_of(&conn->error);
    const unsigned repeated =
        kind == FAILURE_DEADLOCK ? RETRY_ON_DEADLOCK | RETRY_ON_ERROR : RETRY_ON_ERROR;
    worker_note_failure(kind, false);
    if (!timed_out) {
        conn->error.ignorable |= (g->retry_on & repeated) != 0 && !conn->error.fatal;
        return status;
    }
    time_out(g, conn, status == DRIVER_ERROR);
    conn->error.connection_lost |= stopped == STOPPED_BROKEN;
    if (!conn->error.connection_lost && stopped == STOPPED_CANCELLED && g->real->settle != NULL)
        g->real->settle(conn);
    return DRIVER_ERROR;
}

static inline enum driver_status end(struct driver_conn *conn, enum driver_status status,
                                     int64_t deadline_ns)
{
    struct guard_watch *w = watch_of(conn);
    const enum stopped stopped = deadline_ns != INT64_MAX && !w->guard->real->keeps_deadline
                                     ? end_statement(w)
                                     : STOPPED_NOT;
    if (UNLIKELY(status == DRIVER_ERROR || stopped != STOPPED_NOT))
        return failed(conn, status, deadline_ns, stopped);
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
    pthread_mutex_init(&g->lock, NULL);
    thread_condition_init(&g->earlier);
    thread_condition_init(&g->queued);
    thread_condition_init(&g->settled);
}

static void destroy(struct guard *g)
{
    pthread_cond_destroy(&g->earlier);
    pthread_cond_destroy(&g->queued);
    pthread_cond_destroy(&g->settled);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* Ends the watchdog, and the canceller if it was started. If the canceller waits for a server that
 * does not answer, it is left alone, with the memory of the guard, which is then never freed. */
static void stop_threads(struct guard *g, bool with_canceller)
{
    pthread_mutex_lock(&g->lock);
    const struct timespec at = clock_timespec(clock_now_ns() + CANCELLER_NS);
    g->ended = true;
    pthread_cond_signal(&g->earlier);
    pthread_cond_signal(&g->queued);
    while (with_canceller && !g->canceller_left &&
           pthread_cond_timedwait(&g->settled, &g->lock, &at) == 0)
        continue;
    const bool left = !with_canceller || g->canceller_left;
    pthread_mutex_unlock(&g->lock);
    pthread_join(g->watchdog, NULL);
    if (with_canceller && left)
        pthread_join(g->canceller, NULL);
    if (left)
        destroy(g);
    else
        pthread_detach(g->canceller);
}

/* Returns false after a logged message. */
static bool start_threads(struct guard *g)
{
    const bool watched = thread_start_quiet(&g->watchdog, watchdog_main, g) == 0;
    if (watched && thread_start_quiet(&g->canceller, canceller_main, g) == 0)
        return true;
    log_text(LOG_FATAL, "cannot start the threads that watch statements (--timeout)");
    if (watched)
        stop_threads(g, false);
    else
        destroy(g);
    return false;
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
    g->retry_on = policy->retry.attempts > 0 ? policy->retry_on : 0;
    g->ops = *driver;
    g->ops.query = guarded_query;
    g->ops.prepare = driver->prepare != NULL ? guarded_prepare : NULL;
    g->ops.execute = driver->execute != NULL ? guarded_execute : NULL;
    g->ops.next_result = driver->next_result != NULL ? guarded_next_result : NULL;
    g->ops.recover = guarded_recover;
    CK_LIST_INIT(&g->watches);
    atomic_store(&g->wake_ns, INT64_MAX);
    init_locks(g);
    return start_threads(g) ? g : NULL;
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
    if (g != NULL)
        stop_threads(g, true);
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
