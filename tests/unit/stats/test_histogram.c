/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "stats/histogram.h"

START_TEST(every_bucket_holds_the_values_from_its_lower_bound_to_the_next)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
        int64_t lower_ns = histogram_lower_ns(i), next_ns = histogram_lower_ns(i + 1);
        wrong += next_ns <= lower_ns;
        wrong += histogram_index(lower_ns) != i;
        wrong += histogram_index(next_ns - 1) != i;
        wrong += histogram_index(histogram_middle_ns(i)) != i;
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(the_middle_is_within_a_thousandth_of_any_value)
{
    struct rand_stream stream;
    rand_stream_init(&stream, 1, RAND_WORKLOAD, 0);
    double worst = 0;
    for (int i = 0; i < 1000000; i++) {
        int bits = 1 + (int)(rand_stream_u64(&stream) % (HISTOGRAM_MAX_BITS - 1));
        int64_t v =
            (INT64_C(1) << bits) + (int64_t)(rand_stream_u64(&stream) % (UINT64_C(1) << bits));
        if (v >= INT64_C(1) << HISTOGRAM_MAX_BITS)
            continue;
        double error = (double)llabs(histogram_middle_ns(histogram_index(v)) - v) / (double)v;
        worst = error > worst ? error : worst;
    }
    ck_assert_double_le(worst, 0.001);
    ck_assert_double_gt(worst, 0.0009); /* the derived bound is 2^-10 */
}
END_TEST

START_TEST(values_out_of_range_count_at_the_ends)
{
    ck_assert_uint_eq(histogram_index(-5), 0);
    ck_assert_uint_eq(histogram_index(INT64_MIN), 0);
    ck_assert_uint_eq(histogram_index(INT64_C(1) << HISTOGRAM_MAX_BITS), HISTOGRAM_BUCKETS - 1);
    ck_assert_uint_eq(histogram_index(INT64_MAX), HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(a_drain_moves_everything_once)
{
    struct histogram *h = histogram_create(1);
    uint64_t *counts = calloc(HISTOGRAM_BUCKETS, sizeof(*counts));
    histogram_record(h, 0);
    histogram_record(h, 1000000);
    histogram_record(h, 1000000);
    struct histogram_moved moved = histogram_drain(h, counts);
    ck_assert_uint_eq(moved.count, 3);
    ck_assert_uint_eq(moved.first, 0);
    ck_assert_uint_eq(moved.last, histogram_index(1000000));
    ck_assert_uint_eq(histogram_drain(h, counts).count, 0);
    histogram_record(h, 1000000);
    moved = histogram_drain(h, counts);
    ck_assert_uint_eq(moved.count, 1);
    ck_assert_uint_eq(moved.first, moved.last);
    ck_assert_uint_eq(counts[0], 1);
    ck_assert_uint_eq(counts[histogram_index(1000000)], 3);
    free(counts);
    histogram_destroy(h, 1);
}
END_TEST

/* Concurrent recording while one thread drains all the time: no value is lost or counted twice. */

#define RECORDERS 8
#define VALUES 150000

struct recorder {
    struct histogram *histogram;
    unsigned id;
    uint64_t *expected; /* the counts that this recorder has made */
    pthread_t thread;
};

static atomic_uint recorders_left;

static void *record_values(void *arg)
{
    struct recorder *r = arg;
    struct rand_stream stream;
    rand_stream_init(&stream, 7, RAND_WORKLOAD, r->id);
    for (int i = 0; i < VALUES; i++) {
        /* The values spread over a few octaves, so marks are set and cleared all the time. */
        int64_t v = (int64_t)(rand_stream_exponential(&stream) * 1e6);
        histogram_record(r->histogram, v);
        r->expected[histogram_index(v)]++;
    }
    atomic_fetch_sub(&recorders_left, 1);
    return NULL;
}

START_TEST(concurrent_recording_loses_nothing)
{
    struct histogram *h = histogram_create(1);
    struct recorder recorders[RECORDERS];
    uint64_t *drained = calloc(HISTOGRAM_BUCKETS, sizeof(*drained));
    uint64_t *expected = calloc(HISTOGRAM_BUCKETS, sizeof(*expected));
    uint64_t moved = 0;
    atomic_store(&recorders_left, RECORDERS);
    for (unsigned i = 0; i < RECORDERS; i++) {
        recorders[i] = (struct recorder){.histogram = h, .id = i};
        recorders[i].expected = calloc(HISTOGRAM_BUCKETS, sizeof(uint64_t));
        pthread_create(&recorders[i].thread, NULL, record_values, &recorders[i]);
    }
    while (atomic_load(&recorders_left) > 0)
        moved += histogram_drain(h, drained).count;
    for (unsigned i = 0; i < RECORDERS; i++) {
        pthread_join(recorders[i].thread, NULL);
        for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
            expected[b] += recorders[i].expected[b];
        free(recorders[i].expected);
    }
    moved += histogram_drain(h, drained).count;
    ck_assert_uint_eq(moved, (uint64_t)RECORDERS * VALUES);
    ck_assert_int_eq(memcmp(drained, expected, HISTOGRAM_BUCKETS * sizeof(*drained)), 0);
    free(drained);
    free(expected);
    histogram_destroy(h, 1);
}
END_TEST

/*
 * One value is recorded in a group that has a mark already, at the moment when a drain clears the
 * mark. A drain that reads the counts too early leaves the value in a group without a mark. On
 * x86-64 no load is executed before an earlier exchange, so there the test fails only if the
 * program itself has the wrong order.
 */

#define ROUNDS 20000

static atomic_uint round_number, rounds_recorded;

/* Yields the processor now and then, because the other thread may have to wait for one. */
static void wait_until(const atomic_uint *number, unsigned value)
{
    for (unsigned i = 1; atomic_load(number) != value; i++)
        if (i % 1000 == 0)
            sched_yield();
}

static void *record_one_in_each_round(void *arg)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        wait_until(&round_number, round);
        for (unsigned delay = round % 64; delay > 0; delay--)
            atomic_signal_fence(memory_order_seq_cst);
        histogram_record(arg, 1);
        atomic_store(&rounds_recorded, round);
    }
    return NULL;
}

START_TEST(a_value_that_meets_a_drain_is_in_the_next_one)
{
    struct histogram *h = histogram_create(1);
    uint64_t *counts = calloc(HISTOGRAM_BUCKETS, sizeof(*counts));
    unsigned lost = 0;
    pthread_t recorder;
    pthread_create(&recorder, NULL, record_one_in_each_round, h);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        histogram_record(h, 0);
        atomic_store(&round_number, round);
        uint64_t moved = histogram_drain(h, counts).count;
        wait_until(&rounds_recorded, round);
        lost += moved + histogram_drain(h, counts).count != 2;
    }
    pthread_join(recorder, NULL);
    ck_assert_uint_eq(lost, 0);
    free(counts);
    histogram_destroy(h, 1);
}
END_TEST

RUN_SUITE("histogram", 60, every_bucket_holds_the_values_from_its_lower_bound_to_the_next,
          the_middle_is_within_a_thousandth_of_any_value, values_out_of_range_count_at_the_ends,
          a_drain_moves_everything_once, concurrent_recording_loses_nothing,
          a_value_that_meets_a_drain_is_in_the_next_one)
