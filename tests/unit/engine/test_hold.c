/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hold.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../suite.h"

static struct hold *hold;
static atomic_bool recalled;

static void before(void)
{
    hold = hold_create();
    atomic_store(&recalled, false);
}

static void after(void)
{
    hold_destroy(hold);
}

static bool is_recalled(const void *arg, int64_t due_ns)
{
    (void)arg;
    (void)due_ns;
    return atomic_load(&recalled);
}

/* Waits so many times for a moment `ns` ahead. */
static void wait_times(unsigned times, int64_t ns)
{
    for (unsigned i = 0; i < times; i++) {
        int64_t due_ns = clock_now_ns() + ns;
        ck_assert(hold_wait(hold, due_ns, is_recalled, NULL));
        ck_assert_int_ge(clock_now_ns(), due_ns);
    }
}

START_TEST(nobody_comes_back_before_it_is_due)
{
    wait_times(200, 300 * NS_PER_US);
    ck_assert_int_eq(hold_spin_ns(hold), 0);
    hold_allow_early(hold, true);
    wait_times(1000, 300 * NS_PER_US);
}
END_TEST

START_TEST(what_is_due_is_not_waited_for)
{
    hold_allow_early(hold, true);
    wait_times(100, -NS_PER_SEC);
    ck_assert_int_eq(hold_spin_ns(hold), 0);
}
END_TEST

/* Takes until after it is due to answer, and then the answer has become another. */
static bool is_recalled_meanwhile(const void *arg, int64_t due_ns)
{
    (void)arg;
    bool before = atomic_load(&recalled);
    while (clock_now_ns() < due_ns + NS_PER_MS)
        sched_yield();
    atomic_store(&recalled, true);
    return before;
}

/* Who cuts the arrivals tells the takers first and then takes the time: what it does not find
 * revoked must not be begun later. */
START_TEST(a_recall_shortly_before_it_is_due_is_seen)
{
    ck_assert(!hold_wait(hold, clock_now_ns() + NS_PER_MS, is_recalled_meanwhile, NULL));
}
END_TEST

#define HOLDERS 100

static void *wait_for_ever(void *arg)
{
    atomic_uint *waiting = arg;
    atomic_fetch_add(waiting, 1);
    bool due = hold_wait(hold, clock_now_ns() + 3600 * NS_PER_SEC, is_recalled, NULL);
    return due ? arg : NULL;
}

/* More than there are places, at any moment of their way to sleep. */
START_TEST(a_recall_reaches_all)
{
    for (int round = 0; round < 20; round++) {
        pthread_t thread[HOLDERS];
        void *due;
        atomic_uint waiting = 0;
        atomic_store(&recalled, false);
        for (unsigned i = 0; i < HOLDERS; i++)
            pthread_create(&thread[i], NULL, wait_for_ever, &waiting);
        while (atomic_load(&waiting) < (unsigned)(HOLDERS / 20 * round))
            sched_yield();
        atomic_store(&recalled, true);
        hold_recall(hold);
        for (unsigned i = 0; i < HOLDERS; i++) {
            pthread_join(thread[i], &due);
            ck_assert_ptr_null(due);
        }
    }
}
END_TEST

RUN_SUITE_WITH("hold", 120, before, after, nobody_comes_back_before_it_is_due,
               what_is_due_is_not_waited_for, a_recall_shortly_before_it_is_due_is_seen,
               a_recall_reaches_all)
