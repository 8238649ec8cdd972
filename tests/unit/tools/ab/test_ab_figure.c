/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the judgement on pairs of blocks, with series whose result is known. */
#include "../../suite.h"

#include <math.h>

#include "tools/ab/ab_figure.h"

#define CHANCE 0.05

/* A figure whose B is `percent` above A, with differences that alternate by ± `noise` percent,
 * while both drift by 10 % a pair. */
static struct ab_figure make_figure(const char *name, double percent, double noise, size_t pairs)
{
    struct ab_figure figure = {.name = name, .unit = "ms", .precision = 2};
    for (size_t i = 0; i < pairs; i++) {
        const double level = 10 * pow(1.1, (double)i), sign = i % 2 == 0 ? 1 : -1;
        ab_figure_add(&figure, level, level * (1 + percent / 100) * (1 + sign * noise / 100));
    }
    return figure;
}

static enum ab_result judge(struct ab_figure figure)
{
    const enum ab_result result = ab_figures_judge(&figure, 1, figure.pairs);
    ab_figure_fini(&figure);
    return result;
}

START_TEST(differences_have_a_direction)
{
    ck_assert_int_eq(judge(make_figure("p95", 10, 1, 20)), AB_WORSE);
    ck_assert_int_eq(judge(make_figure("p95", -10, 1, 20)), AB_BETTER);
    ck_assert_int_eq(judge(make_figure("throughput", 10, 1, 20)), AB_BETTER);
    ck_assert_int_eq(judge(make_figure("throughput", -10, 1, 20)), AB_WORSE);
}
END_TEST

START_TEST(no_difference_needs_precision)
{
    ck_assert_int_eq(judge(make_figure("p95", 0, 1, 20)), AB_SAME);
    ck_assert_int_eq(judge(make_figure("p95", 0, 10, 20)), AB_UNDECIDED);
    /* a difference that is known to be smaller than the precision */
    ck_assert_int_eq(judge(make_figure("p95", 1, 0.1, 20)), AB_SAME);
    /* too few pairs */
    ck_assert_int_eq(judge(make_figure("p95", 50, 0.01, 3)), AB_UNDECIDED);
    ck_assert_int_eq(judge(make_figure("p95", 50, 0.01, 4)), AB_WORSE);
}
END_TEST

START_TEST(effects_are_those_of_ratios)
{
    struct ab_figure figure = make_figure("p95", 25, 3, 10);
    const struct ab_effect e = ab_figure_judge(&figure, 10, CHANCE);
    ck_assert_double_eq_tol(e.change, 100 * (1.25 * sqrt(1.03 * 0.97) - 1), 1e-9);
    ck_assert_double_eq_tol(e.b / e.a, 1 + e.change / 100, 1e-9);
    /* the interval is symmetric on the scale of logarithms */
    ck_assert_double_eq_tol((1 + e.low / 100) * (1 + e.high / 100),
                            (1 + e.change / 100) * (1 + e.change / 100), 1e-9);
    ck_assert(!e.precise);
    ck_assert_double_eq_tol(ab_figure_difference(&figure, 0), 100 * (1.25 * 1.03 - 1), 1e-9);
    ab_figure_fini(&figure);
    /* percentages are compared in points, and a 0 on either side is no ratio */
    struct ab_figure errors = {.name = "errors", .unit = "%"};
    for (int i = 0; i < 6; i++)
        ab_figure_add(&errors, 1, 4);
    ck_assert_double_eq_tol(ab_figure_judge(&errors, 6, CHANCE).change, 3, 1e-12);
    ck_assert_int_eq(ab_figure_judge(&errors, 6, CHANCE).result, AB_UNDECIDED);
    ab_figure_fini(&errors);
    struct ab_figure waits = {.name = "wait", .unit = "ms"};
    ab_figure_add(&waits, 1, 2);
    ab_figure_add(&waits, 0, 2);
    ab_figure_add(&waits, 1, 2);
    ck_assert(!waits.is_ratio);
    ab_figure_fini(&waits);
}
END_TEST

START_TEST(bounds_decide_only_in_their_direction)
{
    struct ab_figure figure = make_figure("p95", 10, 1, 20);
    figure.b_is_bound = true; /* the true B is larger still */
    ck_assert_int_eq(ab_figures_judge(&figure, 1, 20), AB_WORSE);
    figure.a_is_bound = true; /* the true A may be as large */
    ck_assert_int_eq(ab_figures_judge(&figure, 1, 20), AB_UNDECIDED);
    ab_figure_fini(&figure);
    figure = make_figure("p95", 0, 1, 20);
    figure.b_is_bound = true;
    ck_assert_int_eq(ab_figures_judge(&figure, 1, 20), AB_UNDECIDED);
    ab_figure_fini(&figure);
}
END_TEST

START_TEST(a_figure_that_is_worse_decides)
{
    struct ab_figure figure[3] = {make_figure("mean", -10, 1, 20), make_figure("p95", 10, 1, 20),
                                  make_figure("p99", 0, 20, 20)};
    ck_assert_int_eq(ab_figures_judge(figure, 3, 20), AB_WORSE);
    figure[1].precision = 0; /* not asked */
    ck_assert_int_eq(ab_figures_judge(figure, 3, 20), AB_BETTER);
    ck_assert_uint_eq(ab_figures_asked(figure, 3), 2);
    figure[0].precision = 0;
    ck_assert_int_eq(ab_figures_judge(figure, 3, 20), AB_UNDECIDED);
    for (int i = 0; i < 3; i++)
        ab_figure_fini(&figure[i]);
}
END_TEST

START_TEST(splits_find_what_is_larger_than_noise)
{
    double value[20];
    bool late[20];
    for (size_t i = 0; i < 20; i++) {
        late[i] = i >= 10;
        value[i] = 10 * (i % 2 == 0 ? 1.02 : 0.98) * (late[i] ? 1.2 : 1);
    }
    ck_assert_double_eq_tol(ab_split_difference(value, late, 20), log(1.2), 1e-9);
    for (size_t i = 0; i < 20; i++)
        value[i] = 10 * (i % 2 == 0 ? 1.02 : 0.98) * (late[i] ? 1.002 : 1);
    ck_assert_double_eq(ab_split_difference(value, late, 20), 0);
    /* one value on a side has no scatter */
    ck_assert_double_eq(ab_split_difference(value, late, 11), 0);
}
END_TEST

RUN_SUITE("ab_figure", 60, differences_have_a_direction, no_difference_needs_precision,
          effects_are_those_of_ratios, bounds_decide_only_in_their_direction,
          a_figure_that_is_worse_decides, splits_find_what_is_larger_than_noise)
