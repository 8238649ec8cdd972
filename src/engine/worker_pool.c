/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a pool: starts them, opens the gate, reads their state, and joins them. */
#include <string.h>

#include "base/log.h"
#include "engine/worker.h"

#define STACK_RESERVE_BYTES ((size_t)1 << 20)

/*
 * The size from the option, plus a reserve for LuaJIT and the client libraries: the parser of
 * LuaJIT alone needs 129 KiB before its limit of 200 levels stops it. Pages that are not touched
 * cost nothing. A stack below 2 MiB never contains a huge page, which would be allocated completely
 * at the first touch.
 */
static size_t stack_bytes(const struct settings *settings)
{
    return (size_t)settings->thread_stack_bytes + STACK_RESERVE_BYTES;
}

static unsigned threads_of(const struct worker_pool *pool)
{
    return (unsigned)(pool->work == NULL ? pool->settings->threads
                                         : pool->settings->deferred_threads);
}

/* In the statistics, executors are numbered after the workers. */
static unsigned first_in_stats(const struct worker_pool *pool)
{
    return pool->work == NULL ? 0 : (unsigned)pool->settings->threads;
}

static int start_worker(struct worker_pool *pool, const pthread_attr_t *attr)
{
    struct worker *w = &pool->workers[pool->count];
    w->pool = pool;
    w->id = pool->count;
    w->stats = stats_thread(pool->stats, first_in_stats(pool) + w->id);
    w->attempt.policy =
        pool->settings->policy.on && pool->work == NULL ? &pool->settings->policy : NULL;
    w->attempt.budget = &pool->budget;
    rand_stream_init(&w->attempt.backoff, pool->settings->rand.seed, RAND_RETRY,
                     settings_worker(pool->settings, w->id));
    w->log = pool->log != NULL ? request_log_thread(pool->log, w->id) : NULL;
    int rc = pthread_create(&w->thread, attr, worker_main, w);
    if (rc != 0) {
        log_text(LOG_FATAL, "cannot start worker thread %u of %u, with a stack of %zu KiB: %s",
                 w->id + 1, threads_of(pool), stack_bytes(pool->settings) / 1024, strerror(rc));
        return -1;
    }
    pool->count++;
    return 0;
}

int worker_pool_start(struct worker_pool *pool)
{
    size_t bytes = threads_of(pool) * sizeof(*pool->workers);
    pool->workers = memset(checked_alloc(aligned_alloc(CACHE_ALIGN, bytes)), 0, bytes);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->gate_moved, NULL);
    atomic_store(&pool->events_left,
                 rank_weighted_part(&pool->settings->rank, pool->settings->events));

    pthread_attr_t attr;
    pthread_attr_init(&attr);
    int rc = pthread_attr_setstacksize(&attr, stack_bytes(pool->settings));
    if (rc != 0)
        log_text(LOG_FATAL, "cannot use a thread stack of %zu bytes (--thread-stack-size): %s",
                 stack_bytes(pool->settings), strerror(rc));
    while (rc == 0 && pool->count < threads_of(pool))
        rc = start_worker(pool, &attr);
    pthread_attr_destroy(&attr);
    return rc == 0 ? 0 : -1;
}

void worker_pool_gate(struct worker_pool *pool, enum gate gate)
{
    pthread_mutex_lock(&pool->lock);
    pool->gate = gate;
    pthread_cond_broadcast(&pool->gate_moved);
    pthread_mutex_unlock(&pool->lock);
}

unsigned worker_pool_serving(const struct worker_pool *pool)
{
    const unsigned parked = atomic_load(&pool->parked);
    unsigned n = 0;
    for (unsigned i = 0; i < pool->count; i++)
        n += (atomic_load_explicit(&pool->workers[i].serving_arrival_ns, memory_order_relaxed) !=
              0) +
             atomic_load_explicit(&pool->workers[i].detached[PHASE_WARMUP], memory_order_relaxed) +
             atomic_load_explicit(&pool->workers[i].detached[PHASE_MEASURED], memory_order_relaxed);
    return n - min_u32(n, parked);
}

bool worker_pool_read_serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    const struct worker_pool *pool = arg;
    if (worker >= pool->count)
        return false;
    const struct worker *w = &pool->workers[worker];
    *arrival_ns = atomic_load_explicit(&w->serving_arrival_ns, memory_order_acquire);
    *start_ns = atomic_load_explicit(&w->start_ns, memory_order_relaxed);
    return *arrival_ns != 0;
}

bool worker_pool_settled(const struct worker_pool *pool, uint64_t *sequence)
{
    bool updating = false;
    *sequence = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        const uint64_t n = sequence_lock_number(&pool->workers[i].sequence);
        updating |= n % 2 != 0;
        *sequence += n;
    }
    return !updating;
}

int64_t worker_pool_last_end_ns(const struct worker_pool *pool)
{
    int64_t last_ns = 0;
    for (unsigned i = 0; i < pool->count; i++)
        last_ns = max_i64(last_ns, atomic_load(&pool->workers[i].last_end_ns));
    return last_ns;
}

void worker_pool_join(struct worker_pool *pool)
{
    if (pool->workers == NULL)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->gate_moved);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
}
