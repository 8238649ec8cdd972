/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of a pool of workers that defer work and a second pool of executors that do the work. */
#include "result/summary.h"
#include "worker_fixture.h"

static struct worker_pool executors;
static atomic_uint done;
static unsigned work_type;

static int defer_in_each_event(void)
{
    const unsigned type = (unsigned)worker_deferred_type("work");
    const double number = 5;
    while (worker_next())
        for (unsigned i = 0; i < 3; i++)
            if (worker_defer((int)type, 1, &number) == 0)
                atomic_fetch_add(&events, 1);
    return 0;
}

/* Every third event is restarted once; it is given up when the pool stops. */
static int do_deferred_work(void)
{
    while (worker_next()) {
        double number[DEFERRED_NUMBERS];
        ck_assert_uint_eq(worker_deferred_numbers(number), 1);
        ck_assert_double_eq(number[0], 5);
        ck_assert_str_eq(worker_deferred_name(), "work");
        worker_set_event_type(0);
        if (atomic_fetch_add(&done, 1) % 3 == 0)
            ck_assert(worker_restart());
        stats_count(worker_of_thread()->stats, COUNTER_READ, 1);
    }
    return 0;
}

static int run_executor(void *thread)
{
    (void)thread;
    return do_deferred_work();
}

static const struct workload_ops executor_ops = {
    .thread_start = start_thread, .thread_run_deferred = run_executor, .thread_end = end_thread};

static void start_both(uint32_t size)
{
    settings.deferred_threads = 3;
    atomic_store(&done, 0);
    pool.stats = stats_create_with((unsigned)settings.threads, 3, false);
    pool.deferred = deferred_create(size);
    executors = (struct worker_pool){.settings = &settings,
                                     .workload = {.ops = &executor_ops},
                                     .stats = pool.stats,
                                     .work = pool.deferred,
                                     .notify = count_notice,
                                     .give_up_ns = INT64_MAX};
    body = defer_in_each_event;
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    ck_assert_int_eq(worker_pool_start(&executors), 0);
    worker_pool_gate(&executors, GATE_OPEN);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
}

static void end_both(void)
{
    worker_pool_join(&pool);
    worker_pool_join(&executors);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
    deferred_destroy(pool.deferred);
}

START_TEST(deferred_work_is_counted_separately)
{
    settings.threads = 2;
    settings.events = 20000;
    start_both(100000);
    deferred_seal(pool.deferred);
    end_both();
    const struct target_total *t = &measured.deferred->target[0];
    ck_assert_uint_eq(measured.deferred->count, 1);
    ck_assert_uint_eq(completed(&measured), 20000);
    ck_assert_uint_eq(failed(&measured), 0);
    ck_assert_uint_eq(t->counter[COUNTER_QUEUED], 60000);
    ck_assert_uint_eq(t->counter[COUNTER_EVENT], 60000);
    ck_assert_uint_eq(t->metric[METRIC_RESPONSE].count, 60000);
    ck_assert_uint_eq(t->metric[METRIC_WAIT].count, 60000);
    ck_assert_uint_eq(t->metric[METRIC_SERVICE].count, 60000);
    ck_assert_uint_eq(atomic_load(&done), 60000);
    /* Other counters of the executors are added to those of the run. */
    ck_assert_uint_eq(t->counter[COUNTER_READ], 60000);
    ck_assert_uint_eq(measured.counter[COUNTER_READ], 60000);
    ck_assert_uint_eq(measured.types->count, 0);
    /* Executors do not count as workers: each of the two workers has half of the events. */
    ck_assert_double_eq(stats_fairness(pool.stats, false).events_mean, 10000);
}
END_TEST

START_TEST(work_that_is_refused_ends_the_run_or_fails)
{
    struct deferred_entry entry;
    uint64_t left = 0;
    settings.threads = 4;
    settings.events = 20000;
    settings.queue_full = QUEUE_FULL_DROP;
    start_both(2);
    deferred_close(pool.deferred);
    while (atomic_load(&executors.exited) < executors.count)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    while (deferred_remove(pool.deferred, &entry))
        left++;
    end_both();
    const struct target_total *t = &measured.deferred->target[0];
    ck_assert_uint_eq(t->counter[COUNTER_QUEUED], 60000);
    ck_assert_uint_gt(t->counter[COUNTER_FAILED], 0);
    ck_assert_uint_eq(t->counter[COUNTER_EVENT] + t->counter[COUNTER_FAILED] + left, 60000);
    ck_assert_uint_eq(t->metric[METRIC_FAILED].count, t->counter[COUNTER_FAILED]);
    ck_assert_uint_eq(failed(&measured), 0);
}
END_TEST

static int fill_the_queue(void)
{
    const double number = 5;
    work_type = (unsigned)worker_deferred_type("work");
    ck_assert(worker_next());
    while (worker_defer((int)work_type, 1, &number) == 0)
        ;
    worker_finish(false);
    return 0;
}

START_TEST(a_full_queue_is_reported_to_the_event)
{
    pool.stats = stats_create(1, false);
    pool.deferred = deferred_create(5);
    body = fill_the_queue;
    ck_assert_int_eq(worker_pool_start(&pool), 0);
    worker_pool_gate(&pool, GATE_OPEN);
    wait_for_exit();
    worker_pool_join(&pool);
    stats_drain(pool.stats, PHASE_MEASURED, &measured);
    ck_assert_uint_eq(measured.deferred->target[work_type].counter[COUNTER_QUEUED], 6);
    ck_assert_uint_eq(measured.deferred->target[work_type].counter[COUNTER_FAILED], 1);
    deferred_destroy(pool.deferred);
}
END_TEST

static int ask_for_a_type(void)
{
    ck_assert_int_eq(worker_deferred_type("work"), -1);
    return 0;
}

START_TEST(without_a_queue_no_work_is_deferred)
{
    run_through(GATE_OPEN, ask_for_a_type);
    ck_assert_uint_eq(measured.deferred->count, 0);
}
END_TEST

RUN_SUITE_WITH("executors", 60, before, after, deferred_work_is_counted_separately,
               work_that_is_refused_ends_the_run_or_fails, a_full_queue_is_reported_to_the_event,
               without_a_queue_no_work_is_deferred)
