/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates workers one after the other. Their timers end late by random amounts with a fixed seed.
 * No clock is read, so each test run gives the same figures. */
#include "engine/early.h"

#include "../suite.h"

#define TAKERS 10000

struct latency {
    int64_t low_ns, high_ns; /* limits of a uniform distribution */
};

struct simulation {
    struct early early;
    int64_t now_ns;
    uint64_t random;
    int64_t spin_ns;
    unsigned in_time;
};

static struct simulation begin(void)
{
    return (struct simulation){.now_ns = NS_PER_SEC, .random = 42};
}

static int64_t draw(struct simulation *s, struct latency latency)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return latency.low_ns +
           (int64_t)((s->random >> 33) % (uint64_t)(latency.high_ns - latency.low_ns + 1));
}

/* Simulates `takers` wake-ups whose arrivals are `gap_ns` apart. Sums up the time that was spent
 * spinning, and counts the workers that woke in time. */
static void take(struct simulation *s, unsigned takers, int64_t gap_ns, struct latency latency)
{
    s->spin_ns = 0;
    s->in_time = 0;
    for (unsigned i = 0; i < takers; i++) {
        int64_t due_ns = s->now_ns += gap_ns;
        int64_t woke_ns = due_ns - early_ns(&s->early) + draw(s, latency);
        if (woke_ns <= due_ns) {
            s->in_time++;
            s->spin_ns += due_ns - woke_ns;
        }
        early_learn(&s->early, woke_ns, due_ns);
    }
}

static struct simulation settled(int64_t gap_ns, struct latency latency)
{
    struct simulation s = begin();
    take(&s, TAKERS, gap_ns, latency);
    take(&s, TAKERS, gap_ns, latency);
    return s;
}

static const struct latency steady = {39 * NS_PER_US, 41 * NS_PER_US};
static const struct latency wide = {20 * NS_PER_US, 60 * NS_PER_US};
static const struct latency fast = {4 * NS_PER_US, 6 * NS_PER_US};

START_TEST(the_lead_is_zero_at_first)
{
    struct simulation s = begin();
    ck_assert_int_eq(early_ns(&s.early), 0);
}
END_TEST

START_TEST(half_wake_in_time_if_that_is_cheap)
{
    struct simulation s = settled(200 * NS_PER_US, steady);
    ck_assert_uint_gt(s.in_time, TAKERS * 45 / 100);
    ck_assert_uint_lt(s.in_time, TAKERS * 55 / 100);
    ck_assert_int_le(s.spin_ns, TAKERS * EARLY_SPIN_NS / 2);
}
END_TEST

/* Without the budget, half of the workers would wake in time, at a cost of 5 µs per request: half
 * of the mean of the remaining time, which is uniform up to 20 µs. */
START_TEST(spinning_per_request_is_limited)
{
    struct simulation s = settled(NS_PER_MS, wide);
    ck_assert_int_le(s.spin_ns, TAKERS * EARLY_SPIN_NS * 11 / 10);
    ck_assert_int_ge(s.spin_ns, TAKERS * EARLY_SPIN_NS / 2);
}
END_TEST

START_TEST(spinning_in_total_is_limited)
{
    int64_t gap_ns = 50 * NS_PER_US;
    struct simulation s = settled(gap_ns, wide);
    ck_assert_int_le(s.spin_ns, TAKERS * gap_ns / EARLY_SPIN_SHARE * 11 / 10);
    ck_assert_int_ge(s.spin_ns, TAKERS * gap_ns / EARLY_SPIN_SHARE / 2);
}
END_TEST

/* The machine wakes threads 35 µs faster than before, for example because it became busy. The mean
 * is taken over about 16 workers, and so is the correction. */
START_TEST(a_lead_that_is_too_long_shrinks_fast)
{
    struct simulation s = settled(NS_PER_MS, steady);
    take(&s, 100, NS_PER_MS, fast);
    ck_assert_int_le(s.spin_ns, 100 * EARLY_SPIN_NS + 2 * 16 * 35 * NS_PER_US);
    take(&s, 1000, NS_PER_MS, fast);
    ck_assert_int_le(s.spin_ns, 1000 * EARLY_SPIN_NS);
    ck_assert_uint_gt(s.in_time, 400);
}
END_TEST

START_TEST(the_lead_is_at_most_100_us)
{
    const struct latency slow = {NS_PER_MS, 2 * NS_PER_MS};
    struct simulation s = settled(10 * NS_PER_MS, slow);
    ck_assert_int_eq(early_ns(&s.early), 100 * NS_PER_US);
}
END_TEST

RUN_SUITE("early", 20, the_lead_is_zero_at_first, half_wake_in_time_if_that_is_cheap,
          spinning_per_request_is_limited, spinning_in_total_is_limited,
          a_lead_that_is_too_long_shrinks_fast, the_lead_is_at_most_100_us)
