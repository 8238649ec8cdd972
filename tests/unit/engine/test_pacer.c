/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pacer.h"

#include <semaphore.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"

static sem_t stop;

static void before(void)
{
    sem_init(&stop, 0, 0);
}

static void after(void)
{
    sem_destroy(&stop);
}

/* Simulated processors that are all idle or all busy. If `blocked` is set, a reading does not end
 * until `release` is posted. */
static atomic_bool idle;
static bool blocked;
static sem_t release;

static bool play(struct cpu_times *times)
{
    if (blocked)
        sem_wait(&release);
    *times = (struct cpu_times){.idle_ns = idle ? 4 * clock_now_ns() : 0};
    return true;
}

static int64_t none_ns(void *arg)
{
    (void)arg;
    return 0;
}

static struct cpu_watch *start_watch(void)
{
    const struct cpu_watch_plan plan = {.cpus = 4, .read = play, .own_ns = none_ns};
    struct cpu_watch *watch = cpu_watch_start(&plan);
    ck_assert_ptr_nonnull(watch);
    return watch;
}

START_TEST(sleep_ends_at_the_arrival)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SLEEP, NULL, &stop);
    ck_assert(!pacer.spinning);
    int64_t due_ns = clock_now_ns() + 2 * NS_PER_MS;
    ck_assert_int_ge(pacer_approach(&pacer, clock_now_ns(), due_ns), due_ns);
}
END_TEST

START_TEST(a_due_request_needs_no_wait)
{
    static const enum arrival_wait waits[] = {ARRIVAL_WAIT_SLEEP, ARRIVAL_WAIT_SPIN};
    for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
        struct pacer pacer;
        pacer_init(&pacer, waits[i], NULL, &stop);
        int64_t now_ns = clock_now_ns();
        ck_assert_int_eq(pacer_approach(&pacer, now_ns, now_ns), now_ns);
        ck_assert_int_eq(pacer_approach(&pacer, now_ns, now_ns - NS_PER_SEC), now_ns);
    }
}
END_TEST

START_TEST(spin_does_not_sleep_for_a_short_time)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SPIN, NULL, &stop);
    ck_assert(pacer.spinning);
    int64_t now_ns = clock_now_ns();
    ck_assert_int_eq(pacer_approach(&pacer, now_ns, now_ns + 5 * NS_PER_MS), now_ns);
}
END_TEST

START_TEST(spin_sleeps_until_shortly_before_the_arrival)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SPIN, NULL, &stop);
    int64_t now_ns = clock_now_ns(), due_ns = now_ns + 20 * NS_PER_MS;
    int64_t wake_ns = due_ns - pacer.margin_ns - PACER_LEAD_NS;
    ck_assert_int_lt(wake_ns, due_ns);
    ck_assert_int_ge(pacer_approach(&pacer, now_ns, due_ns), wake_ns);
}
END_TEST

START_TEST(the_margin_is_learned)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SPIN, NULL, &stop);
    /*
     * The pacer is given a time one second before the present. So its sleep ends at once, and late.
     */
    for (int i = 0; i < 100; i++) {
        int64_t margin_ns = pacer.margin_ns, now_ns = clock_now_ns();
        pacer_approach(&pacer, now_ns - NS_PER_SEC, now_ns - NS_PER_MS);
        ck_assert_int_ge(pacer.margin_ns, margin_ns);
    }
    ck_assert_int_eq(pacer.margin_ns, 500 * NS_PER_US);
}
END_TEST

START_TEST(stop_ends_a_sleep_and_is_reported_once)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SLEEP, NULL, &stop);
    ck_assert(!pacer_stopped(&pacer));
    sem_post(&stop);
    int64_t now_ns = clock_now_ns();
    ck_assert_int_eq(pacer_approach(&pacer, now_ns, now_ns + 3600 * NS_PER_SEC), -1);
    ck_assert(!pacer_stopped(&pacer));
    sem_post(&stop);
    ck_assert(pacer_stopped(&pacer));
}
END_TEST

START_TEST(stop_is_noticed_without_a_sleep)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_SPIN, NULL, &stop);
    sem_post(&stop);
    int64_t now_ns = clock_now_ns();
    ck_assert_int_eq(pacer_approach(&pacer, now_ns, now_ns + NS_PER_US), -1);
}
END_TEST

START_TEST(auto_without_a_watch_sleeps)
{
    struct pacer pacer;
    pacer_init(&pacer, ARRIVAL_WAIT_AUTO, NULL, &stop);
    ck_assert(!pacer.spinning);
}
END_TEST

START_TEST(auto_spins_while_the_watch_reports_room)
{
    struct pacer pacer;
    idle = true;
    struct cpu_watch *watch = start_watch();
    pacer_init(&pacer, ARRIVAL_WAIT_AUTO, watch, &stop);
    while (!cpu_watch_has_room(watch))
        clock_sleep_until_ns(clock_now_ns() + 5 * NS_PER_MS);
    int64_t now_ns = clock_now_ns();
    pacer_approach(&pacer, now_ns, now_ns);
    ck_assert(pacer.spinning);
    idle = false;
    while (cpu_watch_has_room(watch))
        clock_sleep_until_ns(clock_now_ns() + 5 * NS_PER_MS);
    pacer_approach(&pacer, now_ns, now_ns);
    ck_assert(!pacer.spinning);
    cpu_watch_stop(watch);
}
END_TEST

START_TEST(auto_does_not_wait_for_a_reading)
{
    struct pacer pacer;
    sem_init(&release, 0, 0);
    idle = blocked = true;
    struct cpu_watch *watch = start_watch();
    pacer_init(&pacer, ARRIVAL_WAIT_AUTO, watch, &stop);
    ck_assert(!pacer.spinning);
    /* Longer than the time between two readings; the first reading does not end before. */
    const int64_t until_ns = clock_now_ns() + NS_PER_SEC;
    for (int64_t now_ns; (now_ns = clock_now_ns()) < until_ns;)
        ck_assert_int_ge(pacer_approach(&pacer, now_ns, now_ns + 10 * NS_PER_MS), now_ns);
    sem_post(&release);
    cpu_watch_stop(watch);
    sem_destroy(&release);
}
END_TEST

RUN_SUITE_WITH("pacer", 60, before, after, sleep_ends_at_the_arrival, a_due_request_needs_no_wait,
               spin_does_not_sleep_for_a_short_time, spin_sleeps_until_shortly_before_the_arrival,
               the_margin_is_learned, stop_ends_a_sleep_and_is_reported_once,
               stop_is_noticed_without_a_sleep, auto_without_a_watch_sleeps,
               auto_spins_while_the_watch_reports_room, auto_does_not_wait_for_a_reading)
