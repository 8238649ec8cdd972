/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../../suite.h"
#include "base/util.h"
#include "stats/quality/qualities.h"

static struct quality_totals *totals_create(void)
{
    return xcalloc(1, sizeof(struct quality_totals));
}

START_TEST(figures_are_numbered_by_name)
{
    struct qualities *q = qualities_create(2);
    struct quality_totals *t = totals_create();
    ck_assert_uint_eq(qualities_find(q, "recall"), 0);
    ck_assert_uint_eq(qualities_find(q, "fresh"), 1);
    ck_assert_uint_eq(qualities_find(q, "recall"), 0);
    qualities_drain(q, t);
    ck_assert_uint_eq(t->count, 2);
    ck_assert_str_eq(t->quality[1].name, "fresh");
    ck_assert_uint_eq(t->quality[1].count, 0);
    ck_assert_ptr_null(quality_totals_named(t, "other"));
    qualities_destroy(q);
    free(t);
}
END_TEST

/* Values of two threads, in two spans: 1, 2, 3 and 6; then 4. */
START_TEST(mean_and_spread)
{
    struct qualities *q = qualities_create(2);
    struct quality_totals *t = totals_create(), *all = totals_create();
    double half_width;
    const unsigned f = qualities_find(q, "f");
    qualities_add(q, 0, f, 1);
    qualities_add(q, 1, f, 2);
    qualities_add(q, 0, f, 3);
    qualities_add(q, 1, f, 6);
    qualities_drain(q, t);
    ck_assert_uint_eq(t->quality[0].count, 4);
    ck_assert_double_eq_tol(t->quality[0].mean, 3, 1e-12);
    ck_assert_double_eq_tol(t->quality[0].squares, 14, 1e-12);
    /* t(3) = 3.182446, s² = 14/3 */
    ck_assert(quality_half_width(&t->quality[0], &half_width));
    ck_assert_double_eq_tol(half_width, 3.182446 * sqrt(14.0 / 3 / 4), 0.001 * half_width);
    quality_totals_add(all, t);
    quality_totals_reset(t);
    qualities_add(q, 0, f, 4);
    qualities_drain(q, t);
    ck_assert_uint_eq(t->quality[0].count, 1);
    ck_assert_double_eq(t->quality[0].mean, 4);
    ck_assert(!quality_half_width(&t->quality[0], &half_width));
    quality_totals_add(all, t);
    ck_assert_uint_eq(all->quality[0].count, 5);
    ck_assert_double_eq_tol(all->quality[0].mean, 3.2, 1e-12);
    ck_assert_double_eq_tol(all->quality[0].squares, 14.8, 1e-12);
    qualities_destroy(q);
    free(t);
    free(all);
}
END_TEST

/* The spread of values that differ by 1e-6 of their size. */
START_TEST(large_values_that_differ_little)
{
    struct qualities *q = qualities_create(1);
    struct quality_totals *t = totals_create();
    const unsigned f = qualities_find(q, "f");
    for (int i = 0; i < 1000; i++)
        qualities_add(q, 0, f, 1e6 + i % 2);
    qualities_drain(q, t);
    ck_assert_double_eq_tol(t->quality[0].mean, 1e6 + 0.5, 1e-9);
    ck_assert_double_eq_tol(t->quality[0].squares, 250, 1e-6);
    qualities_destroy(q);
    free(t);
}
END_TEST

/* Figures of another process may have other numbers. */
START_TEST(totals_are_matched_by_name)
{
    struct quality_totals *a = totals_create(), *b = totals_create();
    *quality_totals_make(a, "x") = (struct quality_total){"x", 2, 1, 0};
    *quality_totals_make(b, "y") = (struct quality_total){"y", 1, 7, 0};
    *quality_totals_make(b, "x") = (struct quality_total){"x", 2, 2, 0};
    quality_totals_add(a, b);
    ck_assert_uint_eq(a->count, 2);
    ck_assert_double_eq_tol(quality_totals_named(a, "x")->mean, 1.5, 1e-12);
    ck_assert_double_eq_tol(quality_totals_named(a, "x")->squares, 1, 1e-12);
    ck_assert_double_eq(quality_totals_named(a, "y")->mean, 7);
    free(a);
    free(b);
}
END_TEST

/* Quantiles of Student's t distribution: 1, 2, 3, 5, 10, 30, 1000 degrees of freedom. */
START_TEST(interval_by_student)
{
    static const struct {
        uint64_t count;
        double quantile;
    } known[] = {{2, 12.706205}, {3, 4.302653},  {4, 3.182446},   {6, 2.570582},
                 {11, 2.228139}, {31, 2.042272}, {1001, 1.962339}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        const double n = (double)known[i].count;
        const struct quality_total q = {"f", known[i].count, 0, (n - 1) * n};
        double half_width;
        ck_assert(quality_half_width(&q, &half_width));
        ck_assert_double_eq_tol(half_width, known[i].quantile, 0.001 * known[i].quantile);
    }
}
END_TEST

#define WRITERS 3
#define VALUES 200000

struct writer {
    struct qualities *q;
    unsigned thread;
    atomic_uint *left;
};

/* Every value is 1, so a count that was read without its sum shows as a mean that is not 1. */
static void *write_ones(void *arg)
{
    const struct writer *w = arg;
    const unsigned f = qualities_find(w->q, "f");
    qualities_add(w->q, w->thread, f, 3);
    for (int i = 0; i < VALUES; i++)
        qualities_add(w->q, w->thread, f, 1);
    atomic_fetch_sub(w->left, 1);
    return NULL;
}

/* After the first value, which is 3, all values are 1. So the deviations from it are not 0, and the
 * mean of a span without the first values is exactly 1 only if count and sum belong together. */
START_TEST(drained_while_others_record)
{
    struct qualities *q = qualities_create(WRITERS);
    struct quality_totals *t = totals_create(), *all = totals_create();
    struct writer writer[WRITERS];
    pthread_t thread[WRITERS];
    atomic_uint left = WRITERS;
    for (unsigned i = 0; i < WRITERS; i++) {
        writer[i] = (struct writer){q, i, &left};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, write_ones, &writer[i]), 0);
    }
    bool more = true;
    while (more) {
        more = atomic_load(&left) > 0;
        quality_totals_reset(t);
        qualities_drain(q, t);
        if (t->count > 0 && t->quality[0].count > 0) {
            const double n = (double)t->quality[0].count, above = (t->quality[0].mean - 1) * n / 2;
            ck_assert_double_eq_tol(above, round(above), 1e-6);
            ck_assert_double_lt(above, WRITERS + 0.5);
        }
        quality_totals_add(all, t);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(all->quality[0].count, WRITERS * (VALUES + 1));
    ck_assert_double_eq_tol(all->quality[0].mean, 1 + 2.0 / (VALUES + 1), 1e-9);
    qualities_destroy(q);
    free(t);
    free(all);
}
END_TEST

RUN_SUITE("qualities", 60, figures_are_numbered_by_name, mean_and_spread,
          large_values_that_differ_little, totals_are_matched_by_name, interval_by_student,
          drained_while_others_record)
