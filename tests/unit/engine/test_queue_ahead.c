/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of requests that are put before they are due, and of takers that wait for them. */
#include <pthread.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/rand_stream.h"
#include "engine/queue.h"

#define TAKERS 16
#define REQUESTS 4000

/* A taker, and statistics of the requests that it has taken. */
struct taker {
    struct queue *queue;
    uint64_t count, early;
    int64_t latest_ns; /* latest arrival */
    pthread_t thread;
};

static void *take_all(void *arg)
{
    struct taker *t = arg;
    struct request out;
    bool slept;
    while (queue_take(t->queue, clock_now_ns(), &out, &slept)) {
        t->early += clock_now_ns() < out.arrival_ns;
        t->latest_ns = max_i64(t->latest_ns, out.arrival_ns);
        t->count++;
    }
    return NULL;
}

static void start_takers(struct taker *takers, struct queue *q)
{
    for (unsigned i = 0; i < TAKERS; i++) {
        takers[i] = (struct taker){.queue = q};
        pthread_create(&takers[i].thread, NULL, take_all, &takers[i]);
    }
}

/* Returns the sum of the statistics of all takers. */
static struct taker join_takers(struct taker *takers)
{
    struct taker sum = {0};
    for (unsigned i = 0; i < TAKERS; i++) {
        pthread_join(takers[i].thread, NULL);
        sum.count += takers[i].count;
        sum.early += takers[i].early;
        sum.latest_ns = max_i64(sum.latest_ns, takers[i].latest_ns);
    }
    return sum;
}

START_TEST(a_request_is_taken_when_it_arrives)
{
    struct queue *q = queue_create(4);
    _Atomic int64_t ready_ns[2];
    struct request in[2], out;
    bool slept;
    const int64_t now_ns = clock_now_ns();
    for (int64_t i = 0; i < 2; i++) {
        in[i] =
            (struct request){now_ns + (i - 1) * 2 * NS_PER_MS + 2 * NS_PER_MS * i, &ready_ns[i]};
        atomic_store(&ready_ns[i], in[i].arrival_ns);
    }
    ck_assert_uint_eq(queue_put(q, in, 2), 2);
    ck_assert(queue_take(q, now_ns, &out, &slept));
    ck_assert(!slept);
    ck_assert_int_eq(atomic_load(&ready_ns[0]), in[0].arrival_ns);
    ck_assert(queue_take(q, now_ns, &out, &slept));
    ck_assert(slept);
    ck_assert_int_le(out.arrival_ns, clock_now_ns());
    ck_assert_int_ge(atomic_load(&ready_ns[1]), out.arrival_ns);
    ck_assert_int_le(atomic_load(&ready_ns[1]), clock_now_ns());
    queue_destroy(q);
}
END_TEST

START_TEST(a_settled_entry_is_not_marked)
{
    struct queue *q = queue_create(4);
    _Atomic int64_t ready_ns = 0;
    struct request in = {clock_now_ns() + NS_PER_MS, &ready_ns}, out;
    bool slept;
    queue_put(q, &in, 1);
    ck_assert(queue_take(q, clock_now_ns(), &out, &slept));
    ck_assert_int_eq(atomic_load(&ready_ns), 0);
    queue_destroy(q);
}
END_TEST

/* Fills the queue with arrivals from now on, about 5 µs apart, in order. Returns their times. */
static int64_t *put_many(struct queue *q, uint64_t seed)
{
    static int64_t arrival_ns[REQUESTS];
    struct rand_stream stream;
    rand_stream_init(&stream, seed, RAND_ARRIVAL, 0);
    int64_t at_ns = clock_now_ns();
    for (unsigned i = 0; i < REQUESTS; i++) {
        at_ns += (int64_t)(rand_stream_u64(&stream) % (10 * NS_PER_US));
        arrival_ns[i] = at_ns;
        const struct request request = {.arrival_ns = at_ns};
        ck_assert_uint_eq(queue_put(q, &request, 1), 1);
    }
    return arrival_ns;
}

START_TEST(each_request_is_taken_once_and_not_early)
{
    for (uint64_t round = 0; round < 10; round++) {
        struct taker takers[TAKERS];
        struct queue *q = queue_create(REQUESTS);
        queue_allow_early(q, round % 2 == 1);
        start_takers(takers, q);
        put_many(q, round + 1);
        queue_seal(q);
        struct taker sum = join_takers(takers);
        ck_assert_uint_eq(sum.count, REQUESTS);
        ck_assert_uint_eq(sum.early, 0);
        queue_destroy(q);
    }
}
END_TEST

static uint64_t remove_all(struct queue *q)
{
    struct request left;
    uint64_t count = 0;
    while (queue_remove(q, &left))
        count++;
    return count;
}

START_TEST(a_close_returns_requests_that_takers_waited_for)
{
    for (uint64_t round = 0; round < 50; round++) {
        struct taker takers[TAKERS];
        struct queue *q = queue_create(REQUESTS);
        start_takers(takers, q);
        put_many(q, round + 1);
        clock_sleep_until_ns(clock_now_ns() + (int64_t)round * 100 * NS_PER_US);
        queue_close(q);
        struct taker sum = join_takers(takers);
        ck_assert_uint_eq(sum.count + remove_all(q), REQUESTS);
        queue_destroy(q);
    }
}
END_TEST

START_TEST(a_cut_revokes_only_later_arrivals)
{
    for (uint64_t round = 0; round < 100; round++) {
        struct taker takers[TAKERS];
        struct queue *q = queue_create(REQUESTS);
        start_takers(takers, q);
        const int64_t *arrival_ns = put_many(q, round + 1);
        clock_sleep_until_ns(clock_now_ns() + (int64_t)round * 50 * NS_PER_US);
        int64_t end_ns = queue_cut(q);
        bool drain = round % 2 == 1;
        queue_seal(q);
        if (!drain)
            queue_close(q);
        struct taker sum = join_takers(takers);
        uint64_t arrived = 0, left = remove_all(q);
        while (arrived < REQUESTS && arrival_ns[arrived] <= end_ns)
            arrived++;
        ck_assert_int_le(sum.latest_ns, end_ns);
        ck_assert_uint_eq(sum.count + left, arrived);
        ck_assert(!drain || left == 0);
        queue_destroy(q);
    }
}
END_TEST

RUN_SUITE("queue_ahead", 240, a_request_is_taken_when_it_arrives, a_settled_entry_is_not_marked,
          each_request_is_taken_once_and_not_early, a_close_returns_requests_that_takers_waited_for,
          a_cut_revokes_only_later_arrivals)
