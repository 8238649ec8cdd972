/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test `mutex`: each thread executes one event, which takes many locks for a short time, with
 * some work in between. */
#include <inttypes.h>
#include <pthread.h>

#include "base/log.h"
#include "base/util.h"
#include "engine/worker_api.h"
#include "workloads/builtins/tests.h"

struct lock {
    pthread_mutex_t mutex;
    uint64_t taken; /* number of times the lock was taken; guarded by the mutex */
};

struct mutex {
    int64_t num, locks, loops;
    /* each thread executes one event; otherwise threads share --events, or execute arriving
     * requests */
    bool one_each;
    _Atomic uint64_t events; /* number of events executed */
    struct lock *lock;
};

static int configure(void *test, const struct options *options, struct settings *settings);
static int begin(void *test);
static int loop(struct builtin_thread *thread);
static int end(void *test);

static const struct option_spec rows[] = {
    {.name = "mutex-num",
     .type = OPTION_INT,
     .fallback = "4096",
     .help = "total size of mutex array",
     .min = 1,
     .max = 1 << 28,
     .field = offsetof(struct mutex, num)},
    {.name = "mutex-locks",
     .type = OPTION_INT,
     .fallback = "50000",
     .help = "number of mutex locks to do per thread",
     .min = 0,
     .max = UINT32_MAX,
     .field = offsetof(struct mutex, locks)},
    {.name = "mutex-loops",
     .type = OPTION_INT,
     .fallback = "10000",
     .help = "number of empty loops to do outside mutex lock",
     .min = 0,
     .max = UINT32_MAX,
     .field = offsetof(struct mutex, loops)},
};

const struct builtin_ops mutex_test = {
    .name = "mutex",
    .description = "Mutex performance test",
    .rows = rows,
    .row_count = ARRAY_SIZE(rows),
    .test_bytes = sizeof(struct mutex),
    .configure = configure,
    .begin = begin,
    .loop = loop,
    .end = end,
};

static int configure(void *test, const struct options *options, struct settings *settings)
{
    (void)options;
    struct mutex *mutex = test;
    mutex->one_each = settings->events == 0 && settings->rate == 0;
    if (settings->events == 0)
        settings->events = settings_all_threads(settings);
    return 0;
}

static int begin(void *test)
{
    struct mutex *mutex = test;
    mutex->lock = xcalloc((size_t)mutex->num, sizeof(*mutex->lock));
    for (int64_t i = 0; i < mutex->num; i++)
        pthread_mutex_init(&mutex->lock[i].mutex, NULL);
    return 0;
}

static int event(struct builtin_thread *thread)
{
    struct mutex *mutex = thread->test;
    struct rand_stream *stream = &thread->worker->rand->stream;
    for (int64_t i = 0; i < mutex->locks; i++) {
        struct lock *lock = &mutex->lock[rand_stream_below(stream, (uint64_t)mutex->num)];
        for (int64_t n = 0; n < mutex->loops; n++)
            __asm__ volatile("");
        pthread_mutex_lock(&lock->mutex);
        lock->taken++;
        pthread_mutex_unlock(&lock->mutex);
    }
    atomic_fetch_add_explicit(&mutex->events, 1, memory_order_relaxed);
    return 0;
}

static int loop(struct builtin_thread *thread)
{
    const struct mutex *mutex = thread->test;
    int id = (int)thread->worker->id;
    if (!mutex->one_each) {
        while (worker_next())
            event(thread);
    } else if (sb_more_events(id)) {
        sb_event_start(id);
        event(thread);
        sb_event_stop(id);
    }
    return 0;
}

/* Checks the counters, each of which is guarded by its lock, so that no count may be lost. */
static int end(void *test)
{
    struct mutex *mutex = test;
    uint64_t taken = 0, expected = mutex->events * (uint64_t)mutex->locks;
    for (int64_t i = 0; i < mutex->num; i++) {
        taken += mutex->lock[i].taken;
        pthread_mutex_destroy(&mutex->lock[i].mutex);
    }
    free(mutex->lock);
    if (taken == expected)
        return 0;
    log_text(LOG_FATAL, "mutex: locks were taken %" PRIu64 " times, but %" PRIu64 " were counted",
             expected, taken);
    return -1;
}
