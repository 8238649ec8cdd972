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

/* Waits `times` times for a moment that is `ns` nanoseconds ahead. */
static void wait_times(unsigned times, int64_t ns)
{
    for (unsigned i = 0; i < times; i++) {
        int64_t due_ns = clock_now_ns() + ns;
        ck_assert(hold_wait(hold, due_ns, is_recalled, NULL));
        ck_assert_int_ge(clock_now_ns(), due_ns);
    }
}

START_TEST(no_wait_ends_before_the_request_is_due)
{
    wait_times(200, 300 * NS_PER_US);
    ck_assert_int_eq(hold_spin_ns(hold), 0);
    hold_allow_early(hold, true);
    wait_times(1000, 300 * NS_PER_US);
}
END_TEST

START_TEST(a_due_request_needs_no_wait)
{
    hold_allow_early(hold, true);
    wait_times(100, -NS_PER_SEC);
    ck_assert_int_eq(hold_spin_ns(hold), 0);
}
END_TEST

/* Returns the answer of before the deadline, but only after the deadline, when the answer has
 * changed. */
static bool answer_after_the_deadline(const void *arg, int64_t due_ns)
{
    (void)arg;
    bool before = atomic_load(&recalled);
    while (clock_now_ns() < due_ns + NS_PER_MS)
        sched_yield();
    atomic_store(&recalled, true);
    return before;
}

/* queue_cut() first changes the state and then reads the clock. So hold_wait() must check the state
 * again after the request has become due. */
START_TEST(a_recall_just_before_the_arrival_is_noticed)
{
    ck_assert(!hold_wait(hold, clock_now_ns() + NS_PER_MS, answer_after_the_deadline, NULL));
}
END_TEST

#define HOLDERS 100

static void *wait_one_hour(void *arg)
{
    atomic_uint *waiting = arg;
    atomic_fetch_add(waiting, 1);
    bool due = hold_wait(hold, clock_now_ns() + 3600 * NS_PER_SEC, is_recalled, NULL);
    return due ? arg : NULL;
}

/* There are more threads than semaphores. The recall comes while threads are about to sleep. */
START_TEST(a_recall_reaches_all_waiting_threads)
{
    for (int round = 0; round < 20; round++) {
        pthread_t thread[HOLDERS];
        void *due;
        atomic_uint waiting = 0;
        atomic_store(&recalled, false);
        for (unsigned i = 0; i < HOLDERS; i++)
            pthread_create(&thread[i], NULL, wait_one_hour, &waiting);
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

RUN_SUITE_WITH("hold", 120, before, after, no_wait_ends_before_the_request_is_due,
               a_due_request_needs_no_wait, a_recall_just_before_the_arrival_is_noticed,
               a_recall_reaches_all_waiting_threads)
