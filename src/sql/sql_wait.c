/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection whose waits are logged uses a copy of its driver's operations. In this copy, the
 * operations that wait for the server record the statement and the start time; a separate thread
 * checks these records and logs. Other connections have no extra cost.
 */
#include "sql/sql_wait.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "sql/sql_internal.h"

/* Statements are truncated to this length. */
#define SHOWN_BYTES 100
/* The thread checks for long waits this many times per interval between two messages. */
#define CHECKS 5
#define LONGEST_CONNECT_S 86400

struct sql_waits {
    int64_t connect_ns, every_ns;
    pthread_t thread;     /* valid if `running`; started with the first connection */
    pthread_mutex_t lock; /* guards the following members, and since_ns and text of each wait */
    pthread_cond_t end;   /* signalled when `ended` is set */
    bool running, ended;
    int64_t logged_ns; /* time of the last message; 0 before the first */
    CK_LIST_HEAD(, sql_wait) list;
};

struct sql_wait {
    struct driver_ops ops; /* must be first: conn->ops points here */
    const struct driver_ops *driver;
    struct sql_waits *waits;
    CK_LIST_ENTRY(sql_wait) link;
    int64_t since_ns; /* start of the current wait; 0 if the connection is not waiting */
    char text[SHOWN_BYTES];
};

static struct sql_wait *wait_of(const struct driver_conn *conn)
{
    return (struct sql_wait *)conn->ops;
}

static void begin(struct sql_wait *wait, const char *text, size_t length)
{
    pthread_mutex_lock(&wait->waits->lock);
    wait->since_ns = clock_now_ns();
    snprintf(wait->text, sizeof(wait->text), "%.*s", (int)min_u32((uint32_t)length, SHOWN_BYTES),
             text);
    pthread_mutex_unlock(&wait->waits->lock);
}

static void end(struct sql_wait *wait)
{
    pthread_mutex_lock(&wait->waits->lock);
    wait->since_ns = 0;
    pthread_mutex_unlock(&wait->waits->lock);
}

/* Driver operations that record their waits. */

static enum driver_status query(struct driver_conn *conn, const char *text, size_t length)
{
    struct sql_wait *wait = wait_of(conn);

    begin(wait, text, length);
    enum driver_status status = wait->driver->query(conn, text, length);
    end(wait);
    return status;
}

static enum driver_status next_result(struct driver_conn *conn)
{
    static const char further[] = "a further result";
    struct sql_wait *wait = wait_of(conn);

    begin(wait, further, sizeof(further) - 1);
    enum driver_status status = wait->driver->next_result(conn);
    end(wait);
    return status;
}

static enum driver_status prepare(struct driver_stmt *stmt, const char *text, size_t length)
{
    struct sql_wait *wait = wait_of(stmt->conn);

    begin(wait, text, length);
    enum driver_status status = wait->driver->prepare(stmt, text, length);
    end(wait);
    return status;
}

static enum driver_status execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                  unsigned count)
{
    const sql_statement *statement = (const sql_statement *)stmt;
    struct sql_wait *wait = wait_of(stmt->conn);

    begin(wait, statement->text, statement->length);
    enum driver_status status = wait->driver->execute(stmt, params, count);
    end(wait);
    return status;
}

static enum driver_status load(struct driver_conn *conn, const char *table, const char *columns,
                               const char *text, size_t length)
{
    struct sql_wait *wait = wait_of(conn);
    char what[SHOWN_BYTES];

    int used = snprintf(what, sizeof(what), "rows for %.80s", table);
    begin(wait, what, (size_t)used);
    enum driver_status status = wait->driver->load(conn, table, columns, text, length);
    end(wait);
    return status;
}

static void ask_limits(struct driver_conn *conn)
{
    static const char limits[] = "the limits of the server";
    struct sql_wait *wait = wait_of(conn);

    begin(wait, limits, sizeof(limits) - 1);
    wait->driver->ask_limits(conn);
    end(wait);
}

static void set_operations(struct sql_wait *wait, const struct driver_ops *driver)
{
    wait->driver = driver;
    wait->ops = *driver;
    wait->ops.query = query;
    wait->ops.execute = execute;
    wait->ops.prepare = prepare;
    if (driver->next_result != NULL)
        wait->ops.next_result = next_result;
    if (driver->load != NULL)
        wait->ops.load = load;
    if (driver->ask_limits != NULL)
        wait->ops.ask_limits = ask_limits;
}

/* The thread that checks for long waits. */

static void log_longest_wait(struct sql_waits *waits)
{
    const struct sql_wait *wait, *longest = NULL;
    unsigned others = 0;
    int64_t now_ns = clock_now_ns();

    CK_LIST_FOREACH(wait, &waits->list, link)
    {
        others += wait->since_ns != 0;
        if (wait->since_ns != 0 && (longest == NULL || wait->since_ns < longest->since_ns))
            longest = wait;
    }
    if (longest == NULL || now_ns - longest->since_ns < waits->every_ns ||
        now_ns - waits->logged_ns < waits->every_ns)
        return;
    waits->logged_ns = now_ns;
    char also[48] = "";
    if (--others > 0)
        snprintf(also, sizeof(also), " (and for %u more)", others);
    log_text(LOG_NOTICE, "Waiting for the server since %.0f s: %s%s",
             ns_to_seconds(now_ns - longest->since_ns), longest->text, also);
    log_flush_stdout();
}

static void *check_waits(void *arg)
{
    struct sql_waits *waits = arg;

    pthread_mutex_lock(&waits->lock);
    while (!waits->ended) {
        struct timespec until = clock_timespec(clock_now_ns() + waits->every_ns / CHECKS);
        pthread_cond_timedwait(&waits->end, &waits->lock, &until);
        log_longest_wait(waits);
    }
    pthread_mutex_unlock(&waits->lock);
    return NULL;
}

struct sql_waits *sql_waits_create(int64_t connect_ns, int64_t every_ns)
{
    struct sql_waits *waits = xcalloc(1, sizeof(*waits));

    waits->connect_ns = connect_ns;
    waits->every_ns = every_ns;
    CK_LIST_INIT(&waits->list);
    pthread_mutex_init(&waits->lock, NULL);
    thread_condition_init(&waits->end);
    return waits;
}

void sql_waits_destroy(struct sql_waits *waits)
{
    if (waits == NULL)
        return;
    pthread_mutex_lock(&waits->lock);
    waits->ended = true;
    pthread_cond_signal(&waits->end);
    pthread_mutex_unlock(&waits->lock);
    if (waits->running)
        pthread_join(waits->thread, NULL);
    pthread_cond_destroy(&waits->end);
    pthread_mutex_destroy(&waits->lock);
    free(waits);
}

static unsigned connect_timeout_s(const struct sql_waits *waits)
{
    int64_t seconds = waits->connect_ns / NS_PER_SEC + (waits->connect_ns % NS_PER_SEC > 0);

    return (unsigned)max_i64(1, min_i64(seconds, LONGEST_CONNECT_S));
}

void sql_wait_join(struct sql_waits *waits, sql_connection *con)
{
    struct sql_wait *wait = xcalloc(1, sizeof(*wait));

    wait->waits = waits;
    set_operations(wait, con->conn.ops);
    con->wait = wait;
    con->conn.ops = &wait->ops;
    con->conn.connect_timeout_s = connect_timeout_s(waits);
    pthread_mutex_lock(&waits->lock);
    CK_LIST_INSERT_HEAD(&waits->list, wait, link);
    if (!waits->running)
        waits->running = pthread_create(&waits->thread, NULL, check_waits, waits) == 0;
    pthread_mutex_unlock(&waits->lock);
}

void sql_wait_leave(sql_connection *con)
{
    struct sql_wait *wait = con->wait;

    if (wait == NULL)
        return;
    pthread_mutex_lock(&wait->waits->lock);
    CK_LIST_REMOVE(wait, link);
    pthread_mutex_unlock(&wait->waits->lock);
    con->wait = NULL;
    free(wait);
}
