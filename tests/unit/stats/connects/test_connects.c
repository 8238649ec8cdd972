/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/connects/connects.h"

#include <pthread.h>

#include "tests/unit/suite.h"

#define THREADS 4
#define EACH 20000

static void *record(void *arg)
{
    for (int64_t i = 1; i <= EACH; i++)
        connects_record(arg, 0, i);
    connects_record_failure(arg);
    return NULL;
}

START_TEST(threads_record_and_one_drains)
{
    struct connects *c = connects_create();
    struct connect_totals all;
    pthread_t thread[THREADS];
    connect_totals_init(&all);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, record, c);
    for (unsigned i = 0; i < 100; i++)
        connects_drain(c, &all);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    connects_drain(c, &all);
    ck_assert_uint_eq(all.time.count, THREADS * EACH);
    ck_assert_uint_eq((uint64_t)all.time.sum_ns, (uint64_t)THREADS * EACH * (EACH + 1) / 2);
    ck_assert_int_eq(distribution_min(&all.time), 1);
    ck_assert_int_eq(distribution_max(&all.time).ns, EACH);
    ck_assert_uint_eq(all.failed, THREADS);
    connect_totals_fini(&all);
    connects_destroy(c);
}
END_TEST

START_TEST(totals_add_up)
{
    struct connects *c = connects_create();
    struct connect_totals a, b;
    connect_totals_init(&a);
    connect_totals_init(&b);
    connects_record(c, 0, 100);
    connects_record_failure(c);
    connects_drain(c, &a);
    connects_record(c, 0, 300);
    connects_drain(c, &b);
    connect_totals_add(&a, &b);
    ck_assert_uint_eq(a.time.count, 2);
    ck_assert_int_eq(distribution_mean(&a.time).ns, 200);
    ck_assert_uint_eq(a.failed, 1);
    ck_assert_uint_eq(b.failed, 0);
    connect_totals_reset(&a);
    ck_assert_uint_eq(a.time.count + a.failed, 0);
    connect_totals_fini(&a);
    connect_totals_fini(&b);
    connects_destroy(c);
}
END_TEST

RUN_SUITE("connects", 60, threads_record_and_one_drains, totals_add_up)
