/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series are simulated logarithms of a figure: normally distributed, with a standard deviation
 * of 3 % from run to run. Seeds are fixed, so the result is always the same.
 */
#include "tools/trend/change_points.h"

#include <math.h>

#include "../../suite.h"
#include "base/rand_stream.h"

#define RUNS 40
#define SPREAD 0.03

/* The test has one thread and takes 20 times as long under the thread sanitizer, which runs a tenth
 * of it. */
#ifdef __SANITIZE_THREAD__
#define SERIES 40
#define FALSE_ALARMS 4
#define STEPS 20
#define MISSES 4
#define LONG 600
#else
#define SERIES 400
#define FALSE_ALARMS 10
#define STEPS 60
#define MISSES 7
#define LONG 1000
#endif

/* Rules as in trend_judge.c, for one of two figures. */
static const struct change_rules rules = {.chance = 0.005, .least = 0.0488};

static struct rand_stream random_stream;

static void before(void)
{
    rand_stream_init(&random_stream, 7, RAND_WORKLOAD, 0);
}

/* Box–Muller transform. */
static double normal(void)
{
    double angle = 2 * M_PI * rand_stream_double(&random_stream);
    return sqrt(2 * rand_stream_exponential(&random_stream)) * cos(angle);
}

static void make(double *v, size_t count, size_t step_at, double step)
{
    for (size_t i = 0; i < count; i++)
        v[i] = 1 + SPREAD * normal() + (i >= step_at ? step : 0);
}

static size_t steps_of(const double *v, size_t count, struct change_point *first)
{
    struct change_state state = {0};
    struct change_point *found;
    size_t steps = change_points_find(v, count, &rules, &state, &found);
    if (steps > 0)
        *first = found[0];
    free(found);
    change_state_fini(&state);
    return steps;
}

/* At most 1 % of the series may have a false step, and the rules allow each of two figures half of
 * that. That is 2 of 400 series; 10 have a false step with a probability of 5 in 100 000 (Poisson).
 * Of 40 series it is 0.2; 4 have one with a probability of 6 in 100 000. */
START_TEST(a_series_without_a_step_has_none)
{
    unsigned false_alarms = 0;
    for (int i = 0; i < SERIES; i++) {
        double v[RUNS];
        struct change_point first;
        make(v, RUNS, RUNS, 0);
        false_alarms += steps_of(v, RUNS, &first) > 0;
    }
    ck_assert_uint_lt(false_alarms, FALSE_ALARMS);
}
END_TEST

START_TEST(a_step_is_found_where_it_is)
{
    unsigned found = 0, tries = 0;
    for (int i = 0; i < STEPS; i++) {
        double v[RUNS];
        struct change_point first;
        size_t at = 10 + (size_t)i % 21;
        make(v, RUNS, at, i % 2 == 0 ? 3 * SPREAD : -3 * SPREAD);
        tries++;
        found += steps_of(v, RUNS, &first) == 1 && fabs((double)first.at - (double)at) <= 2;
    }
    ck_assert_uint_ge(found * 100, tries * 95);
}
END_TEST

START_TEST(the_size_of_a_step_has_an_error)
{
    unsigned within = 0, steps = 0;
    for (int i = 0; i < STEPS; i++) {
        double v[RUNS];
        struct change_point first;
        make(v, RUNS, 20, 0.3);
        if (steps_of(v, RUNS, &first) != 1 || first.at != 20)
            continue;
        steps++;
        within += fabs(first.after - first.before - 0.3) <= first.error;
    }
    ck_assert_uint_gt(steps, STEPS - 3);
    /* Expected are 99 of 100. 7 or more of 60 miss with a probability of 1 in 100 000, 4 of 20 with
     * 1 in 20 000. */
    ck_assert_uint_gt(within + MISSES, steps);
}
END_TEST

START_TEST(a_small_change_is_no_step)
{
    double v[RUNS];
    struct change_point first;
    for (size_t i = 0; i < RUNS; i++)
        v[i] = 1 + 0.001 * normal() + (i >= 20 ? 0.045 : 0);
    ck_assert_uint_eq(steps_of(v, RUNS, &first), 0);
    for (size_t i = 0; i < RUNS; i++)
        v[i] = 1 + 0.001 * normal() + (i >= 20 ? 0.055 : 0);
    ck_assert_uint_eq(steps_of(v, RUNS, &first), 1);
    ck_assert_uint_eq(first.at, 20);
}
END_TEST

START_TEST(an_outlier_is_no_step)
{
    double v[RUNS];
    struct change_point first;
    make(v, RUNS, RUNS, 0);
    v[17] += 1;
    ck_assert_uint_eq(steps_of(v, RUNS, &first), 0);
}
END_TEST

START_TEST(too_few_are_not_judged)
{
    double v[CHANGE_POINTS_LEAST];
    struct change_point first;
    make(v, CHANGE_POINTS_LEAST, 6, 1);
    ck_assert_uint_eq(steps_of(v, CHANGE_POINTS_LEAST - 1, &first), 0);
    ck_assert_uint_eq(steps_of(v, CHANGE_POINTS_LEAST, &first), 1);
}
END_TEST

#define EVERY 200
static double history[LONG];

static void make_history(void)
{
    for (size_t i = 0; i < LONG; i++)
        history[i] = 1 + SPREAD * normal() + (i / EVERY % 2 == 1 ? 0.2 : 0);
}

/* The history has many windows, and steps also near the ends of windows. */
START_TEST(a_long_history_has_each_step_once)
{
    struct change_state state = {0};
    struct change_point *found;
    make_history();
    size_t steps = change_points_find(history, LONG, &rules, &state, &found);
    ck_assert_uint_eq(steps, LONG / EVERY - 1);
    for (size_t i = 0; i < steps; i++)
        ck_assert_uint_eq(found[i].at, (i + 1) * EVERY);
    free(found);
    change_state_fini(&state);
}
END_TEST

/* The saved result for earlier runs must not change the steps. */
START_TEST(a_history_that_grows_is_judged_as_a_whole_one)
{
    struct change_state grown = {0};
    make_history();
    for (size_t count = 150; count <= LONG; count += 170) {
        struct change_state fresh = {0};
        struct change_point *a, *b;
        size_t steps = change_points_find(history, count, &rules, &grown, &a);
        ck_assert_uint_eq(change_points_find(history, count, &rules, &fresh, &b), steps);
        ck_assert_uint_eq(grown.from, fresh.from);
        for (size_t i = 0; i < steps; i++)
            ck_assert_uint_eq(a[i].at, b[i].at);
        free(a);
        free(b);
        change_state_fini(&fresh);
    }
    change_state_fini(&grown);
}
END_TEST

START_TEST(the_same_series_has_the_same_steps)
{
    double v[RUNS];
    struct change_point a, b;
    make(v, RUNS, 25, 0.1);
    ck_assert_uint_eq(steps_of(v, RUNS, &a), steps_of(v, RUNS, &b));
    ck_assert_uint_eq(a.at, b.at);
}
END_TEST

RUN_SUITE_WITH("change_points", 300, before, NULL, a_series_without_a_step_has_none,
               a_step_is_found_where_it_is, the_size_of_a_step_has_an_error,
               a_small_change_is_no_step, an_outlier_is_no_step, too_few_are_not_judged,
               a_long_history_has_each_step_once, a_history_that_grows_is_judged_as_a_whole_one,
               the_same_series_has_the_same_steps)
