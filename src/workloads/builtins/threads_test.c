/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test `threads`: an event takes a lock, yields the processor and releases the lock, and
 * repeats this --thread-yields times. */
#include <pthread.h>
#include <sched.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/tests.h"

struct lock {
    _Alignas(CACHE_ALIGN) pthread_mutex_t mutex;
    unsigned holders; /* threads that hold the lock; guarded by the mutex */
};

struct threads {
    int64_t yields, locks;
    struct lock *lock;
};

static int begin(void *test);
static int event(struct builtin_thread *thread);
static int end(void *test);

static const struct option_spec rows[] = {
    {.name = "thread-yields",
     .type = OPTION_INT,
     .fallback = "1000",
     .help = "number of yields to do per request",
     .min = 0,
     .max = INT32_MAX,
     .field = offsetof(struct threads, yields)},
    {.name = "thread-locks",
     .type = OPTION_INT,
     .fallback = "8",
     .help = "number of locks per thread",
     .min = 1,
     .max = 1 << 20,
     .field = offsetof(struct threads, locks)},
};

const struct builtin_ops threads_test = {
    .name = "threads",
    .description = "Threads subsystem performance test",
    .rows = rows,
    .row_count = ARRAY_SIZE(rows),
    .test_bytes = sizeof(struct threads),
    .begin = begin,
    .event = event,
    .end = end,
};

static int begin(void *test)
{
    struct threads *threads = test;
    threads->lock =
        checked_alloc(aligned_alloc(CACHE_ALIGN, (size_t)threads->locks * sizeof(*threads->lock)));
    for (int64_t i = 0; i < threads->locks; i++) {
        pthread_mutex_init(&threads->lock[i].mutex, NULL);
        threads->lock[i].holders = 0;
    }
    return 0;
}

static int end(void *test)
{
    struct threads *threads = test;
    for (int64_t i = 0; i < threads->locks; i++)
        pthread_mutex_destroy(&threads->lock[i].mutex);
    free(threads->lock);
    return 0;
}

/* Yields while holding the lock. Returns false if another thread has held the lock at the same
 * time. */
static bool yield_with(struct lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    lock->holders++;
    sched_yield();
    bool alone = lock->holders == 1;
    lock->holders--;
    pthread_mutex_unlock(&lock->mutex);
    return alone;
}

static int event(struct builtin_thread *thread)
{
    struct threads *threads = thread->test;
    uint64_t first = rand_stream_below(&thread->worker->rand->stream, (uint64_t)threads->locks);
    struct lock *lock = &threads->lock[first];
    for (int64_t i = 0; i < threads->yields; i++)
        if (UNLIKELY(!yield_with(lock))) {
            log_text(LOG_FATAL, "threads: two threads held the same lock at the same time");
            return -1;
        }
    return 0;
}
