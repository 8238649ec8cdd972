/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch, with processors that the test plays: so many of them are idle all the time, and the
 * generator uses so many. The figures leave room for a thread that is held up in the middle of a
 * look.
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

/* Whether there is room after so many looks, of which the last has been judged. */
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

START_TEST(a_busy_machine_has_none)
{
    ck_assert(!room_after(4, 2));
}
END_TEST

START_TEST(two_processors_stay_idle_beside_the_one_that_spins)
{
    idle_cpus = 2.5;
    ck_assert(!room_after(4, 2));
    atomic_store(&reads, 0);
    idle_cpus = 3.5;
    ck_assert(room_after(4, 2));
}
END_TEST

START_TEST(what_the_generator_uses_would_be_idle)
{
    idle_cpus = 1;
    ck_assert(!room_after(8, 2));
    atomic_store(&reads, 0);
    own_cpus = 6;
    ck_assert(room_after(8, 2));
}
END_TEST

START_TEST(a_tenth_of_the_machine_stays_idle_besides)
{
    /* Of 64 processors 7.4 must be: one for the generator, 6.4 for everybody else. */
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

START_TEST(processors_that_cannot_be_seen_are_not_to_spare)
{
    idle_cpus = 4;
    readable = false;
    ck_assert(!room_after(4, 1));
}
END_TEST

START_TEST(a_look_that_takes_long_keeps_nobody_waiting)
{
    idle_cpus = 4;
    blocked = true;
    struct cpu_watch *watch = start(4);
    /* Nobody lets the first look end before this is answered. */
    ck_assert(!cpu_watch_has_room(watch));
    ck_assert_uint_eq(atomic_load(&reads), 0);
    sem_post(&release);
    cpu_watch_stop(watch);
}
END_TEST

START_TEST(no_watch_can_be_stopped)
{
    cpu_watch_stop(NULL);
}
END_TEST

RUN_SUITE_WITH("cpu_watch", 60, before, after, an_idle_machine_has_room, a_busy_machine_has_none,
               two_processors_stay_idle_beside_the_one_that_spins,
               what_the_generator_uses_would_be_idle, a_tenth_of_the_machine_stays_idle_besides,
               two_processors_are_never_enough, processors_that_cannot_be_seen_are_not_to_spare,
               a_look_that_takes_long_keeps_nobody_waiting, no_watch_can_be_stopped)
