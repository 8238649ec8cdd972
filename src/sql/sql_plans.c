/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_plans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "result/waits/plans.h"
#include "sql/plan_shape.h"
#include "sql/sql_internal.h"
#include "stats/operations.h"

#define CONNECT_TIMEOUT_S 5
#define ANSWER_TIMEOUT_S 10
/* Longer statements are not explained: bulk inserts have megabytes. */
#define TEXT_BYTES_MAX 65536

struct example {
    atomic_bool known; /* the class needs no further example */
    bool explained;    /* the first plan was asked for */
    char *text;        /* NULL if the statement cannot be explained */
    struct plan plan;
};

struct sql_plans {
    const sql_driver *drv;
    pthread_mutex_t lock; /* protects all members but `known` and the connection */
    pthread_cond_t noted;
    pthread_t thread;
    bool started, stopping;
    struct example example[OPERATION_CLASSES];
    struct driver_conn conn; /* used by the thread, and after its end by sql_plans_finish() */
    bool open, lost;
    _Atomic uint64_t asked;
};

struct sql_plans *sql_plans_create(const sql_driver *drv)
{
    struct sql_plans *plans = xcalloc(1, sizeof(*plans));
    plans->drv = drv;
    plans->conn = (struct driver_conn){.ops = drv->ops,
                                       .shared = drv->shared,
                                       .connect_timeout_s = CONNECT_TIMEOUT_S,
                                       .answer_timeout_s = ANSWER_TIMEOUT_S};
    pthread_mutex_init(&plans->lock, NULL);
    pthread_cond_init(&plans->noted, NULL);
    return plans;
}

uint64_t sql_plans_asked(const struct sql_plans *plans)
{
    return plans != NULL ? atomic_load(&plans->asked) : 0;
}

static void end_thread(struct sql_plans *plans)
{
    pthread_mutex_lock(&plans->lock);
    const bool started = plans->started && !plans->stopping;
    plans->stopping = true;
    pthread_cond_signal(&plans->noted);
    pthread_mutex_unlock(&plans->lock);
    if (started)
        pthread_join(plans->thread, NULL);
}

void sql_plans_destroy(struct sql_plans *plans)
{
    if (plans == NULL)
        return;
    end_thread(plans);
    if (plans->open)
        plans->conn.ops->disconnect(&plans->conn);
    rowset_fini(&plans->conn.rows);
    for (unsigned i = 0; i < OPERATION_CLASSES; i++) {
        free(plans->example[i].text);
        free(plans->example[i].plan.class);
        free(plans->example[i].plan.first);
        free(plans->example[i].plan.failure);
    }
    pthread_cond_destroy(&plans->noted);
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

static int connect_once(struct sql_plans *plans)
{
    if (!plans->open && !plans->lost) {
        plans->open = plans->conn.ops->connect(&plans->conn) != DRIVER_ERROR;
        plans->lost = !plans->open;
    }
    return plans->open ? 0 : -1;
}

/* Returns the first column of all rows of the last result, in new memory. */
static char *read_text(struct driver_conn *conn, size_t *bytes)
{
    char *text = NULL;
    const struct rowset_field *row;
    FILE *out = checked_alloc(open_memstream(&text, bytes));
    while ((row = conn->ops->fetch != NULL ? conn->ops->fetch(conn) : rowset_fetch(&conn->rows)) !=
           NULL)
        fwrite(row[0].text != NULL ? row[0].text : "", 1, row[0].length, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

/* Returns the shape of the plan of `text`, or NULL after setting *failure, which the caller frees.
 */
static char *explain(struct sql_plans *plans, const char *text, char **failure)
{
    struct driver_conn *conn = &plans->conn;
    char *shape = NULL, *query = NULL, *json;
    size_t bytes = 0;
    if (connect_once(plans) == 0) {
        const int length = asprintf(&query, "%s%s", conn->ops->explain, text);
        if (length < 0)
            checked_alloc(NULL);
        const enum driver_status status = conn->ops->query(conn, query, (size_t)length);
        atomic_fetch_add(&plans->asked, 1);
        plans->lost = status == DRIVER_ERROR && conn->error.connection_lost;
        if (status == DRIVER_ROWS) {
            json = read_text(conn, &bytes);
            shape = plan_shape(json, bytes);
            free(json);
        }
        if (status != DRIVER_ERROR && conn->ops->free_result != NULL)
            conn->ops->free_result(conn);
        rowset_clear(&conn->rows);
        free(query);
        if (status != DRIVER_ERROR && shape == NULL)
            driver_fail(conn, 0, "", false, "the answer is no plan");
    }
    if (plans->lost && plans->open) {
        conn->ops->disconnect(conn);
        plans->open = false;
    }
    if (shape == NULL && *failure == NULL)
        *failure = xstrdup(conn->error.message);
    return shape;
}

/* Returns the number of an example whose first plan is missing, or OPERATION_CLASSES. */
static unsigned next_example(const struct sql_plans *plans)
{
    unsigned i = 0;
    while (i < OPERATION_CLASSES && (plans->example[i].explained || plans->example[i].text == NULL))
        i++;
    return i;
}

static void *explain_first(void *arg)
{
    struct sql_plans *plans = arg;
    pthread_mutex_lock(&plans->lock);
    while (!plans->stopping) {
        const unsigned i = next_example(plans);
        if (i == OPERATION_CLASSES) {
            pthread_cond_wait(&plans->noted, &plans->lock);
            continue;
        }
        struct example *e = &plans->example[i];
        char *failure = NULL;
        e->explained = true;
        pthread_mutex_unlock(&plans->lock);
        char *shape = explain(plans, e->text, &failure);
        pthread_mutex_lock(&plans->lock);
        e->plan.first = shape;
        e->plan.failure = failure;
    }
    pthread_mutex_unlock(&plans->lock);
    return NULL;
}

/* Returns true if the server can explain the statement without executing anything: it is a single
 * statement that reads or changes rows. */
static bool can_explain(const sql_driver *drv, const char *text, size_t length)
{
    static const char *const keywords[] = {"select", "insert", "update", "delete", "replace"};
    if (length > TEXT_BYTES_MAX || memchr(text, ';', length) != NULL)
        return false;
    const char *keyword = drv->ops->language->keyword(text, length);
    for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
        if (strncasecmp(keyword, keywords[i], strlen(keywords[i])) == 0)
            return true;
    return false;
}

bool sql_plans_has(struct sql_plans *plans, unsigned class)
{
    return class >= OPERATION_CLASSES ||
           atomic_load_explicit(&plans->example[class].known, memory_order_relaxed);
}

void sql_plans_note(struct sql_plans *plans, unsigned class, const char *name, const char *text,
                    size_t length)
{
    if (sql_plans_has(plans, class))
        return;
    struct example *e = &plans->example[class];
    pthread_mutex_lock(&plans->lock);
    if (!e->known && !plans->stopping && can_explain(plans->drv, text, length)) {
        e->text = checked_alloc(strndup(text, length));
        e->plan.class = xstrdup(name);
        plans->started =
            plans->started || pthread_create(&plans->thread, NULL, explain_first, plans) == 0;
        pthread_cond_signal(&plans->noted);
    }
    atomic_store(&e->known, true);
    pthread_mutex_unlock(&plans->lock);
}

struct plans *sql_plans_finish(struct sql_plans *plans)
{
    end_thread(plans);
    struct plans *all = xcalloc(1, sizeof(*all));
    all->list = xcalloc(OPERATION_CLASSES, sizeof(*all->list));
    for (unsigned i = 0; i < OPERATION_CLASSES; i++) {
        struct example *e = &plans->example[i];
        if (e->text == NULL)
            continue;
        struct plan *plan = &all->list[all->count++];
        *plan = e->plan;
        e->plan = (struct plan){0};
        plan->last = explain(plans, e->text, &plan->failure);
    }
    return all;
}
