/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/pool/pool.h"

#include <inttypes.h>
#include <search.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/worker.h"
#include "sql/pool/lender.h"
#include "sql/sql_recycle.h"

enum pool_scope { POOL_EVENT, POOL_TRANSACTION };

const struct option_spec sql_pool_rows[] = {
    {.name = "pool-size",
     .type = OPTION_INT,
     .fallback = "0",
     .help = "number of connections that all workers share; 0: each worker has its own",
     .min = 0,
     .max = 1e6,
     .field = OPTION_NO_FIELD},
    {.name = "pool-scope",
     .type = OPTION_STRING,
     .fallback = "event",
     .help = "how long a worker keeps a connection of the pool",
     .choices = OPTION_CHOICES([POOL_EVENT] = {"event", "until the end of the event"},
                               [POOL_TRANSACTION] = {"transaction",
                                                     "until the end of the transaction, or of a "
                                                     "statement outside of one"}),
     .field = OPTION_NO_FIELD},
    {.name = "pool-timeout",
     .type = OPTION_SECONDS,
     .fallback = "0",
     .help = "seconds after which a request fails that waits for a connection of the pool; 0: "
             "never",
     .max = 3600,
     .field = OPTION_NO_FIELD},
};
const unsigned sql_pool_row_count = ARRAY_SIZE(sql_pool_rows);

/* A statement that was prepared on a connection. */
struct pooled_statement {
    void *handle;              /* NULL if it is not prepared */
    const sql_statement *user; /* the object that has bound its parameters last */
};

/* A connection of the pool. While an object has it, `handle` and the members after it are in the
 * object. */
struct pooled {
    struct lender_item item;
    struct pooled_statement *statements; /* by the number of the text */
    unsigned statement_count;
    void *handle;
    unsigned number, home, target;
    bool open, lost, can_load;
    size_t max_statement_bytes;
    int64_t moved_ns, due_ns;
    uint64_t events;
};

/* Largest number of texts of prepared statements. Statements with further texts are executed as
 * text. */
#define TEXTS_MAX 4096

/* The number of a statement's text, kept in a tree (tsearch()). */
struct numbered_text {
    char *text;
    size_t length;
    unsigned number;
};

struct pool {
    const sql_driver *driver;
    struct lender *lender;
    enum pool_scope scope;
    int64_t timeout_ns; /* INT64_MAX if there is no limit */
    unsigned size, workers;
    unsigned first;       /* number of this rank's first connection, among those of all ranks */
    atomic_bool warned;   /* that workers may wait for each other forever */
    pthread_mutex_t lock; /* guards the following members */
    unsigned joined;      /* connections that were opened or are being opened */
    struct pooled **all;  /* array of `size`; the first `count` are set */
    unsigned count;
    void *texts;
    unsigned text_count;
};

/* Objects of the calling thread that have a connection. */
static _Thread_local CK_LIST_HEAD(, sql_connection) borrowers;
/* Number of objects of the calling thread. */
static _Thread_local unsigned objects_of_thread;

static int refuse(const char *reason)
{
    log_text(LOG_FATAL, "--pool-size cannot be used with %s", reason);
    return -1;
}

static int refuse_contradiction(const sql_driver *drv, const struct options *options)
{
    if (drv->read_host_count > 0)
        return refuse("--read-hosts");
    if (strcmp(options_string(options, "connect-in-response"), "off") == 0)
        return refuse("--connect-in-response=off (a connection of the pool is opened again by the "
                      "request that takes it)");
    return 0;
}

int pool_open(sql_driver *drv, const struct options *options, const struct rank *rank,
              unsigned workers)
{
    /* Unit tests and fuzz targets use this folder without the options of the program. */
    const bool known = options_find(options, "pool-size") != NULL;
    const int64_t all = known ? options_get(options, "pool-size")->integer : 0;
    if (all == 0)
        return 0;
    if (refuse_contradiction(drv, options) != 0)
        return -1;
    const int64_t size = rank_weighted_part(rank, all),
                  timeout_ns = options_get(options, "pool-timeout")->integer;
    if (size == 0) {
        log_text(LOG_FATAL, "--pool-size=%" PRId64 " leaves no connection for rank %u of %u", all,
                 rank->number, rank->count);
        return -1;
    }
    struct pool *pool = xcalloc(1, sizeof(*pool));
    pool->driver = drv;
    pool->lender = lender_create();
    pool->scope = (enum pool_scope)options_choice(options, "pool-scope");
    pool->timeout_ns = timeout_ns > 0 ? timeout_ns : INT64_MAX;
    pool->size = (unsigned)size;
    pool->first = (unsigned)rank_weighted_first(rank, all);
    pool->workers = workers;
    pthread_mutex_init(&pool->lock, NULL);
    pool->all = xcalloc(pool->size, sizeof(struct pooled *));
    drv->pool = pool;
    return 0;
}

static void free_text(void *node)
{
    free(((struct numbered_text *)node)->text);
    free(node);
}

static void close_pooled(const struct pool *pool, struct pooled *p)
{
    struct driver_conn conn = {.ops = pool->driver->ops,
                               .shared = pool->driver->shared,
                               .handle = p->handle,
                               .may_cancel = true,
                               .closing = true};
    if (p->open && conn.ops->moved != NULL)
        conn.ops->moved(&conn);
    for (unsigned i = 0; i < p->statement_count; i++) {
        struct driver_stmt stmt = {.conn = &conn, .handle = p->statements[i].handle};
        if (stmt.handle != NULL && p->open)
            conn.ops->close_statement(&stmt);
    }
    if (p->open)
        conn.ops->disconnect(&conn);
    rowset_fini(&conn.rows);
    free(p->statements);
    free(p);
}

void pool_destroy(struct pool *pool)
{
    if (pool == NULL)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        close_pooled(pool, pool->all[i]);
    tdestroy(pool->texts, free_text);
    free(pool->all);
    pthread_mutex_destroy(&pool->lock);
    lender_destroy(pool->lender);
    free(pool);
}

/* Workers with k connections each can wait for each other forever if each holds k − 1 of them and
 * no further one is free. */
static void warn_of_deadlock(struct pool *pool, unsigned connections)
{
    const unsigned least = pool->workers * (connections - 1) + 1;
    if (pool->size < least && pool->timeout_ns == INT64_MAX &&
        !atomic_exchange(&pool->warned, true))
        log_text(LOG_WARNING,
                 "--pool-size=%u: %u workers with %u connections each may wait for each other "
                 "forever (set at least %u, or --pool-timeout)",
                 pool->size, pool->workers, connections, least);
}

bool pool_join(struct pool *pool, sql_connection *con, int (*open_again)(sql_connection *con))
{
    con->pool = pool;
    con->open_again = open_again;
    warn_of_deadlock(pool, ++objects_of_thread);
    pthread_mutex_lock(&pool->lock);
    const bool opens = pool->joined < pool->size;
    /* With several servers, the connections of all ranks go to them in turn. */
    con->conn.number = con->home = pool->first + pool->joined;
    pool->joined += opens;
    pthread_mutex_unlock(&pool->lock);
    return opens;
}

void pool_leave(const sql_connection *con)
{
    objects_of_thread -= con->pool != NULL;
}

void pool_fail(struct pool *pool)
{
    lender_close(pool->lender);
}

/* Moves the connection from the object to *p. */
static void move_out(sql_connection *con, struct pooled *p)
{
    sql_unpublish(con);
    p->handle = con->conn.handle;
    p->number = con->conn.number;
    p->can_load = con->conn.can_load;
    p->max_statement_bytes = con->conn.max_statement_bytes;
    p->home = con->home;
    p->target = con->target;
    p->open = con->open;
    p->lost = con->lost;
    p->moved_ns = con->moved_ns;
    p->events = con->recycle.events;
    p->due_ns = con->recycle.due_ns;
    con->conn.handle = NULL;
    con->open = con->lost = false;
    con->borrowed = NULL;
}

static void move_in(sql_connection *con, struct pooled *p)
{
    con->conn.handle = p->handle;
    con->conn.number = p->number;
    con->conn.can_load = p->can_load;
    con->conn.max_statement_bytes = p->max_statement_bytes;
    con->home = p->home;
    con->target = p->target;
    con->open = p->open;
    con->lost = p->lost;
    con->moved_ns = p->moved_ns;
    con->recycle.events = p->events;
    con->recycle.due_ns = p->due_ns;
    con->borrowed = p;
    con->used = false;
    con->turn++;
    if (con->part != NULL)
        con->part = targets_part(con->stats->targets, con->stats->number, con->target);
    if (con->conn.ops->moved != NULL && con->open)
        con->conn.ops->moved(&con->conn);
    sql_publish(con);
    CK_LIST_INSERT_HEAD(&borrowers, con, borrower_link);
}

void pool_add(sql_connection *con)
{
    struct pooled *p = xcalloc(1, sizeof(*p));
    struct pool *pool = con->pool;
    move_out(con, p);
    pthread_mutex_lock(&pool->lock);
    pool->all[pool->count++] = p;
    pthread_mutex_unlock(&pool->lock);
    lender_give(pool->lender, &p->item);
}

/* Sets the error of a statement that got no connection. `limited`: the wait had a limit; otherwise
 * the connections could not be opened. `too_late`: the limit was the deadline of the request
 * (--timeout), to which `fresh` belongs (see worker_deadline_ns()). */
static int fail(sql_connection *con, bool limited, bool too_late, bool fresh)
{
    const struct pool *pool = con->pool;
    if (!limited) {
        driver_fail(&con->conn, 0, "", false, "the connections of the pool could not be opened");
        return -1;
    }
    if (too_late) {
        driver_fail(&con->conn, 0, "", true,
                    "the client gave up while it waited for a connection of the pool (--timeout)");
        worker_note_failure(FAILURE_TIMEOUT, fresh);
        return -1;
    }
    driver_fail(&con->conn, 0, "", true,
                "no connection of the pool was free for %g s (--pool-timeout)",
                ns_to_seconds(pool->timeout_ns));
    worker_note_failure(FAILURE_POOL, false);
    sql_count(con, COUNTER_POOL_TIMEOUT);
    return -1;
}

int pool_take(sql_connection *con)
{
    const struct pool *pool = con->pool;
    const struct worker *worker = worker_of_thread();
    /* Statements outside of events, which prepare the thread, wait as long as they must. */
    const bool limited = worker != NULL && worker_is_serving(worker);
    bool fresh;
    const int64_t deadline_ns = worker_deadline_ns(&fresh);
    const int64_t now_ns = clock_now_ns();
    const int64_t until_ns =
        limited ? min_i64(deadline_ns, clock_after_ns(now_ns, pool->timeout_ns)) : INT64_MAX;
    int64_t waited_ns;
    worker_begin_connection_wait(now_ns);
    struct lender_item *item = lender_take(pool->lender, until_ns, &waited_ns);
    worker_end_connection_wait(waited_ns);
    if (item == NULL)
        return fail(con, until_ns < INT64_MAX, until_ns == deadline_ns, fresh);
    move_in(con, (struct pooled *)item);
    return con->open && !sql_recycle_is_due(con) ? 0 : con->open_again(con);
}

void pool_return(sql_connection *con)
{
    struct pooled *p = con->borrowed;
    con->recycle.events++;
    CK_LIST_REMOVE(con, borrower_link);
    move_out(con, p);
    lender_give(con->pool->lender, &p->item);
}

sql_connection *pool_borrower(void)
{
    return CK_LIST_FIRST(&borrowers);
}

bool pool_ends_with_transaction(const struct pool *pool)
{
    return pool->scope == POOL_TRANSACTION;
}

static int compare_texts(const void *a, const void *b)
{
    const struct numbered_text *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->text, y->text, x->length);
}

/* Returns the number of a text, which is the same for all objects, or TEXTS_MAX if there are too
 * many texts. */
static unsigned number_of_text(struct pool *pool, char *text, size_t length)
{
    struct numbered_text wanted = {.text = text, .length = length};
    pthread_mutex_lock(&pool->lock);
    struct numbered_text **found = tfind(&wanted, &pool->texts, compare_texts);
    if (found == NULL && pool->text_count < TEXTS_MAX) {
        struct numbered_text *added = xcalloc(1, sizeof(*added));
        *added = (struct numbered_text){
            .text = xcalloc(1, length + 1), .length = length, .number = pool->text_count++};
        memcpy(added->text, text, length);
        found = checked_alloc(tsearch(added, &pool->texts, compare_texts));
    }
    const unsigned number = found != NULL ? (*found)->number : TEXTS_MAX;
    pthread_mutex_unlock(&pool->lock);
    return number;
}

/* Returns the place of the statement on the connection, which is created if necessary. */
static struct pooled_statement *place_of(struct pooled *p, unsigned number)
{
    if (number >= p->statement_count) {
        const unsigned count = 2 * number + 8;
        p->statements = xrealloc(p->statements, count * sizeof(p->statements[0]));
        memset(p->statements + p->statement_count, 0,
               (count - p->statement_count) * sizeof(p->statements[0]));
        p->statement_count = count;
    }
    return &p->statements[number];
}

bool pool_find_statement(sql_statement *stmt)
{
    sql_connection *con = stmt->con;
    if (stmt->turn == 0)
        stmt->number = number_of_text(con->pool, stmt->text, stmt->length);
    if (stmt->number == TEXTS_MAX)
        return false;
    struct pooled_statement *place = place_of(con->borrowed, stmt->number);
    if (stmt->turn == con->turn && place->user == stmt)
        return true;
    stmt->stmt.handle = place->handle;
    stmt->prepared = place->handle != NULL;
    stmt->stmt.rebound = true;
    stmt->turn = con->turn;
    place->user = stmt;
    return true;
}

void pool_keep_statement(const sql_statement *stmt)
{
    place_of(stmt->con->borrowed, stmt->number)->handle = stmt->stmt.handle;
}

void pool_close_statements(sql_connection *con)
{
    const struct pooled *p = con->borrowed;
    for (unsigned i = 0; i < p->statement_count; i++) {
        struct driver_stmt stmt = {.conn = &con->conn, .handle = p->statements[i].handle};
        if (stmt.handle != NULL)
            con->conn.ops->close_statement(&stmt);
        p->statements[i] = (struct pooled_statement){NULL, NULL};
    }
    con->turn++;
}
