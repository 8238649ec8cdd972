/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of response times are joined, and a run that is too short says so. test_coverage.c checks
 * how often the intervals contain the truth. */
#include "../../suite.h"

#include <math.h>

#include "base/rand_stream.h"
#include "stats/certain/batch_series.h"

#define BATCHES 40

static struct rand_stream stream;

static double exponential(void)
{
    return -log(1 - rand_stream_double(&stream));
}

static void simulate(unsigned requests, struct batch_series *b, struct distribution *all)
{
    struct distribution part;
    distribution_init(&part);
    distribution_reset(all);
    batch_series_init(b, 0, 0);
    for (int64_t i = 1; i <= BATCHES; i++) {
        distribution_reset(&part);
        for (unsigned j = 0; j < requests; j++)
            distribution_record(&part, (int64_t)(1e6 * exponential()));
        batch_series_add(b, i, &part);
        distribution_add(all, &part);
    }
    distribution_fini(&part);
}

/* 3688 independent requests are needed for p99.9: 0.999^3688 < 2.5 %. 400 requests are a ninth. */
START_TEST(few_requests_do_not_know_a_percentile)
{
    struct batch_series b;
    struct distribution all;
    distribution_init(&all);
    rand_stream_init(&stream, 8, RAND_WORKLOAD, 0);
    simulate(10, &b, &all);
    const struct confidence c = batch_series_percentile(&b, &all, 999 * PERCENT / 10);
    ck_assert(!c.known);
    ck_assert_double_ge(c.needs, 10);
    ck_assert(batch_series_percentile(&b, &all, 50 * PERCENT).known);
    batch_series_fini(&b);
    distribution_fini(&all);
}
END_TEST

/* 1000 batches are joined until at most 256 are left, and nothing is lost: the shares of all of
 * them enter the interval, which is as narrow as that of 1000 · 40 independent requests. */
START_TEST(neighbours_are_joined)
{
    struct batch_series b;
    struct distribution all, part;
    distribution_init(&all);
    distribution_init(&part);
    rand_stream_init(&stream, 9, RAND_WORKLOAD, 0);
    batch_series_init(&b, 0, 1);
    for (int64_t i = 1; i <= 1000; i++) {
        distribution_reset(&part);
        for (unsigned j = 0; j < 40; j++)
            distribution_record(&part, (int64_t)(1e6 * exponential()));
        batch_series_add(&b, i, &part);
        distribution_add(&all, &part);
    }
    ck_assert_uint_le(b.count, BATCH_SERIES_MAX);
    ck_assert_uint_ge(b.count, BATCH_SERIES_MAX / 2 - 10);
    const struct confidence c = batch_series_mean(&b, &all);
    /* 2 · 1.96 / sqrt(40 000) = 2.0 % */
    ck_assert_double_eq_tol((double)(c.high_ns - c.low_ns) / 1e6, 0.0196, 0.008);
    batch_series_fini(&b);
    distribution_fini(&all);
    distribution_fini(&part);
}
END_TEST

RUN_SUITE("batch_series", 60, few_requests_do_not_know_a_percentile, neighbours_are_joined)
