/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/rand_stream.h"
#include "engine/queue.h"

static struct request request(int64_t number)
{
    return (struct request){.arrival_ns = number};
}

START_TEST(requests_are_taken_in_order)
{
    struct queue *q = queue_create(8);
    struct request in[] = {request(1), request(2), request(3)}, out;
    bool slept;
    ck_assert_uint_eq(queue_put(q, in, 3), 3);
    ck_assert_uint_eq(queue_length(q), 3);
    for (int64_t i = 1; i <= 3; i++) {
        ck_assert(queue_take(q, INT64_MAX, &out, &slept));
        ck_assert_int_eq(out.arrival_ns, i);
        ck_assert(!slept);
    }
    queue_destroy(q);
}
END_TEST

START_TEST(the_queue_holds_exactly_its_size)
{
    const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 1000};
    struct request many[1001], out;
    bool slept;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct queue *q = queue_create(sizes[i]);
        ck_assert_uint_eq(queue_put(q, many, 1001), sizes[i]);
        ck_assert_uint_eq(queue_put(q, many, 1), 0);
        ck_assert(queue_take(q, INT64_MAX, &out, &slept));
        ck_assert_uint_eq(queue_put(q, many, 2), 1);
        queue_destroy(q);
    }
}
END_TEST

START_TEST(a_sealed_queue_ends_when_it_is_empty)
{
    struct queue *q = queue_create(4);
    struct request in = request(1), out;
    bool slept;
    queue_put(q, &in, 1);
    queue_seal(q);
    ck_assert(queue_take(q, INT64_MAX, &out, &slept));
    ck_assert(!queue_take(q, INT64_MAX, &out, &slept));
    ck_assert(!queue_take(q, INT64_MAX, &out, &slept));
    queue_destroy(q);
}
END_TEST

START_TEST(a_closed_queue_keeps_requests_for_remove)
{
    struct queue *q = queue_create(4);
    struct request in[] = {request(1), request(2)}, out;
    bool slept;
    queue_put(q, in, 2);
    queue_close(q);
    ck_assert(!queue_take(q, INT64_MAX, &out, &slept));
    ck_assert(queue_remove(q, &out));
    ck_assert_int_eq(out.arrival_ns, 1);
    ck_assert(queue_remove(q, &out));
    ck_assert(!queue_remove(q, &out));
    queue_destroy(q);
}
END_TEST

/* Takers that run in threads of their own. */

#define MAX_TAKERS 64

struct taker {
    struct queue *queue;
    atomic_uchar *taken; /* how often each request number was taken */
    uint64_t count;
    pthread_t thread;
};

static void *take_all(void *arg)
{
    struct taker *t = arg;
    struct request out;
    bool slept;
    while (queue_take(t->queue, INT64_MAX, &out, &slept)) {
        atomic_fetch_add(&t->taken[out.arrival_ns], 1);
        t->count++;
    }
    return NULL;
}

static void start_takers(struct taker *takers, unsigned n, struct queue *q, atomic_uchar *taken)
{
    for (unsigned i = 0; i < n; i++) {
        takers[i] = (struct taker){.queue = q, .taken = taken};
        pthread_create(&takers[i].thread, NULL, take_all, &takers[i]);
    }
}

static uint64_t join_takers(struct taker *takers, unsigned n)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < n; i++) {
        pthread_join(takers[i].thread, NULL);
        count += takers[i].count;
    }
    return count;
}

/* Announces a put within 0 to 524 µs, or none. The announcement may be wrong: takers may only rely
 * on the requests in the ring. */
static void announce(struct queue *q, uint64_t random)
{
    int64_t in_ns = (int64_t)(random >> 32 & 0x7ffff);
    queue_expect(q, random & 1 ? clock_now_ns() + in_ns : INT64_MAX);
    if (random & 2)
        queue_alert(q);
    if (random & 4)
        clock_sleep_until_ns(clock_now_ns() + in_ns / 2);
    if (random & 8)
        queue_relieve_standby(q);
}

/* Puts `total` numbered requests in bursts of random size, with short pauses, so that takers fall
 * asleep. */
static void feed(struct queue *q, uint32_t total, bool announced)
{
    struct rand_stream stream;
    struct request burst[32];
    rand_stream_init(&stream, 11, RAND_ARRIVAL, 0);
    for (uint32_t put = 0; put < total;) {
        uint32_t n = 1 + (uint32_t)(rand_stream_u64(&stream) % ARRAY_SIZE(burst));
        n = min_u32(n, total - put);
        for (uint32_t i = 0; i < n; i++)
            burst[i] = request(put + i);
        put += queue_put(q, burst, n);
        if (rand_stream_u64(&stream) % 64 == 0)
            clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_US);
        if (announced && rand_stream_u64(&stream) % 8 == 0)
            announce(q, rand_stream_u64(&stream));
    }
}

static void stress(unsigned takers_count, uint32_t total, bool announced)
{
    struct taker takers[MAX_TAKERS];
    atomic_uchar *taken = calloc(total, sizeof(*taken));
    struct queue *q = queue_create(100);
    start_takers(takers, takers_count, q, taken);
    feed(q, total, announced);
    queue_seal(q);
    ck_assert_uint_eq(join_takers(takers, takers_count), total);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < total; i++)
        wrong += atomic_load(&taken[i]) != 1;
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(queue_standby_ns(q) > 0, announced);
    queue_destroy(q);
    free(taken);
}

START_TEST(no_request_is_lost_or_taken_twice)
{
    stress(1, 100000, false);
    stress(3, 100000, false);
    stress(64, 100000, false);
}
END_TEST

START_TEST(no_request_is_lost_with_standby_takers)
{
    stress(1, 50000, true);
    stress(3, 50000, true);
    stress(64, 50000, true);
}
END_TEST

START_TEST(no_taker_stands_by_for_late_or_distant_puts)
{
    const int64_t now_ns = clock_now_ns();
    const int64_t at_ns[] = {now_ns - NS_PER_SEC, now_ns + 3600 * NS_PER_SEC, INT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(at_ns); i++) {
        struct taker taker;
        atomic_uchar taken[1] = {0};
        struct queue *q = queue_create(4);
        queue_expect(q, at_ns[i]);
        start_takers(&taker, 1, q, taken);
        clock_sleep_until_ns(clock_now_ns() + 5 * NS_PER_MS);
        queue_seal(q);
        join_takers(&taker, 1);
        ck_assert_int_eq(queue_standby_ns(q), 0);
        queue_destroy(q);
    }
}
END_TEST

START_TEST(single_requests_always_wake_a_taker)
{
    /* After a lost wake-up the test would hang, because takers wait without a deadline. */
    struct taker takers[4];
    const uint32_t total = 20000;
    atomic_uchar *taken = calloc(total, sizeof(*taken));
    struct queue *q = queue_create(4);
    start_takers(takers, 4, q, taken);
    for (uint32_t i = 0; i < total; i++) {
        struct request r = request(i);
        ck_assert_uint_eq(queue_put(q, &r, 1), 1);
        while (atomic_load(&taken[i]) == 0)
            sched_yield();
    }
    queue_seal(q);
    ck_assert_uint_eq(join_takers(takers, 4), total);
    queue_destroy(q);
    free(taken);
}
END_TEST

START_TEST(close_wakes_all_takers_at_any_moment)
{
    for (int round = 0; round < 200; round++) {
        struct taker takers[16];
        atomic_uchar taken[64] = {0};
        struct queue *q = queue_create(64);
        start_takers(takers, 16, q, taken);
        for (int64_t i = 0; i < 64; i++) {
            struct request r = request(i);
            queue_put(q, &r, 1);
        }
        clock_sleep_until_ns(clock_now_ns() + round * 2 * NS_PER_US);
        queue_close(q);
        uint64_t count = join_takers(takers, 16);
        struct request left;
        while (queue_remove(q, &left))
            count++;
        ck_assert_uint_eq(count, 64);
        queue_destroy(q);
    }
}
END_TEST

RUN_SUITE("queue", 120, requests_are_taken_in_order, the_queue_holds_exactly_its_size,
          a_sealed_queue_ends_when_it_is_empty, a_closed_queue_keeps_requests_for_remove,
          no_request_is_lost_or_taken_twice, no_request_is_lost_with_standby_takers,
          no_taker_stands_by_for_late_or_distant_puts, single_requests_always_wake_a_taker,
          close_wakes_all_takers_at_any_moment)
