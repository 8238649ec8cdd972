/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/arrival.h"

#include "../statistics.h"
#include "../suite.h"
#include "base/clock.h"

/* Settings of the arrival processes, which point to them. */
static struct settings made[8];
static unsigned made_count;

/* Initializes `a` with a rate in the format of --tx-rate. */
static void init(struct arrival *a, uint64_t seed, const char *rate, enum arrival_kind kind,
                 unsigned rank, unsigned ranks, int64_t threads)
{
    ck_assert_uint_lt(made_count, ARRAY_SIZE(made));
    struct settings *settings = &made[made_count++];
    ck_assert_ptr_null(rate_profile_parse(&settings->arrivals.profile, rate));
    settings->rand.seed = seed;
    settings->arrivals.kind = kind;
    settings->rank = rank_of(rank, ranks, threads);
    arrival_init(a, settings);
}

static void forget_made(void)
{
    while (made_count > 0)
        arrival_plan_fini(&made[--made_count].arrivals);
}

START_TEST(the_same_seed_gives_the_same_schedule)
{
    struct arrival a, b, other;
    init(&a, 42, "1000", ARRIVAL_POISSON, 0, 1, 1);
    init(&b, 42, "1000", ARRIVAL_POISSON, 0, 1, 1);
    init(&other, 43, "1000", ARRIVAL_POISSON, 0, 1, 1);
    unsigned different = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t next_ns = arrival_next(&a);
        ck_assert_int_eq(next_ns, arrival_next(&b));
        different += next_ns != arrival_next(&other);
    }
    ck_assert_uint_gt(different, 9900);
}
END_TEST

START_TEST(rounding_errors_do_not_accumulate)
{
    /*
     * At 100 M/s the mean gap is 10 ns, and cutting each to whole nanoseconds would lose 5 %. The
     * sum of n exponential gaps has the relative standard error 1/sqrt(n).
     */
    struct arrival a;
    init(&a, 1, "1e8", ARRIVAL_POISSON, 0, 1, 1);
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
    init(&a, 9, "1000", ARRIVAL_POISSON, 0, 1, 1);
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

/* Checks that the arrivals of all ranks, merged by time, are those of a single process. `rate` is
 * the arrival rate, `threads` the number of workers. */
static void check_union(const char *rate, enum arrival_kind kind, unsigned ranks, int64_t threads)
{
    enum { N = 20000 };
    struct arrival whole, part[7];
    int64_t next_ns[7];
    uint64_t last_number = 0;
    init(&whole, 5, rate, kind, 0, 1, threads);
    for (unsigned i = 0; i < ranks; i++) {
        init(&part[i], 5, rate, kind, i, ranks, threads);
        next_ns[i] = arrival_next(&part[i]);
    }
    for (unsigned n = 0; n < N; n++) {
        unsigned first = 0;
        for (unsigned i = 1; i < ranks; i++)
            first = part[i].number < part[first].number ? i : first;
        ck_assert_int_eq(next_ns[first], arrival_next(&whole));
        ck_assert_uint_eq(part[first].number, ++last_number);
        next_ns[first] = arrival_next(&part[first]);
    }
    forget_made();
}

START_TEST(ranks_together_have_the_schedule_of_one_process)
{
    static const unsigned ranks[] = {2, 4, 7};
    for (unsigned i = 0; i < ARRAY_SIZE(ranks); i++) {
        check_union("300", ARRIVAL_POISSON, ranks[i], 7);
        check_union("sine(1000,900,10s)", ARRIVAL_POISSON, ranks[i], 16);
        check_union("0s:100,10s:300,20s:50", ARRIVAL_POISSON, ranks[i], 9);
        check_union("500", ARRIVAL_CONSTANT, ranks[i], 9);
    }
}
END_TEST

START_TEST(ranks_share_arrivals_by_workers)
{
    /* 3 ranks with 3, 2 and 2 of 7 workers. The number of arrivals of each rank is binomial, of 70
     * 000. */
    static const double share[] = {3.0 / 7, 2.0 / 7, 2.0 / 7};
    for (unsigned rank = 0; rank < 3; rank++) {
        struct arrival a;
        double count = 0;
        init(&a, 5, "300", ARRIVAL_POISSON, rank, 3, 7);
        while (arrival_next(&a) != INT64_MAX && a.number <= 70000)
            count++;
        ck_assert_double_eq_tol(count, 70000 * share[rank],
                                SIGMAS * sqrt(70000 * share[rank] * (1 - share[rank])));
    }
}
END_TEST

START_TEST(arrivals_of_a_rank_are_poisson)
{
    /* The gaps of a quarter of 4000/s are exponential with a mean of 1 ms. Same bound as for the
     * whole process. */
    enum { N = 20000, CELLS = 2000 };
    struct arrival a;
    unsigned seen[CELLS + 1] = {0};
    init(&a, 11, "4000", ARRIVAL_POISSON, 1, 4, 8);
    int64_t previous_ns = 0;
    for (int i = 0; i < N; i++) {
        int64_t next_ns = arrival_next(&a);
        seen[(int)ceil(-expm1(-(double)(next_ns - previous_ns) / 1e6) * CELLS)]++;
        previous_ns = next_ns;
    }
    double distance = 0;
    unsigned below = 0;
    for (int i = 0; i <= CELLS; i++) {
        below += seen[i];
        distance = fmax(distance, fabs((double)below / N - (double)i / CELLS));
    }
    ck_assert_double_lt(distance, 2.6 / sqrt(N) + 1.0 / CELLS);
}
END_TEST

START_TEST(evenly_spaced_ranks_take_turns)
{
    struct arrival whole, part[3];
    init(&whole, 1, "500", ARRIVAL_CONSTANT, 0, 1, 6);
    for (unsigned rank = 0; rank < 3; rank++)
        init(&part[rank], 1, "500", ARRIVAL_CONSTANT, rank, 3, 6);
    for (unsigned i = 0; i < 3000; i++) {
        int64_t next_ns = arrival_next(&whole);
        ck_assert_int_eq(next_ns, (i + 1) * 2 * NS_PER_MS);
        ck_assert_int_eq(arrival_next(&part[i % 3]), next_ns);
    }
}
END_TEST

START_TEST(ranks_divide_a_trace)
{
    enum { N = 1000 };
    int64_t times_ns[N], ns = 0;
    for (int i = 0; i < N; i++)
        times_ns[i] = ns += i % 3;
    struct settings settings = {.arrivals.kind = ARRIVAL_TRACE,
                                .arrivals.trace = {.times_ns = times_ns, .count = N},
                                .rand.seed = 3};
    unsigned owners[N] = {0}, most = 0;
    for (unsigned rank = 0; rank < 4; rank++) {
        struct arrival a;
        unsigned count = 0;
        settings.rank = rank_of(rank, 4, 5);
        arrival_init(&a, &settings);
        for (int64_t next_ns; (next_ns = arrival_next(&a)) != INT64_MAX; count++) {
            ck_assert_int_eq(next_ns, times_ns[a.number - 1]);
            owners[a.number - 1]++;
        }
        most = count > most ? count : most;
    }
    for (int i = 0; i < N; i++)
        ck_assert_uint_eq(owners[i], 1);
    /* The first of the four ranks has two of five workers: 400 arrivals on average, with a standard
     * deviation of 15. */
    ck_assert_double_eq_tol(most, 400, SIGMAS * sqrt(N * 0.4 * 0.6));
}
END_TEST

START_TEST(different_schedules_have_different_fingerprints)
{
    struct settings a = {.rand.seed = 1}, b = {.rand.seed = 2}, c = {.rand.seed = 1};
    ck_assert_ptr_null(rate_profile_parse(&a.arrivals.profile, "100"));
    ck_assert_ptr_null(rate_profile_parse(&b.arrivals.profile, "100"));
    ck_assert_ptr_null(rate_profile_parse(&c.arrivals.profile, "100.001"));
    const uint64_t one = arrival_fingerprint(&a);
    ck_assert_uint_ne(one, arrival_fingerprint(&b));
    ck_assert_uint_ne(one, arrival_fingerprint(&c));
    a.rank = rank_of(2, 3, 7);
    ck_assert_uint_eq(one, arrival_fingerprint(&a));
    a.arrivals.kind = ARRIVAL_CONSTANT;
    ck_assert_uint_ne(one, arrival_fingerprint(&a));
    arrival_plan_fini(&a.arrivals);
    arrival_plan_fini(&b.arrivals);
    arrival_plan_fini(&c.arrivals);
}
END_TEST

START_TEST(arrivals_follow_a_changing_rate)
{
    /*
     * 100/s for 10 s, up to 300/s within 10 s, a step to 1000/s for 10 s, then nothing: 1000, 2000
     * and 10 000 arrivals are expected, each a Poisson number, and none after 30 s.
     */
    struct arrival a;
    const double expected[] = {1000, 2000, 10000};
    double seen[3] = {0};
    int64_t next_ns;
    init(&a, 4, "0s:100,10s:100,20s:300,20:1000,30s:1000,30s:0", ARRIVAL_POISSON, 0, 1, 1);
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
    arrival_init(&a, &settings);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(arrival_next(&a), times_ns[i]);
    ck_assert_int_eq(arrival_next(&a), INT64_MAX);
}
END_TEST

RUN_SUITE_WITH("arrival", 60, NULL, forget_made, the_same_seed_gives_the_same_schedule,
               rounding_errors_do_not_accumulate, gaps_are_exponential,
               ranks_together_have_the_schedule_of_one_process, ranks_share_arrivals_by_workers,
               arrivals_of_a_rank_are_poisson, evenly_spaced_ranks_take_turns, ranks_divide_a_trace,
               different_schedules_have_different_fingerprints, arrivals_follow_a_changing_rate,
               a_trace_is_replayed)
