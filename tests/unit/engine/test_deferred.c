/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdatomic.h>

#include "../suite.h"
#include "engine/deferred.h"

static enum deferred_put put(struct deferred *d, double number)
{
    struct deferred_entry entry = {.type = 1, .count = 1, .number = {number}};
    return deferred_put(d, &entry);
}

START_TEST(entries_are_taken_in_order_and_complete)
{
    struct deferred *d = deferred_create(3);
    struct deferred_entry entry = {.type = 7, .count = 2, .number = {1.5, -2}}, out;
    int64_t before_ns = 0;
    for (unsigned round = 0; round < 10; round++) {
        for (double i = 0; i < 3; i++) {
            entry.number[1] = i;
            ck_assert_int_eq(deferred_put(d, &entry), DEFERRED_PUT);
        }
        for (double i = 0; i < 3; i++) {
            ck_assert(deferred_take(d, &out));
            ck_assert_uint_eq(out.type, 7);
            ck_assert_uint_eq(out.count, 2);
            ck_assert_double_eq(out.number[0], 1.5);
            ck_assert_double_eq(out.number[1], i);
            ck_assert_int_ge(out.queued_ns, before_ns);
            before_ns = out.queued_ns;
        }
    }
    deferred_destroy(d);
}
END_TEST

START_TEST(the_queue_holds_exactly_its_size)
{
    struct deferred *d = deferred_create(2);
    struct deferred_entry out;
    ck_assert_int_eq(put(d, 1), DEFERRED_PUT);
    ck_assert_int_eq(put(d, 2), DEFERRED_PUT);
    ck_assert_int_eq(put(d, 3), DEFERRED_FULL);
    ck_assert(deferred_take(d, &out));
    ck_assert_int_eq(put(d, 4), DEFERRED_PUT);
    deferred_destroy(d);
}
END_TEST

START_TEST(a_sealed_queue_is_emptied)
{
    struct deferred *d = deferred_create(4);
    struct deferred_entry out;
    put(d, 1);
    deferred_seal(d);
    ck_assert_int_eq(put(d, 2), DEFERRED_OVER);
    ck_assert(deferred_take(d, &out));
    ck_assert(!deferred_take(d, &out));
    ck_assert(!deferred_remove(d, &out));
    deferred_destroy(d);
}
END_TEST

START_TEST(a_closed_queue_keeps_its_entries)
{
    struct deferred *d = deferred_create(4);
    struct deferred_entry out;
    put(d, 1);
    put(d, 2);
    deferred_close(d);
    deferred_seal(d);
    ck_assert(!deferred_take(d, &out));
    ck_assert(deferred_remove(d, &out));
    ck_assert_double_eq(out.number[0], 1);
    ck_assert(deferred_remove(d, &out));
    ck_assert(!deferred_remove(d, &out));
    deferred_destroy(d);
}
END_TEST

/* Several threads put and several take, with a queue so small that both often have to wait. Each
 * entry must be taken once, or refused, or left in the queue. */

enum { PUTTERS = 4, TAKERS = 3, EACH = 20000 };

static struct deferred *shared;
static atomic_uchar taken[PUTTERS * EACH];
static atomic_uint refused;

static void *put_many(void *arg)
{
    const unsigned first = *(const unsigned *)arg * EACH;
    for (unsigned i = 0; i < EACH; i++)
        if (put(shared, first + i) != DEFERRED_PUT) {
            atomic_fetch_add(&refused, 1);
            atomic_fetch_add(&taken[first + i], 1);
        }
    return NULL;
}

static void *take_many(void *arg)
{
    struct deferred_entry entry;
    while (deferred_take(shared, &entry))
        atomic_fetch_add(&taken[(unsigned)entry.number[0]], 1);
    return arg;
}

static void stress(uint32_t size, bool close_early)
{
    pthread_t putter[PUTTERS], taker[TAKERS];
    unsigned number[PUTTERS];
    struct deferred_entry entry;
    shared = deferred_create(size);
    atomic_store(&refused, 0);
    for (unsigned i = 0; i < PUTTERS * EACH; i++)
        atomic_store(&taken[i], 0);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_create(&taker[i], NULL, take_many, NULL);
    for (unsigned i = 0; i < PUTTERS; i++) {
        number[i] = i;
        pthread_create(&putter[i], NULL, put_many, &number[i]);
    }
    if (close_early)
        deferred_close(shared);
    for (unsigned i = 0; i < PUTTERS; i++)
        pthread_join(putter[i], NULL);
    deferred_seal(shared);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(taker[i], NULL);
    while (deferred_remove(shared, &entry))
        atomic_fetch_add(&taken[(unsigned)entry.number[0]], 1);
    for (unsigned i = 0; i < PUTTERS * EACH; i++)
        ck_assert_uint_eq(atomic_load(&taken[i]), 1);
    deferred_destroy(shared);
}

START_TEST(no_entry_is_lost_or_taken_twice)
{
    stress(PUTTERS * EACH, false);
    ck_assert_uint_eq(atomic_load(&refused), 0);
    stress(2, false);
    stress(2, true);
}
END_TEST

RUN_SUITE("deferred", 60, entries_are_taken_in_order_and_complete, the_queue_holds_exactly_its_size,
          a_sealed_queue_is_emptied, a_closed_queue_keeps_its_entries,
          no_entry_is_lost_or_taken_twice)
