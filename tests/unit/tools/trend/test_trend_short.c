/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates series that are too short for steps: how often the newest runs are suspect. */
#include "../../suite.h"

#include <math.h>

#include "base/rand.h"
#include "base/rand_stream.h"
#include "base/util.h"
#include "tools/trend/trend.h"

/* For more series: SYSRATE_TEST_SERIES=20000 tests/unit/tools/trend/test_trend_short */
#define SERIES 1000
#define MOST 11

static unsigned series_wanted(void)
{
    const char *wanted = getenv("SYSRATE_TEST_SERIES");
    return wanted != NULL ? (unsigned)atoi(wanted) : SERIES;
}

static double gauss(struct rand_stream *stream)
{
    double radius = sqrt(2 * rand_stream_exponential(stream));
    return radius * cos(2 * M_PI * (double)rand_stream_below(stream, 1 << 30) / (1 << 30));
}

/* Figures of a run scatter by `noise`; from the run `at` on, times are longer by `change`. Both are
 * differences of logarithms. */
static bool is_suspect(struct rand_stream *stream, size_t runs, double noise, size_t at,
                       double change)
{
    struct trend_run run[MOST] = {0};
    size_t valid[MOST];
    struct trend_series series = {.run = run, .runs = runs, .valid = valid, .valid_runs = runs};
    struct trend trend = {&series, 1};
    for (size_t i = 0; i < runs; i++) {
        double level = exp(noise * gauss(stream) + (i >= at ? change : 0));
        valid[i] = i;
        run[i].value[TREND_THROUGHPUT] = 100;
        run[i].value[TREND_P50] = level;
        run[i].value[TREND_P95] = level * exp(noise * gauss(stream));
        run[i].value[TREND_P99] = level * exp(noise * gauss(stream));
    }
    trend_judge(&trend, NULL);
    for (int i = 0; i < TREND_FIGURES; i++)
        free(series.course[i].step);
    return trend_newest_is(&series, TREND_SUSPECT);
}

static unsigned count_suspect(size_t runs, double noise, size_t at, double change)
{
    struct rand_stream stream;
    unsigned suspect = 0;
    rand_stream_init(&stream, suite_seed(18), RAND_WORKLOAD, (unsigned)runs);
    for (unsigned i = 0; i < series_wanted(); i++)
        suspect += is_suspect(&stream, runs, noise, at, change);
    if (series_wanted() != SERIES)
        printf("%zu runs, noise %g, x %.2f from run %zu on: %.2f %%\n", runs, noise, exp(change),
               at + 1, 100.0 * suspect / series_wanted());
    return suspect;
}

/*
 * Each of three figures is suspect with a probability of at most 0.5 %: the worse half of 1 %. So
 * at most 1.5 % of the series are, which are 15 of 1000; 33 and more have a probability of 1 in 20
 * 000.
 */
START_TEST(series_of_one_level_are_not_suspect)
{
    ck_assert_uint_lt(count_suspect(4 + (size_t)_i, 0.1, MOST, 0), 33 * series_wanted() / SERIES);
}
END_TEST

/* With noise of 5 % the limit after three runs is 9.9 * 0.05 * 1.15 = 0.57 on average for p50;
 * after eight runs, three of which are slow, less than 0.2. */
START_TEST(slow_runs_are_suspect)
{
    const unsigned all = series_wanted();
    ck_assert_uint_gt(count_suspect(4, 0.05, 3, log(4)), all - all / 20);
    ck_assert_uint_gt(count_suspect(8, 0.05, 5, log(1.5)), all - all / 20);
    ck_assert_uint_gt(count_suspect(11, 0.05, 5, log(1.3)), all - all / 20);
}
END_TEST

/* Returns the judgement on p99 of the newest run. All other figures are constant. */
static enum trend_newest judge(const double *p99, size_t runs)
{
    struct trend_run run[MOST] = {0};
    size_t valid[MOST];
    struct trend_series series = {.run = run, .runs = runs, .valid = valid, .valid_runs = runs};
    struct trend trend = {&series, 1};
    for (size_t i = 0; i < runs; i++) {
        valid[i] = i;
        run[i].value[TREND_THROUGHPUT] = 100;
        run[i].value[TREND_P50] = run[i].value[TREND_P95] = 1;
        run[i].value[TREND_P99] = p99[i];
    }
    trend_judge(&trend, NULL);
    for (int i = 0; i < TREND_FIGURES; i++)
        free(series.course[i].step);
    return series.course[TREND_P99].newest;
}

START_TEST(a_fast_run_after_slow_ones_is_not_suspect)
{
    const double slow[] = {10, 10.1, 9.9, 20, 20.2, 19.8, 20, 20.1, 19.9, 20};
    const double better[] = {10, 10.1, 9.9, 20, 20.2, 19.8, 20, 20.1, 19.9, 20, 11};
    ck_assert_int_eq(judge(slow, ARRAY_SIZE(slow)), TREND_SUSPECT);
    ck_assert_int_ne(judge(better, ARRAY_SIZE(better)), TREND_SUSPECT);
}
END_TEST

START_TEST(runs_that_scatter_much_say_nothing)
{
    const double wide[] = {1, 3, 1.2, 6}, narrow[] = {1, 1.05, 0.95, 1};
    ck_assert_int_eq(judge(wide, ARRAY_SIZE(wide)), TREND_WIDE);
    ck_assert_int_eq(judge(narrow, ARRAY_SIZE(narrow)), TREND_EXPECTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trend_short");
    TCase *tcase = tcase_create("trend_short");
    tcase_set_timeout(tcase, getenv("SYSRATE_TEST_SERIES") != NULL ? 0 : 60);
    tcase_add_loop_test(tcase, series_of_one_level_are_not_suspect, 0, MOST - 3);
    tcase_add_test(tcase, slow_runs_are_suspect);
    tcase_add_test(tcase, a_fast_run_after_slow_ones_is_not_suspect);
    tcase_add_test(tcase, runs_that_scatter_much_say_nothing);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
