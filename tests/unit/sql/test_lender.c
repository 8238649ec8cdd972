/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the queue of threads that wait for an item. */
#include <pthread.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/util.h"
#include "sql/pool/lender.h"

#define NO_LIMIT INT64_MAX

static struct lender *lender;
static struct lender_item items[4];

static void setup(void)
{
    lender = lender_create();
}

static void teardown(void)
{
    lender_destroy(lender);
}

static void give(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        lender_give(lender, &items[i]);
}

START_TEST(a_free_item_is_taken_at_once_and_the_last_one_first)
{
    int64_t waited_ns;
    give(3);
    for (unsigned i = 3; i-- > 0;) {
        ck_assert_ptr_eq(lender_take(lender, NO_LIMIT, &waited_ns), &items[i]);
        ck_assert_int_eq(waited_ns, 0);
    }
}
END_TEST

START_TEST(without_an_item_a_thread_waits_until_its_limit)
{
    int64_t waited_ns;
    const int64_t until_ns = clock_now_ns() + 20 * NS_PER_MS;
    ck_assert_ptr_null(lender_take(lender, until_ns, &waited_ns));
    ck_assert_int_ge(clock_now_ns(), until_ns);
    ck_assert_int_gt(waited_ns, 0);
    /* The thread has left the queue, so that an item does not go to it. */
    give(1);
    ck_assert_ptr_eq(lender_take(lender, until_ns, &waited_ns), &items[0]);
}
END_TEST

/* Threads that come one after another while no item is free. */
#define WAITERS 8
static atomic_uint served;
static unsigned order[WAITERS];

static void *wait_in_queue(void *arg)
{
    int64_t waited_ns;
    struct lender_item *item = lender_take(lender, NO_LIMIT, &waited_ns);
    order[atomic_fetch_add(&served, 1)] = (unsigned)(uintptr_t)arg;
    ck_assert_int_gt(waited_ns, 0);
    lender_give(lender, item);
    return NULL;
}

/* One item is in circulation, so that the order in which the threads record their numbers is the
 * order in which they got it. Each thread begins when the one before it is in the queue. */
START_TEST(first_come_first_served)
{
    pthread_t threads[WAITERS];
    for (unsigned i = 0; i < WAITERS; i++) {
        pthread_create(&threads[i], NULL, wait_in_queue, (void *)(uintptr_t)i);
        while (lender_waiting(lender) <= i)
            clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    }
    give(1);
    for (unsigned i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < WAITERS; i++)
        ck_assert_uint_eq(order[i], i);
}
END_TEST

/* Threads that take items all the time, some with a limit that often passes while an item is being
 * handed over. */
#define TAKERS 12
#define ROUNDS 4000
static atomic_uint holders[ARRAY_SIZE(items)];
static atomic_uint taken, missed;

static void *take_often(void *arg)
{
    const bool limited = (uintptr_t)arg % 2 == 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        int64_t waited_ns;
        const int64_t until_ns = limited ? clock_now_ns() + 20 * NS_PER_US : NO_LIMIT;
        struct lender_item *item = lender_take(lender, until_ns, &waited_ns);
        if (item == NULL) {
            atomic_fetch_add(&missed, 1);
            continue;
        }
        atomic_uint *holder = &holders[item - items];
        ck_assert_uint_eq(atomic_fetch_add(holder, 1), 0);
        atomic_fetch_sub(holder, 1);
        atomic_fetch_add(&taken, 1);
        lender_give(lender, item);
    }
    return NULL;
}

START_TEST(an_item_has_one_holder_and_none_is_lost)
{
    pthread_t threads[TAKERS];
    int64_t waited_ns;
    give(ARRAY_SIZE(items));
    for (uintptr_t i = 0; i < TAKERS; i++)
        pthread_create(&threads[i], NULL, take_often, (void *)i);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(atomic_load(&taken) + atomic_load(&missed), TAKERS * ROUNDS);
    for (unsigned i = 0; i < ARRAY_SIZE(items); i++)
        ck_assert_ptr_nonnull(lender_take(lender, 0, &waited_ns));
    ck_assert_ptr_null(lender_take(lender, 0, &waited_ns));
}
END_TEST

RUN_SUITE_WITH("lender", 60, setup, teardown, a_free_item_is_taken_at_once_and_the_last_one_first,
               without_an_item_a_thread_waits_until_its_limit, first_come_first_served,
               an_item_has_one_holder_and_none_is_lost)
