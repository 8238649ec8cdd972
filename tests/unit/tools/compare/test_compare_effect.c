/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the estimate of a change from pairs of runs: known cases, and simulated runs that differ
 * within themselves and between each other.
 */
#include "../../suite.h"

#include <math.h>

#include "base/rand.h"
#include "tools/compare/compare.h"

/* For thousands of sets: SYSRATE_TEST_PAIRS=20000 tests/unit/tools/compare/test_compare_effect */
#define SETS 200
#define MOST_RUNS 10
/* A report with an arrival rate has eight figures that scatter. */
#define FIGURES 8
/* Degrees of freedom of the noise within a run: 60 intervals that are independent. */
#define DEGREES 59
#define SHARE (COMPARE_CHANCE / FIGURES)

static struct effect_value value(double x, double error)
{
    return (struct effect_value){x, {error * error, DEGREES}};
}

static struct run_effect effect_of(const struct effect_value *a, const struct effect_value *b,
                                   size_t runs, bool paired)
{
    struct run_effect effect;
    const struct effect_side x = {a, runs}, y = {b, runs};
    effect_estimate(&effect, &x, &y, paired);
    effect_span(&effect, &x, &y, paired, SHARE);
    return effect;
}

static bool is_different(const struct run_effect *effect)
{
    return effect->low > 0 || effect->high < 0;
}

/* The case of a report: three pairs, each of which is different by itself, and whose changes differ
 * much: x 1.45, x 1.60 and x 2.10. */
START_TEST(three_pairs_that_differ_are_different)
{
    const struct effect_value a[] = {value(0.10, 0.06), value(0, 0.06), value(-0.05, 0.06)};
    const struct effect_value b[] = {value(0.10 + log(1.45), 0.06), value(log(1.60), 0.06),
                                     value(-0.05 + log(2.10), 0.06)};
    for (size_t i = 0; i < 3; i++) {
        struct run_effect one = effect_of(&a[i], &b[i], 1, false);
        ck_assert(is_different(&one));
    }
    for (int paired = 0; paired < 2; paired++) {
        struct run_effect all = effect_of(a, b, 3, paired);
        ck_assert(is_different(&all));
        ck_assert_double_eq_tol(exp(all.change), pow(1.45 * 1.60 * 2.10, 1.0 / 3), 1e-9);
    }
}
END_TEST

/* Differences between rounds cancel out in pairs. */
START_TEST(slow_rounds_cancel_out_in_pairs)
{
    struct effect_value a[5], b[5];
    for (int i = 0; i < 5; i++) {
        double round = i % 2 == 0 ? 0.3 : -0.3;
        a[i] = value(round, 0.01);
        b[i] = value(round + 0.08 + (i - 2) * 0.005, 0.01);
    }
    struct run_effect pairs = effect_of(a, b, 5, true), sides = effect_of(a, b, 5, false);
    ck_assert(is_different(&pairs));
    ck_assert(!is_different(&sides));
}
END_TEST

/* If the noise within runs is unknown, the scatter between runs decides. Two pairs have one degree
 * of freedom of Student's t, with 0.00125 / 2 in either tail. */
START_TEST(noise_within_runs_may_be_unknown)
{
    const struct effect_value a[] = {value(0, INFINITY), value(0, INFINITY)};
    const struct effect_value b[] = {value(0.1, INFINITY), value(0.2, INFINITY)};
    struct run_effect one = effect_of(a, b, 1, false), two = effect_of(a, b, 2, true);
    ck_assert(isinf(one.low) && isinf(one.high));
    ck_assert_double_eq_tol(two.error.degrees, 1, 1e-9);
    ck_assert_double_eq_tol(two.high - two.change, 0.05 * 509.3, 0.01);
}
END_TEST

/* Simulated sets of runs. */

struct model {
    double between; /* standard deviation between runs; that within a run is 1 */
    double change;  /* in units of the standard deviation within a run */
};

static double gauss(struct rand_stream *stream)
{
    double radius = sqrt(2 * rand_stream_exponential(stream));
    return radius * cos(2 * M_PI * (double)rand_stream_below(stream, 1 << 30) / (1 << 30));
}

/* All figures of a run share the difference of the run from others. */
static void draw(struct rand_stream *stream, const struct model *m, double center,
                 struct effect_value figure[FIGURES][MOST_RUNS], size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        double of_run = center + m->between * gauss(stream);
        for (int f = 0; f < FIGURES; f++)
            figure[f][i] = value(of_run + gauss(stream), 1);
    }
}

/* Returns the share of sets in which a figure is different. */
static double share_different(const struct model *m, size_t runs, bool paired, unsigned sets)
{
    struct effect_value a[FIGURES][MOST_RUNS], b[FIGURES][MOST_RUNS];
    struct rand_stream stream;
    unsigned found = 0;
    rand_stream_init(&stream, suite_seed(33), RAND_WORKLOAD, (unsigned)runs);
    for (unsigned i = 0; i < sets; i++) {
        bool different = false;
        draw(&stream, m, 0, a, runs);
        draw(&stream, m, m->change, b, runs);
        for (int f = 0; f < FIGURES && !different; f++) {
            struct run_effect effect = effect_of(a[f], b[f], runs, paired);
            different = is_different(&effect);
        }
        found += different;
    }
    return (double)found / sets;
}

static const size_t sizes[] = {1, 2, 3, 5, 10};
/* Sizes in a short test. */
#define SHORT_SIZES 4
/* Differences between runs of no, one, two and five times the noise within a run. */
static const struct model same[] = {{0, 0}, {1, 0}, {2, 0}, {5, 0}};
static const struct model changed[] = {{0, 4}, {1, 6}, {2, 9}, {5, 20}};

static unsigned sets_wanted(void)
{
    const char *wanted = getenv("SYSRATE_TEST_PAIRS");
    return wanted != NULL ? (unsigned)atoi(wanted) : SETS;
}

/* Returns the number of shares. */
static size_t shares_of(const struct model *m, bool paired, double *share)
{
    const unsigned sets = sets_wanted();
    const size_t count = sets != SETS ? ARRAY_SIZE(sizes) : SHORT_SIZES;
    for (size_t i = 0; i < count; i++)
        share[i] = share_different(m, sizes[i], paired, sets);
    if (sets == SETS)
        return count;
    printf("%s, between %g, change %g:", paired ? "pairs" : "sides", m->between, m->change);
    for (size_t i = 0; i < count; i++)
        printf(" %.2f", 100 * share[i]);
    printf("\n");
    return count;
}

/*
 * If runs differ by no more than their noise, at most 1 % of the sets are different. Of 200 sets,
 * 10 or more are with a probability of 1 in 20 000. If runs do differ, a single pair of runs cannot
 * show that, but more runs must not be wrong more often: a difference of 0.2 between two shares of
 * 200 is at least 4 standard errors.
 */
START_TEST(more_runs_are_wrong_less_often)
{
    double share[ARRAY_SIZE(sizes)];
    for (int paired = 0; paired < 2; paired++) {
        const size_t count = shares_of(&same[_i], paired, share);
        for (size_t i = 0; i < count && same[_i].between == 0; i++)
            ck_assert_double_lt(share[i], 10.0 / SETS);
        for (size_t i = 1; i < count; i++)
            ck_assert_double_le(share[i], share[i - 1] + 0.2);
    }
}
END_TEST

/* The tolerance is the same as above. */
START_TEST(more_runs_find_more)
{
    double share[ARRAY_SIZE(sizes)];
    for (int paired = 0; paired < 2; paired++) {
        const size_t count = shares_of(&changed[_i], paired, share);
        for (size_t i = 1; i < count; i++)
            ck_assert_double_ge(share[i], share[i - 1] - 0.2);
    }
}
END_TEST

/* If each pair is different, and in the same direction, all of them are. */
START_TEST(pairs_that_agree_are_not_lost)
{
    struct effect_value a[FIGURES][MOST_RUNS], b[FIGURES][MOST_RUNS];
    struct rand_stream stream;
    unsigned agreed = 0;
    rand_stream_init(&stream, 34, RAND_WORKLOAD, 0);
    for (int i = 0; i < SETS; i++) {
        const struct model m = {5, 20};
        const size_t runs = 2 + (size_t)i % 4;
        size_t above = 0;
        draw(&stream, &m, 0, a, runs);
        draw(&stream, &m, m.change, b, runs);
        for (size_t k = 0; k < runs; k++) {
            struct run_effect one = effect_of(&a[0][k], &b[0][k], 1, false);
            above += one.low > 0;
        }
        struct run_effect all = effect_of(a[0], b[0], runs, true);
        ck_assert(above < runs || all.low > 0);
        agreed += above == runs;
    }
    ck_assert_uint_gt(agreed, SETS / 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare_effect");
    TCase *tcase = tcase_create("compare_effect");
    tcase_set_timeout(tcase, getenv("SYSRATE_TEST_PAIRS") != NULL ? 0 : 60);
    tcase_add_test(tcase, three_pairs_that_differ_are_different);
    tcase_add_test(tcase, slow_rounds_cancel_out_in_pairs);
    tcase_add_test(tcase, noise_within_runs_may_be_unknown);
    tcase_add_loop_test(tcase, more_runs_are_wrong_less_often, 0, ARRAY_SIZE(same));
    tcase_add_loop_test(tcase, more_runs_find_more, 0, ARRAY_SIZE(changed));
    tcase_add_test(tcase, pairs_that_agree_are_not_lost);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
