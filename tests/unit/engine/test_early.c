/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One taker after the other, whose timers end late by figures that are drawn (seed fixed): no clock
 * is read, so each run gives the same. */
#include "engine/early.h"

#include "../suite.h"

#define TAKERS 10000

struct latency {
    int64_t low_ns, high_ns; /* uniform between them */
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

/* So many takers, `gap_ns` from arrival to arrival; counts what they spend and who is in time. */
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

START_TEST(at_first_nobody_is_early)
{
    struct simulation s = begin();
    ck_assert_int_eq(early_ns(&s.early), 0);
}
END_TEST

START_TEST(half_of_the_takers_are_in_time_where_it_costs_little)
{
    struct simulation s = settled(200 * NS_PER_US, steady);
    ck_assert_uint_gt(s.in_time, TAKERS * 45 / 100);
    ck_assert_uint_lt(s.in_time, TAKERS * 55 / 100);
    ck_assert_int_le(s.spin_ns, TAKERS * EARLY_SPIN_NS / 2);
}
END_TEST

/* To bring half of them in time would cost 5 µs each: the mean of what is left of 20 µs, times a
 * half. */
START_TEST(a_request_costs_its_budget_at_most)
{
    struct simulation s = settled(NS_PER_MS, wide);
    ck_assert_int_le(s.spin_ns, TAKERS * EARLY_SPIN_NS * 11 / 10);
    ck_assert_int_ge(s.spin_ns, TAKERS * EARLY_SPIN_NS / 2);
}
END_TEST

START_TEST(all_together_cost_their_share_of_a_processor)
{
    int64_t gap_ns = 50 * NS_PER_US;
    struct simulation s = settled(gap_ns, wide);
    ck_assert_int_le(s.spin_ns, TAKERS * gap_ns / EARLY_SPIN_SHARE * 11 / 10);
    ck_assert_int_ge(s.spin_ns, TAKERS * gap_ns / EARLY_SPIN_SHARE / 2);
}
END_TEST

/* A machine that wakes threads 35 µs sooner than it did, as one does that became busy: the mean is
 * over some 16 takers, and so is the way back. */
START_TEST(what_is_too_early_is_given_back_at_once)
{
    struct simulation s = settled(NS_PER_MS, steady);
    take(&s, 100, NS_PER_MS, fast);
    ck_assert_int_le(s.spin_ns, 100 * EARLY_SPIN_NS + 2 * 16 * 35 * NS_PER_US);
    take(&s, 1000, NS_PER_MS, fast);
    ck_assert_int_le(s.spin_ns, 1000 * EARLY_SPIN_NS);
    ck_assert_uint_gt(s.in_time, 400);
}
END_TEST

START_TEST(it_is_never_more_than_a_tenth_of_a_millisecond)
{
    const struct latency slow = {NS_PER_MS, 2 * NS_PER_MS};
    struct simulation s = settled(10 * NS_PER_MS, slow);
    ck_assert_int_eq(early_ns(&s.early), 100 * NS_PER_US);
}
END_TEST

RUN_SUITE("early", 20, at_first_nobody_is_early,
          half_of_the_takers_are_in_time_where_it_costs_little, a_request_costs_its_budget_at_most,
          all_together_cost_their_share_of_a_processor, what_is_too_early_is_given_back_at_once,
          it_is_never_more_than_a_tenth_of_a_millisecond)
