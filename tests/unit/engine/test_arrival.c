/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/arrival.h"

#include "../statistics.h"
#include "../suite.h"
#include "base/clock.h"

/* What the processes of a test were made from; they point to it. */
static struct settings made[8];
static unsigned made_count;

/* A process with a rate in the words of --tx-rate. */
static void init(struct arrival *a, uint64_t seed, const char *rate, enum arrival_kind kind,
                 unsigned rank, unsigned ranks)
{
    ck_assert_uint_lt(made_count, ARRAY_SIZE(made));
    struct settings *settings = &made[made_count++];
    ck_assert_ptr_null(rate_profile_parse(&settings->arrivals.profile, rate));
    settings->rand.seed = seed;
    settings->arrivals.kind = kind;
    arrival_init(a, settings, rank, ranks);
}

static void forget_made(void)
{
    while (made_count > 0)
        arrival_plan_fini(&made[--made_count].arrivals);
}

START_TEST(the_same_seed_gives_the_same_schedule)
{
    struct arrival a, b, other;
    init(&a, 42, "1000", ARRIVAL_POISSON, 0, 1);
    init(&b, 42, "1000", ARRIVAL_POISSON, 0, 1);
    init(&other, 43, "1000", ARRIVAL_POISSON, 0, 1);
    unsigned different = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t next_ns = arrival_next(&a);
        ck_assert_int_eq(next_ns, arrival_next(&b));
        different += next_ns != arrival_next(&other);
    }
    ck_assert_uint_gt(different, 9900);
}
END_TEST

START_TEST(rounding_to_nanoseconds_never_adds_up)
{
    /*
     * At 100 M/s the mean gap is 10 ns, and cutting each to whole nanoseconds would lose 5 %. The
     * sum of n exponential gaps has the relative standard error 1/sqrt(n).
     */
    struct arrival a;
    init(&a, 1, "1e8", ARRIVAL_POISSON, 0, 1);
    int64_t last_ns = 0;
    for (int i = 0; i < DRAWS; i++)
        last_ns = arrival_next(&a);
    ck_assert_double_eq_tol((double)last_ns / (10.0 * DRAWS), 1, SIGMAS / sqrt(DRAWS));
}
END_TEST

START_TEST(gaps_are_exponential)
{
    /* Kolmogorov–Smirnov: the distance of n gaps exceeds 2.6/sqrt(n) with probability
     * 2·exp(−2·2.6²) < 3·10⁻⁶. */
    enum { N = 20000, CELLS = 2000 };
    struct arrival a;
    unsigned seen[CELLS + 1] = {0};
    init(&a, 9, "1000", ARRIVAL_POISSON, 0, 1);
    int64_t previous_ns = 0;
    for (int i = 0; i < N; i++) {
        int64_t next_ns = arrival_next(&a);
        double p = -expm1(-(double)(next_ns - previous_ns) / 1e6);
        seen[(int)ceil(p * CELLS)]++;
        previous_ns = next_ns;
    }
    double distance = 0;
    unsigned below = 0;
    for (int i = 0; i <= CELLS; i++) {
        below += seen[i];
        distance = fmax(distance, fabs((double)below / N - (double)i / CELLS));
    }
    /* Between two cell borders the empirical function can be off by one cell more. */
    ck_assert_double_lt(distance, 2.6 / sqrt(N) + 1.0 / CELLS);
}
END_TEST

START_TEST(ranks_superpose_to_the_full_rate)
{
    /*
     * Arrivals of 3 ranks within 100 s at 300/s: Poisson with mean 30 000, standard deviation 173.
     */
    unsigned count = 0;
    for (unsigned rank = 0; rank < 3; rank++) {
        struct arrival a;
        init(&a, 5, "300", ARRIVAL_POISSON, rank, 3);
        while (arrival_next(&a) < 100 * NS_PER_SEC)
            count++;
    }
    ck_assert_double_eq_tol(count, 30000, SIGMAS * sqrt(30000));
}
END_TEST

START_TEST(evenly_spaced_ranks_take_turns)
{
    struct arrival whole, part[3];
    init(&whole, 1, "500", ARRIVAL_CONSTANT, 0, 1);
    for (unsigned rank = 0; rank < 3; rank++)
        init(&part[rank], 1, "500", ARRIVAL_CONSTANT, rank, 3);
    for (unsigned i = 0; i < 3000; i++) {
        int64_t next_ns = arrival_next(&whole);
        ck_assert_int_eq(next_ns, (i + 1) * 2 * NS_PER_MS);
        ck_assert_int_eq(arrival_next(&part[i % 3]), next_ns);
    }
}
END_TEST

START_TEST(a_changing_rate_is_followed)
{
    /*
     * 100/s for 10 s, up to 300/s within 10 s, a step to 1000/s for 10 s, then nothing: 1000, 2000
     * and 10 000 arrivals are expected, each a Poisson number, and none after 30 s.
     */
    struct arrival a;
    const double expected[] = {1000, 2000, 10000};
    double seen[3] = {0};
    int64_t next_ns;
    init(&a, 4, "0s:100,10s:100,20s:300,20:1000,30s:1000,30s:0", ARRIVAL_POISSON, 0, 1);
    while ((next_ns = arrival_next(&a)) != INT64_MAX) {
        ck_assert_int_lt(next_ns, 30 * NS_PER_SEC);
        seen[next_ns / (10 * NS_PER_SEC)]++;
    }
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(seen[i], expected[i], SIGMAS * sqrt(expected[i]));
}
END_TEST

START_TEST(a_trace_is_replayed)
{
    int64_t times_ns[] = {5, 5, 70};
    const struct settings settings = {.arrivals.kind = ARRIVAL_TRACE,
                                      .arrivals.trace = {.times_ns = times_ns, .count = 3}};
    struct arrival a;
    arrival_init(&a, &settings, 0, 1);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(arrival_next(&a), times_ns[i]);
    ck_assert_int_eq(arrival_next(&a), INT64_MAX);
}
END_TEST

RUN_SUITE_WITH("arrival", 60, NULL, forget_made, the_same_seed_gives_the_same_schedule,
               rounding_to_nanoseconds_never_adds_up, gaps_are_exponential,
               ranks_superpose_to_the_full_rate, evenly_spaced_ranks_take_turns,
               a_changing_rate_is_followed, a_trace_is_replayed)
