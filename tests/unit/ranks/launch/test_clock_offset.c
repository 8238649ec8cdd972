/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/clock_offset.h"

#include "../../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"

/* A round trip that begins at our time `at_ns`, with a clock that is ahead by `offset_ns`. The
 * request takes `there_ns`, the answer `back_ns`. */
static void trip(struct clock_offset *o, int64_t at_ns, int64_t offset_ns, int64_t there_ns,
                 int64_t back_ns)
{
    clock_offset_add(o, at_ns, at_ns + there_ns + offset_ns, at_ns + there_ns + back_ns);
}

static int64_t below(struct rand_stream *stream, int64_t limit)
{
    return (int64_t)(rand_stream_u64(stream) % (uint64_t)limit);
}

START_TEST(nothing_is_known_at_first)
{
    struct clock_offset o = clock_offset_unknown();
    ck_assert(!clock_offset_holds(&o));
    ck_assert_int_eq(clock_offset_bound_ns(&o), INT64_MAX);
    ck_assert_int_eq(clock_offset_ns(&o), 0);
}
END_TEST

START_TEST(equal_delays_give_the_exact_offset)
{
    struct clock_offset o = clock_offset_unknown();
    trip(&o, 5000, 1000 * NS_PER_SEC, 40, 40);
    ck_assert_int_eq(clock_offset_ns(&o), 1000 * NS_PER_SEC);
    ck_assert_int_eq(clock_offset_bound_ns(&o), 40);
    ck_assert(clock_offset_holds(&o));
}
END_TEST

START_TEST(delay_on_one_way_reaches_the_bound)
{
    struct clock_offset o = clock_offset_unknown();
    trip(&o, 5000, -700, 100, 0);
    ck_assert_int_eq(o.least_ns, -700);
    ck_assert_int_eq(o.most_ns, -600);
    ck_assert_int_eq(clock_offset_ns(&o) + 700, clock_offset_bound_ns(&o));
}
END_TEST

START_TEST(the_fastest_trips_count)
{
    struct clock_offset o = clock_offset_unknown();
    trip(&o, 0, 300, 5, 900);
    trip(&o, 2000, 300, 800, 7);
    trip(&o, 4000, 300, 100, 100);
    ck_assert_int_eq(o.least_ns, 293);
    ck_assert_int_eq(o.most_ns, 305);
    ck_assert_int_eq(clock_offset_bound_ns(&o), 6);
    ck_assert_uint_eq(o.rounds, 3);
}
END_TEST

/* With any delays, the true offset is within the bound. */
START_TEST(random_delays_never_break_the_bound)
{
    struct rand_stream stream;
    rand_stream_init(&stream, 7, RAND_WORKLOAD, 0);
    for (int i = 0; i < 2000; i++) {
        struct clock_offset o = clock_offset_unknown();
        int64_t offset_ns = below(&stream, 2000000 * NS_PER_SEC) - 1000000 * NS_PER_SEC;
        for (int j = 0; j < 20; j++)
            trip(&o, j * 1000000, offset_ns, below(&stream, NS_PER_MS),
                 below(&stream, NS_PER_MS / 10));
        int64_t error_ns = clock_offset_ns(&o) - offset_ns;
        ck_assert_int_le(error_ns, clock_offset_bound_ns(&o));
        ck_assert_int_ge(error_ns, -clock_offset_bound_ns(&o));
    }
}
END_TEST

START_TEST(a_stepped_clock_is_detected)
{
    struct clock_offset o = clock_offset_unknown();
    trip(&o, 0, 0, 50, 50);
    trip(&o, 1000, 5000, 50, 50);
    ck_assert(!clock_offset_holds(&o));
}
END_TEST

START_TEST(drift_has_bounds_from_two_measurements)
{
    struct clock_offset before = clock_offset_unknown(), after = clock_offset_unknown();
    trip(&before, 0, 1000, 10, 30);
    trip(&after, 9000, 1500, 20, 20);
    struct clock_drift drift = clock_drift_of(&before, &after);
    ck_assert_int_eq(drift.least_ns, 1480 - 1010);
    ck_assert_int_eq(drift.most_ns, 1520 - 970);
}
END_TEST

START_TEST(alignment_holds_the_bound_and_the_drift)
{
    struct clock_offset before = clock_offset_unknown(), after = clock_offset_unknown();
    trip(&before, 0, 1000, 20, 20);
    ck_assert_int_eq(clock_alignment_ns(&before, &before), 20);
    trip(&after, 9000, 1500, 30, 30);
    ck_assert_int_eq(clock_alignment_ns(&before, &after), 530);
    after = clock_offset_unknown();
    trip(&after, 9000, 700, 30, 30);
    ck_assert_int_eq(clock_alignment_ns(&before, &after), 330);
}
END_TEST

RUN_SUITE("clock_offset", 30, nothing_is_known_at_first, equal_delays_give_the_exact_offset,
          delay_on_one_way_reaches_the_bound, the_fastest_trips_count,
          random_delays_never_break_the_bound, a_stepped_clock_is_detected,
          drift_has_bounds_from_two_measurements,
          alignment_holds_the_bound_and_the_drift)
