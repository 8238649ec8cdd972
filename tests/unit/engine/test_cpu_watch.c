/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the CPU watch with simulated processor times: `idle_cpus` processors are always idle,
 * and the generator uses `own_cpus`. The numbers leave a margin for a thread that is delayed during
 * a reading.
 */
#include "engine/cpu_watch.h"

#include <semaphore.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"

static double idle_cpus, own_cpus;
static bool readable, blocked;
static atomic_uint reads;
static sem_t release;

static bool play(struct cpu_times *times)
{
    if (blocked)
        sem_wait(&release);
    *times = (struct cpu_times){.idle_ns = (int64_t)(idle_cpus * (double)clock_now_ns())};
    atomic_fetch_add(&reads, 1);
    return readable;
}

static int64_t play_own_ns(void *arg)
{
    (void)arg;
    return (int64_t)(own_cpus * (double)clock_now_ns());
}

static void before(void)
{
    idle_cpus = own_cpus = 0;
    readable = true;
    blocked = false;
    atomic_store(&reads, 0);
    sem_init(&release, 0, 0);
}

static void after(void)
{
    sem_destroy(&release);
}

static struct cpu_watch *start(unsigned cpus)
{
    const struct cpu_watch_plan plan = {.cpus = cpus, .read = play, .own_ns = play_own_ns};
    struct cpu_watch *watch = cpu_watch_start(&plan);
    ck_assert_ptr_nonnull(watch);
    return watch;
}

/* Returns whether the watch reports room after `looks` readings, the last of which has been
 * evaluated. */
static bool room_after(unsigned cpus, unsigned looks)
{
    struct cpu_watch *watch = start(cpus);
    while (atomic_load(&reads) <= looks)
        clock_sleep_until_ns(clock_now_ns() + 5 * NS_PER_MS);
    bool room = cpu_watch_has_room(watch);
    cpu_watch_stop(watch);
    return room;
}

START_TEST(an_idle_machine_has_room)
{
    idle_cpus = 8;
    ck_assert(room_after(8, 2));
}
END_TEST

START_TEST(a_busy_machine_has_no_room)
{
    ck_assert(!room_after(4, 2));
}
END_TEST

START_TEST(two_more_processors_must_be_idle)
{
    idle_cpus = 2.5;
    ck_assert(!room_after(4, 2));
    atomic_store(&reads, 0);
    idle_cpus = 3.5;
    ck_assert(room_after(4, 2));
}
END_TEST

START_TEST(time_of_the_generator_counts_as_idle)
{
    idle_cpus = 1;
    ck_assert(!room_after(8, 2));
    atomic_store(&reads, 0);
    own_cpus = 6;
    ck_assert(room_after(8, 2));
}
END_TEST

START_TEST(a_tenth_of_all_processors_must_be_idle)
{
    /* At least 7.4 of 64 processors must be idle: one for the generator, and 6.4 for all other
     * programs. */
    idle_cpus = 3;
    ck_assert(!room_after(64, 2));
    atomic_store(&reads, 0);
    idle_cpus = 64;
    ck_assert(room_after(64, 2));
}
END_TEST

START_TEST(two_processors_are_never_enough)
{
    const struct cpu_watch_plan plan = {.cpus = 2, .read = play, .own_ns = play_own_ns};
    idle_cpus = 2;
    ck_assert_ptr_null(cpu_watch_start(&plan));
    ck_assert_uint_eq(atomic_load(&reads), 0);
}
END_TEST

START_TEST(unreadable_processor_times_mean_no_room)
{
    idle_cpus = 4;
    readable = false;
    ck_assert(!room_after(4, 1));
}
END_TEST

START_TEST(a_slow_reading_delays_no_caller)
{
    idle_cpus = 4;
    blocked = true;
    struct cpu_watch *watch = start(4);
    /* The first reading cannot end before this call. */
    ck_assert(!cpu_watch_has_room(watch));
    ck_assert_uint_eq(atomic_load(&reads), 0);
    sem_post(&release);
    cpu_watch_stop(watch);
}
END_TEST

START_TEST(stopping_null_is_allowed)
{
    cpu_watch_stop(NULL);
}
END_TEST

RUN_SUITE_WITH("cpu_watch", 60, before, after, an_idle_machine_has_room, a_busy_machine_has_no_room,
               two_more_processors_must_be_idle, time_of_the_generator_counts_as_idle,
               a_tenth_of_all_processors_must_be_idle, two_processors_are_never_enough,
               unreadable_processor_times_mean_no_room, a_slow_reading_delays_no_caller,
               stopping_null_is_allowed)
