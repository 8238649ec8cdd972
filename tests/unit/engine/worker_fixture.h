/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of workers whose workload is a function of the test, `body`, which each worker executes
 * once. The records are in `measured` and `warmed_up`.
 */
#ifndef TEST_WORKER_FIXTURE_H
#define TEST_WORKER_FIXTURE_H

#include "../suite.h"
#include "base/clock.h"
#include "engine/worker.h"
#include "engine/worker_api.h"
#include "stats/snapshot.h"

static struct settings settings;
static struct worker_pool pool;
static struct snapshot measured, warmed_up;

static int (*body)(void);
static bool refuse_thread; /* makes thread_start() fail */
static int end_code;       /* returned by thread_end() */
static atomic_uint events; /* number of events that `body` has counted */
static atomic_uint ended_threads, notices;

static inline void *start_thread(void *self, const struct workload_worker *worker)
{
    (void)self;
    return refuse_thread ? NULL : (void *)worker;
}

static inline int run_thread(void *thread)
{
    (void)thread;
    return body();
}

static inline int end_thread(void *thread)
{
    (void)thread;
    atomic_fetch_add(&ended_threads, 1);
    return end_code;
}

static inline void count_notice(void *arg)
{
    (void)arg;
    atomic_fetch_add(&notices, 1);
}

static const struct workload_ops ops = {
    .thread_start = start_thread, .thread_run = run_thread, .thread_end = end_thread};

/*
 * The default is a closed loop of one worker without limits; tests change the settings they need.
 */
static inline void before(void)
{
    settings = (struct settings){.threads = 1, .thread_stack_bytes = 1 << 20};
    pool = (struct worker_pool){.settings = &settings,
                                .workload = {.ops = &ops},
                                .notify = count_notice,
                                .end_ns = INT64_MAX,
                                .give_up_ns = INT64_MAX};
    refuse_thread = false;
    end_code = 0;
    atomic_store(&events, 0);
    atomic_store(&ended_threads, 0);
    atomic_store(&notices, 0);
    snapshot_init(&measured);
    snapshot_init(&warmed_up);
}

static inline void after(void)
{
    snapshot_fini(&measured);
    snapshot_fini(&warmed_up);
    stats_destroy(pool.stats);
    queue_destroy(pool.queue);
}

/* Sets up an arrival rate: `count` requests have arrived, one second apart, the last one now. */
static inline void arrive(uint32_t count)
{
    int64_t now_ns = clock_now_ns();
    pool.queue = queue_create(count);
    pool.start_ns = now_ns - count * NS_PER_SEC;
    pool.measure_ns = pool.start_ns;
    for (uint32_t i = 1; i <= count; i++) {
        struct request request = {.arrival_ns = pool.start_ns + i * NS_PER_SEC};
        ck_assert_uint_eq(queue_put(pool.queue, &request, 1), 1);
    }
    queue_seal(pool.queue);
}

/* Number of events in service after all workers have exited. */
static unsigned serving;
static int64_t last_end_ns;

static inline void wait_for_exit(void)
{
    while (atomic_load(&pool.exited) < pool.count)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    serving = worker_pool_serving(&pool);
    last_end_ns = worker_pool_last_end_ns(&pool);
}

static inline void run_through(enum gate gate, int (*what)(void))
{
    body = what;
    pool.stats = stats_create((unsigned)settings.threads, pool.queue != NULL);
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, gate);
    wait_for_exit();
    worker_pool_join(&pool);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
    stats_drain(pool.stats, PHASE_WARMUP, &warmed_up);
}

static inline uint64_t completed(const struct snapshot *s)
{
    ck_assert_uint_eq(s->metric[METRIC_RESPONSE].count, s->counter[COUNTER_EVENT]);
    return s->counter[COUNTER_EVENT];
}

static inline uint64_t failed(const struct snapshot *s)
{
    ck_assert_uint_eq(s->metric[METRIC_FAILED].count, s->counter[COUNTER_FAILED]);
    return s->counter[COUNTER_FAILED];
}

#endif
