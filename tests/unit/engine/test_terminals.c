/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/util.h"
#include "engine/terminals.h"

static const struct rank alone = {.count = 1};

static struct terminals *begun(unsigned count, double spread_s)
{
    struct terminals *t = terminals_create(7, &alone);
    ck_assert_uint_eq(terminals_count(t), 0);
    ck_assert_int_eq(terminals_populate(t, count, spread_s), 0);
    ck_assert_int_eq(terminals_populate(t, count, spread_s), 0);
    ck_assert_int_eq(terminals_populate(t, count + 1, spread_s), -1);
    ck_assert_uint_eq(terminals_count(t), count);
    terminals_begin(t, clock_now_ns(), 0);
    return t;
}

START_TEST(each_terminal_sends_once_and_in_order)
{
    enum { COUNT = 1000 };
    struct terminals *t = begun(COUNT, 0.05);
    bool seen[COUNT] = {false};
    int64_t before_ns = 0, now_ns;
    struct visit visit;
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert(terminals_take(t, 0, INT64_MAX, &visit));
        now_ns = clock_now_ns();
        ck_assert(visit.sent_ns <= now_ns && visit.sent_ns >= before_ns);
        ck_assert(!seen[visit.terminal]);
        ck_assert_double_eq(visit.memo, 0);
        seen[visit.terminal] = true;
        before_ns = visit.sent_ns;
    }
    ck_assert(!terminals_take(t, 0, clock_now_ns() + NS_PER_MS, &visit));
    /* Terminals with lower numbers send later. */
    now_ns = clock_now_ns();
    for (unsigned i = 0; i < COUNT; i++)
        terminals_return(t, i, now_ns - i, i);
    for (unsigned i = COUNT; i-- > 0;) {
        ck_assert(terminals_take(t, 0, INT64_MAX, &visit));
        ck_assert_uint_eq(visit.terminal, i);
        ck_assert_double_eq(visit.memo, i);
        ck_assert_int_eq(visit.sent_ns, now_ns - i);
    }
    terminals_destroy(t);
}
END_TEST

START_TEST(unserved_requests_can_be_removed)
{
    struct terminals *t = begun(3, 0);
    struct visit visit;
    const int64_t now_ns = clock_now_ns();
    ck_assert(terminals_take(t, 0, INT64_MAX, &visit));
    terminals_return(t, visit.terminal, now_ns + NS_PER_SEC, 0);
    ck_assert(!terminals_take(t, 0, now_ns, &visit));
    terminals_close(t);
    ck_assert(!terminals_take(t, 0, INT64_MAX, &visit));
    ck_assert(terminals_remove(t, now_ns, &visit));
    ck_assert(terminals_remove(t, now_ns, &visit));
    ck_assert(!terminals_remove(t, now_ns, &visit));
    terminals_destroy(t);
}
END_TEST

START_TEST(each_rank_has_its_own_terminals)
{
    bool seen[10] = {false};
    struct visit visit;
    for (unsigned number = 0; number < 3; number++) {
        const struct rank rank = {.number = number, .count = 3};
        struct terminals *t = terminals_create(7, &rank);
        terminals_populate(t, 10, 0);
        terminals_begin(t, clock_now_ns(), 0);
        ck_assert_uint_eq(terminals_count(t), 10);
        ck_assert_uint_eq(terminals_local(t), number == 0 ? 4 : 3);
        for (unsigned i = terminals_local(t); i-- > 0;) {
            ck_assert(terminals_take(t, 0, INT64_MAX, &visit));
            ck_assert(!seen[visit.terminal]);
            seen[visit.terminal] = true;
        }
        terminals_destroy(t);
    }
    for (unsigned i = 0; i < 10; i++)
        ck_assert(seen[i]);
}
END_TEST

/*
 * Draws 200 000 think times with a mean of 5 s. Cut at ten times the mean, the mean is 5 (1 −
 * e^−10) and the standard deviation a little less than 5. So the sample mean is within 4.5 · 5 /
 * √200000 = 0.0503, except for 7 of 10^6 seeds. A share of e^−1 is longer than the mean, within 4.5
 * · √(0.368 · 0.632 / 200000) = 0.00485. Of 200 000 times, 9.1 are expected to be cut, from 1 to 28
 * except for 2 of 10^4 seeds; and this seed is fixed.
 */
START_TEST(think_times_are_exponential_and_cut)
{
    enum { DRAWS = 200000 };
    struct terminals *t = begun(100, 0), *same = begun(100, 0);
    double sum = 0;
    unsigned longer = 0, cut = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        const double s = terminals_think_s(t, i % 100, 5);
        ck_assert(s > 0 && s <= 50);
        ck_assert_double_eq(s, terminals_think_s(same, i % 100, 5));
        sum += s;
        longer += s > 5;
        cut += s == 50;
    }
    ck_assert_double_eq_tol(sum / DRAWS, 5 * (1 - exp(-10)), 0.0503);
    ck_assert_double_eq_tol((double)longer / DRAWS, exp(-1), 0.00485);
    ck_assert(cut >= 1 && cut <= 28);
    terminals_destroy(t);
    terminals_destroy(same);
}
END_TEST

/* Several threads take and return terminals. A terminal must be with one taker at a time, and each
 * terminal must get its turn. */

enum { TAKERS = 4, CROWD = 50, TURNS = 400 };

static struct terminals *shared;
static atomic_int busy[CROWD];
static atomic_uint served;

static void *serve(void *arg)
{
    struct visit visit;
    while (terminals_take(shared, 0, INT64_MAX, &visit)) {
        ck_assert_int_eq(atomic_exchange(&busy[visit.terminal], 1), 0);
        const double s = terminals_think_s(shared, visit.terminal, 1e-4);
        atomic_store(&busy[visit.terminal], 0);
        if (visit.memo < TURNS)
            terminals_return(shared, visit.terminal, clock_now_ns() + seconds_to_ns(s),
                             visit.memo + 1);
        else if (atomic_fetch_add(&served, 1) + 1 == CROWD)
            terminals_close(shared);
    }
    return arg;
}

START_TEST(no_terminal_is_lost_or_served_twice)
{
    pthread_t taker[TAKERS];
    struct visit visit;
    shared = begun(CROWD, 0.01);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_create(&taker[i], NULL, serve, NULL);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(taker[i], NULL);
    ck_assert_uint_eq(atomic_load(&served), CROWD);
    ck_assert(!terminals_remove(shared, INT64_MAX, &visit));
    terminals_destroy(shared);
}
END_TEST

RUN_SUITE("terminals", 60, each_terminal_sends_once_and_in_order, unserved_requests_can_be_removed,
          each_rank_has_its_own_terminals, think_times_are_exponential_and_cut,
          no_terminal_is_lost_or_served_twice)
