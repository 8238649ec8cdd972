/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrivals with variance and bursts: their law, their mean, and their fit. */
#include "engine/modulation.h"

#include <math.h>
#include <stdlib.h>

#include "../statistics.h"
#include "../suite.h"
#include "base/clock.h"
#include "engine/arrival.h"
#include "engine/goodness.h"

enum { N = 100000 };

static void load(struct settings *s, const char *rate, const char *law, const char *burst)
{
    *s = (struct settings){.rand.seed = 17, .threads = 8};
    s->arrivals.kind = ARRIVAL_SHAPED;
    ck_assert_ptr_null(rate_profile_parse(&s->arrivals.profile, rate));
    ck_assert_ptr_null(arrival_law_parse(&s->arrivals.law, law));
    if (burst != NULL)
        ck_assert_ptr_null(arrival_burst_parse(&s->arrivals.burst, burst));
    s->rank = rank_of(0, 1, 8);
}

/* Draws N arrivals of `made` and returns how far they are from the law of `asked`. */
static double distance(const struct settings *made, const struct settings *asked)
{
    struct arrival a;
    struct goodness *g = malloc(sizeof(*g));
    goodness_init(g, &asked->arrivals);
    if (asked->arrivals.kind == ARRIVAL_SHAPED)
        goodness_follow(g, &asked->arrivals, asked->rand.seed);
    arrival_init(&a, made);
    for (unsigned i = 0; i < N; i++) {
        const int64_t at_ns = arrival_next(&a);
        if (i == 0)
            goodness_skip(g, at_ns, at_ns);
        else
            goodness_add(g, at_ns, at_ns);
    }
    const double d = goodness_distance(g);
    free(g);
    return d;
}

/* Kolmogorov: P(D > 1.358/√n) is 5 %, P(D > 2.23/√n) is 1 in 10 000. The seeds are fixed, and each
 * is one for which a correct program is below the former. A histogram's buckets add up to 0.0008
 * (goodness.h). */
static const double fits = 1.358 / 316.2 + 0.0008;
/* Poisson arrivals are at least this far from each law below. */
static const double foreign = 0.02;

static void check_fit(const char *rate, const char *law, const char *burst)
{
    struct settings asked, poisson;
    load(&asked, rate, law, burst);
    load(&poisson, rate, "poisson", NULL);
    poisson.arrivals.kind = ARRIVAL_POISSON;
    const double own = distance(&asked, &asked), other = distance(&poisson, &asked);
    ck_assert_msg(own < fits, "%s: %g", law, own);
    ck_assert_msg(other > foreign, "Poisson against %s: %g", law, other);
    ck_assert_double_gt(distance(&asked, &poisson), foreign);
    arrival_plan_fini(&asked.arrivals);
    arrival_plan_fini(&poisson.arrivals);
}

START_TEST(arrivals_fit_their_own_law_and_poisson_does_not)
{
    check_fit("1000", "gamma(2)", NULL);
    check_fit("1000", "gamma(0.5)", NULL);
    check_fit("1000", "gamma(5)", NULL);
    check_fit("sine(1000,900,10s)", "gamma(3)", NULL);
    check_fit("1000", "weibull(0.5)", NULL);
    check_fit("1000", "weibull(3)", NULL);
    check_fit("1000", "mmpp(1,10,2s,500ms)", NULL);
    check_fit("0s:500,20s:2000,60s:1000", "mmpp(0,1,1s,1s)", NULL);
    check_fit("1000", "poisson", "x10 200ms every 5s");
    check_fit("1000", "gamma(2)", "x10 200ms every ~5s");
    check_fit("1000", "mmpp(1,5,1s,1s)", "x4 1s every ~10s");
}
END_TEST

/* Mean and coefficient of variation of gaps at 1000/s. */
static void check_moments(const char *law, double cv, double tolerance)
{
    struct settings s;
    struct arrival a;
    double sum = 0, squares = 0;
    load(&s, "1000", law, NULL);
    arrival_init(&a, &s);
    int64_t last_ns = arrival_next(&a);
    for (unsigned i = 0; i < N; i++) {
        const int64_t at_ns = arrival_next(&a);
        const double gap = (double)(at_ns - last_ns) / 1e6;
        sum += gap;
        squares += gap * gap;
        last_ns = at_ns;
    }
    const double mean = sum / N;
    ck_assert_double_eq_tol(mean, 1, SIGMAS * cv / sqrt(N));
    ck_assert_double_eq_tol(sqrt(squares / N - mean * mean) / mean, cv, tolerance * cv);
    arrival_plan_fini(&s.arrivals);
}

START_TEST(gaps_have_the_mean_and_variation_asked_for)
{
    /* The relative standard error of the CV of n gaps is √(kurtosis + 2)/(2·√n) at most, with the
     * excess kurtosis 6·CV² of a gamma distribution: 0.008 for a CV of 2, 0.0029 for 0.5. Weibull
     * with shape 0.5: E x^k = Γ(1 + 2k)/2^k, excess kurtosis 84.7, CV √5: 0.015. */
    check_moments("gamma(2)", 2, SIGMAS * 0.009);
    check_moments("gamma(0.5)", 0.5, SIGMAS * 0.003);
    check_moments("weibull(0.5)", sqrt(5), SIGMAS * 0.016);
    check_moments("weibull(1)", 1, SIGMAS * 0.005);
}
END_TEST

START_TEST(hazard_of_a_gamma_law_is_exact_for_whole_shapes)
{
    /* Shape k: P(X > x) = exp(−x)·Σ_{i<k} x^i/i!. gamma(0.5) has shape 4, gamma(1) shape 1. */
    struct arrival_law law;
    ck_assert_ptr_null(arrival_law_parse(&law, "gamma(0.5)"));
    for (double gap = 0.001; gap < 20; gap *= 1.5) {
        const double x = 4 * gap, tail = 1 + x * (1 + x / 2 * (1 + x / 3));
        ck_assert_double_eq_tol(arrival_law_hazard(&law, gap), x - log(tail),
                                1e-9 * (x - log(tail)) + 1e-13);
    }
    ck_assert_ptr_null(arrival_law_parse(&law, "gamma(1)"));
    for (double gap = 1e-6; gap < 100; gap *= 2)
        ck_assert_double_eq_tol(arrival_law_hazard(&law, gap), gap, 1e-9 * gap);
}
END_TEST

START_TEST(bursts_have_exactly_the_requests_of_the_schedule)
{
    /*
     * Evenly spaced arrivals, ten times the rate for 200 ms in the middle of every 5 s. The mean
     * factor is 1 + 9·0.04 = 1.36, so at 1360/s there are 1000/s outside and 10000/s in a burst:
     * 2000 requests from 2.5 to 2.7 s, and 6800 in each period. The request at a border may fall
     * on either side.
     */
    struct settings s;
    struct arrival a;
    unsigned in_burst = 0, in_period = 0;
    load(&s, "1360", "constant", "x10 200ms every 5s");
    arrival_init(&a, &s);
    for (int64_t at_ns; (at_ns = arrival_next(&a)) <= 50 * NS_PER_SEC;) {
        const int64_t phase_ns = at_ns % (5 * NS_PER_SEC);
        in_burst += phase_ns >= 2500 * NS_PER_MS && phase_ns < 2700 * NS_PER_MS;
        in_period++;
    }
    ck_assert_uint_ge(in_burst, 19990);
    ck_assert_uint_le(in_burst, 20010);
    ck_assert_uint_eq(in_period, 68000);
    arrival_plan_fini(&s.arrivals);
}
END_TEST

START_TEST(the_mean_rate_of_random_jumps_is_the_rate_asked_for)
{
    /*
     * 10 000 s at 100/s. States with means of 1 and 0.5 s and rates 1:4 have a variance of counts
     * per second of 2·(r1−r2)²·(σ1σ2)/(σ1+σ2)³ in addition to the mean (Fischer, Meier-Hellstern
     * 1993), with σ1 = 1, σ2 = 2, r1 = 50, r2 = 200: 2·22500·2/27 = 3333. So the standard error of
     * the count is √(10000·(100 + 3333)) = 5859, 0.6 %.
     */
    struct settings s;
    struct arrival a;
    double count = 0;
    load(&s, "100", "mmpp(1,4,1s,500ms)", NULL);
    arrival_init(&a, &s);
    while (arrival_next(&a) < 10000 * NS_PER_SEC)
        count++;
    ck_assert_double_eq_tol(count / 1e6, 1, SIGMAS * 0.0059);
    arrival_plan_fini(&s.arrivals);
}
END_TEST

START_TEST(the_index_of_dispersion_is_that_of_the_law)
{
    /* A renewal process has CV² in long windows: 4, here with 3000 windows of 1 s. The relative
     * standard error of a variance of n nearly normal counts is √(2/n) = 2.6 %; the remainder of a
     * window of 1000 gaps adds less than 1 %. */
    struct settings s;
    struct arrival a;
    struct goodness *g = malloc(sizeof(*g));
    load(&s, "1000", "gamma(2)", NULL);
    arrival_init(&a, &s);
    goodness_init(g, &s.arrivals);
    goodness_follow(g, &s.arrivals, s.rand.seed);
    ck_assert_double_eq(goodness_dispersion(g, 1), 0);
    for (int64_t at_ns; (at_ns = arrival_next(&a)) < 3000 * NS_PER_SEC;)
        goodness_add(g, at_ns, at_ns);
    ck_assert_double_eq_tol(goodness_dispersion(g, 1), 4, 4 * (SIGMAS * 0.026 + 0.01));
    free(g);
    arrival_plan_fini(&s.arrivals);
}
END_TEST

START_TEST(ranks_together_have_the_schedule_of_one_process)
{
    static const char *const laws[] = {"gamma(2)", "weibull(0.5)", "mmpp(1,9,1s,200ms)",
                                       "constant"};
    for (unsigned ranks = 2; ranks <= 4; ranks += 2)
        for (unsigned l = 0; l < ARRAY_SIZE(laws); l++) {
            struct settings s;
            struct arrival whole, part[4];
            int64_t next_ns[4];
            load(&s, "sine(1000,500,3s)", laws[l], "x3 100ms every ~1s");
            arrival_init(&whole, &s);
            for (unsigned i = 0; i < ranks; i++) {
                s.rank = rank_of(i, ranks, 8);
                arrival_init(&part[i], &s);
                next_ns[i] = arrival_next(&part[i]);
            }
            for (unsigned n = 0; n < 20000; n++) {
                unsigned first = 0;
                for (unsigned i = 1; i < ranks; i++)
                    first = part[i].number < part[first].number ? i : first;
                ck_assert_int_eq(next_ns[first], arrival_next(&whole));
                ck_assert_uint_eq(part[first].number, n + 1);
                next_ns[first] = arrival_next(&part[first]);
            }
            arrival_plan_fini(&s.arrivals);
        }
}
END_TEST

START_TEST(a_rate_that_ends_at_zero_ends_the_arrivals)
{
    struct settings s;
    struct arrival a;
    unsigned count = 0;
    load(&s, "0s:100,10s:100,10s:0", "mmpp(0,1,1s,1s)", "x3 100ms every 1s");
    arrival_init(&a, &s);
    while (arrival_next(&a) != INT64_MAX && count < 100000)
        count++;
    ck_assert_uint_gt(count, 100);
    ck_assert_uint_lt(count, 3000);
    arrival_plan_fini(&s.arrivals);
}
END_TEST

RUN_SUITE("modulation", 60, arrivals_fit_their_own_law_and_poisson_does_not,
          gaps_have_the_mean_and_variation_asked_for,
          hazard_of_a_gamma_law_is_exact_for_whole_shapes,
          bursts_have_exactly_the_requests_of_the_schedule,
          the_mean_rate_of_random_jumps_is_the_rate_asked_for,
          the_index_of_dispersion_is_that_of_the_law,
          ranks_together_have_the_schedule_of_one_process,
          a_rate_that_ends_at_zero_ends_the_arrivals)
