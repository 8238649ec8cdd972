/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread of a worker: it sets itself up, waits at the gate, executes the workload's loop, and
 * ends. */
#include "engine/worker.h"
#include "engine/worker_api.h"

static bool wait_at_gate(struct worker_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->gate == GATE_SHUT)
        pthread_cond_wait(&pool->gate_moved, &pool->lock);
    bool open = pool->gate == GATE_OPEN;
    pthread_mutex_unlock(&pool->lock);
    return open;
}

/* Until when an event may wait for a connection: as long as an event may be retried. */
static int64_t patience_ns(void *arg)
{
    const struct worker_pool *pool = arg;
    return atomic_load_explicit(&pool->stop, memory_order_relaxed) ? 0 : pool->give_up_ns;
}

static void fail(struct worker_pool *pool)
{
    atomic_store(&pool->failed, true);
    atomic_store(&pool->stop, true);
    pool->notify(pool->arg);
}

void worker_fail(void)
{
    struct worker *w = worker_of_thread();
    if (w != NULL)
        fail(w->pool);
}

/* Prepares the workload in this thread. Returns its thread object, or NULL after the pool has
 * failed. */
static void *set_up(struct worker *w)
{
    struct worker_pool *pool = w->pool;
    const unsigned number = pool->work == NULL ? settings_worker(pool->settings, w->id)
                                               : settings_executor(pool->settings, w->id);
    rand_init(&w->rand, &pool->settings->rand, number);
    w->lent = (struct workload_worker){.id = number,
                                       .first = w->id == 0 && pool->work == NULL,
                                       .rand = &w->rand,
                                       .stats = w->stats,
                                       .give_up_ns = patience_ns,
                                       .arg = pool};
    void *thread = pool->workload.ops->thread_start(pool->workload.self, &w->lent);
    if (thread == NULL)
        fail(pool);
    return thread;
}

/* Ends the event that a script with its own loop has left in service, or has claimed and not
 * started. It counts as failed. */
static void abandon_event(struct worker *w)
{
    if (atomic_load_explicit(&w->claimed_arrival_ns, memory_order_relaxed) != 0)
        sb_event_start((int)w->id);
    if (worker_is_serving(w))
        worker_finish(false);
}

static void serve(struct worker *w, void *thread)
{
    struct worker_pool *pool = w->pool;
    const struct workload_ops *ops = pool->workload.ops;
    atomic_fetch_add(&pool->came, 1);
    atomic_fetch_add(&pool->running, 1);
    if ((pool->work == NULL ? ops->thread_run : ops->thread_run_deferred)(thread) != 0)
        fail(pool);
    abandon_event(w);
    atomic_fetch_sub(&pool->running, 1);
    pool->notify(pool->arg);
}

void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct worker_pool *pool = w->pool;
    worker_adopt(w);
    void *thread = set_up(w);
    atomic_fetch_add(&pool->ready, 1);
    pool->notify(pool->arg);
    if (wait_at_gate(pool) && thread != NULL)
        serve(w, thread);
    if (thread != NULL && pool->workload.ops->thread_end(thread) != 0)
        fail(pool);
    atomic_fetch_add(&pool->exited, 1);
    pool->notify(pool->arg);
    return NULL;
}
