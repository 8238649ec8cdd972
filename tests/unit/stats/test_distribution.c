/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../distributions.h"
#include "../suite.h"
#include "base/rand_stream.h"
#include "base/sort.h"
#include "stats/distribution.h"

#define SAMPLES 100001

/* Returns a percentile by nearest rank on the sorted values. `percentile` is in millionths of a
 * percent. */
static int64_t exact_percentile(const int64_t *sorted, int64_t n, int64_t percentile)
{
    int64_t rank = (n * percentile + 100 * PERCENT - 1) / (100 * PERCENT);
    return sorted[rank < 1 ? 0 : rank - 1];
}

START_TEST(percentiles_are_within_a_thousandth_of_the_exact_ones)
{
    static int64_t values[SAMPLES];
    struct rand_stream stream;
    struct distribution d;
    rand_stream_init(&stream, 3, RAND_WORKLOAD, 0);
    distribution_init(&d);
    for (int i = 0; i < SAMPLES; i++) {
        values[i] = (int64_t)(rand_stream_exponential(&stream) * 3e6);
        distribution_record(&d, values[i]);
    }
    sort_i64(values, SAMPLES);
    const int64_t asked[] = {
        1,        PERCENT / 10, PERCENT, 50 * PERCENT, 95 * PERCENT, 99 * PERCENT,
        99900000, 99990000,     99999999};
    for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
        int64_t exact_ns = exact_percentile(values, SAMPLES, asked[i]);
        struct bounded seen = distribution_percentile(&d, asked[i]);
        ck_assert(!seen.censored);
        ck_assert_double_eq_tol((double)seen.ns, (double)exact_ns, 0.001 * (double)exact_ns + 0.5);
    }
    ck_assert_int_eq(distribution_percentile(&d, 100 * PERCENT).ns, values[SAMPLES - 1]);
    ck_assert_int_eq(distribution_min(&d), values[0]);
    distribution_fini(&d);
}
END_TEST

START_TEST(ranks_are_computed_in_whole_numbers)
{
    /* 99.9 % of 1000 is rank 999 exactly; in floating point 1000 · 99.9 / 100 is a little more. */
    struct distribution d;
    distribution_init(&d);
    for (int i = 1; i <= 1000; i++)
        distribution_record(&d, i); /* below 1024 ns every value has a bucket of its own */
    ck_assert_int_eq(distribution_percentile(&d, 99900000).ns, 999);
    ck_assert_int_eq(distribution_percentile(&d, 99900001).ns, 1000);
    ck_assert_int_eq(distribution_percentile(&d, 50 * PERCENT).ns, 500);
    ck_assert_int_eq(distribution_percentile(&d, 0).ns, 1);
    distribution_fini(&d);
}
END_TEST

START_TEST(minimum_maximum_and_mean_are_exact)
{
    struct distribution d;
    distribution_init(&d);
    const int64_t values[] = {123456789, 123456790, 987654321987};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        distribution_record(&d, values[i]);
    ck_assert_int_eq(distribution_min(&d), 123456789);
    ck_assert_int_eq(distribution_max(&d).ns, 987654321987);
    ck_assert_int_eq(distribution_mean(&d).ns, (123456789 + 123456790 + 987654321987) / 3);
    ck_assert_int_eq(distribution_percentile(&d, 100 * PERCENT).ns, 987654321987);
    distribution_fini(&d);
}
END_TEST

START_TEST(an_empty_distribution_is_all_zero)
{
    struct distribution d;
    distribution_init(&d);
    ck_assert_int_eq(distribution_min(&d), 0);
    ck_assert_int_eq(distribution_max(&d).ns, 0);
    ck_assert_int_eq(distribution_mean(&d).ns, 0);
    ck_assert_int_eq(distribution_percentile(&d, 99 * PERCENT).ns, 0);
    distribution_fini(&d);
}
END_TEST

START_TEST(percentiles_among_censored_values_are_lower_bounds)
{
    /* An overloaded server: half of the requests completed and half still waiting, with ages spread
     * from 0 to 1 s in both halves. */
    struct distribution d;
    distribution_init(&d);
    for (int i = 1; i <= 1000; i++) {
        distribution_record(&d, i * NS_PER_MS);
        distribution_censor(&d, i * NS_PER_MS);
    }
    struct bounded median = distribution_percentile(&d, 50 * PERCENT);
    struct bounded p99 = distribution_percentile(&d, 99 * PERCENT);
    ck_assert(median.censored);
    ck_assert(p99.censored);
    ck_assert_double_eq_tol((double)p99.ns, 990e6, 1e6);
    ck_assert(distribution_max(&d).censored);
    ck_assert(distribution_mean(&d).censored);
    ck_assert_int_eq(distribution_mean(&d).ns, 500500000);
    distribution_fini(&d);
}
END_TEST

START_TEST(a_few_censored_values_do_not_cast_doubt_on_the_middle)
{
    /* Two of 10 000 requests were still waiting. This is less than 9.9, the standard error of the
     * rank of p99. */
    struct distribution d;
    distribution_init(&d);
    for (int i = 1; i <= 9998; i++)
        distribution_record(&d, i * NS_PER_US);
    distribution_censor(&d, 10 * NS_PER_US);
    distribution_censor(&d, 20 * NS_PER_US);
    ck_assert(!distribution_percentile(&d, 50 * PERCENT).censored);
    ck_assert(!distribution_percentile(&d, 99 * PERCENT).censored);
    ck_assert(!distribution_mean(&d).censored);
    /* The largest value may be one of the two, however. */
    ck_assert(distribution_percentile(&d, 99990000).censored);
    distribution_fini(&d);
}
END_TEST

START_TEST(bounds_above_a_percentile_leave_it_exact)
{
    struct distribution d;
    distribution_init(&d);
    for (int i = 1; i <= 900; i++)
        distribution_record(&d, i);
    for (int i = 0; i < 100; i++)
        distribution_censor(&d, NS_PER_SEC);
    struct bounded p90 = distribution_percentile(&d, 90 * PERCENT);
    ck_assert(!p90.censored);
    ck_assert_int_eq(p90.ns, 900);
    ck_assert(distribution_percentile(&d, 91 * PERCENT).censored);
    distribution_fini(&d);
}
END_TEST

START_TEST(merging_equals_recording_in_one_place)
{
    struct rand_stream stream;
    struct distribution one, left, right;
    rand_stream_init(&stream, 5, RAND_WORKLOAD, 0);
    distribution_init(&one);
    distribution_init(&left);
    distribution_init(&right);
    for (int i = 0; i < 10000; i++) {
        int64_t v = (int64_t)(rand_stream_exponential(&stream) * 1e7);
        distribution_record(&one, v);
        distribution_record(i % 3 == 0 ? &left : &right, v);
        if (i % 7 == 0) {
            distribution_censor(&one, v / 2);
            distribution_censor(i % 2 == 0 ? &left : &right, v / 2);
        }
    }
    distribution_add(&left, &right);
    ck_assert_uint_eq(left.count, one.count);
    ck_assert_uint_eq(left.sum_ns, one.sum_ns);
    ck_assert_int_eq(left.min_ns, one.min_ns);
    ck_assert_int_eq(left.max_ns, one.max_ns);
    ck_assert_uint_eq(left.censored, one.censored);
    ck_assert_uint_eq(left.censored_sum_ns, one.censored_sum_ns);
    ck_assert_mem_eq(left.buckets, one.buckets, HISTOGRAM_BUCKETS * sizeof(uint64_t));
    ck_assert_mem_eq(left.censored_buckets, one.censored_buckets,
                     HISTOGRAM_BUCKETS * sizeof(uint64_t));
    distribution_reset(&left);
    ck_assert_uint_eq(left.count + left.censored, 0);
    ck_assert_int_eq(distribution_percentile(&left, 50 * PERCENT).ns, 0);
    distribution_fini(&one);
    distribution_fini(&left);
    distribution_fini(&right);
}
END_TEST

/* 3000 drops per second for an hour and as many responses, each half an hour long on average: the
 * sums of 1.9·10^19 ns do not fit into 64 bits. */
START_TEST(sums_of_long_times_are_not_cut)
{
    const int64_t half_an_hour_ns = 1800 * NS_PER_SEC;
    struct distribution d, part;
    distribution_init(&d);
    distribution_init(&part);
    for (int i = 0; i < 10800; i++) {
        distribution_record(&part, half_an_hour_ns);
        distribution_censor(&part, half_an_hour_ns + 1000);
    }
    for (int i = 0; i < 1000; i++)
        distribution_add(&d, &part);
    ck_assert_int_eq(distribution_mean(&d).ns, half_an_hour_ns + 500);
    ck_assert_double_eq_tol(distribution_mean_ns(&d), (double)half_an_hour_ns + 500, 0.01);
    distribution_reset(&part);
    distribution_censor_all(&part, &d);
    ck_assert_int_eq(distribution_mean(&part).ns, half_an_hour_ns);
    distribution_fini(&d);
    distribution_fini(&part);
}
END_TEST

/* A drain may get the count of a value before its extreme. */
START_TEST(nothing_is_lost_if_extremes_are_not_drained_yet)
{
    static const int64_t values[] = {0, 1, 700, 123456789, INT64_MAX};
    struct histogram *h = histogram_create(1);
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct distribution sum, drained;
        distribution_init(&sum);
        distribution_init(&drained);
        for (int n = 0; n < 3; n++)
            histogram_record(h, values[i]);
        distribution_drain(&drained, h);
        distribution_add(&sum, &drained);
        ck_assert_uint_eq(sum.buckets[histogram_index(values[i])], 3);
        distribution_censor_all(&sum, &drained);
        ck_assert_uint_eq(sum.censored_buckets[histogram_index(values[i])], 3);
        distribution_reset(&drained);
        ck_assert_uint_eq(drained.buckets[histogram_index(values[i])], 0);
        distribution_fini(&sum);
        distribution_fini(&drained);
    }
    histogram_destroy(h, 1);
}
END_TEST

/* 1000 bounds of up to some minutes, each recorded 0 to 99 times. */
START_TEST(many_equal_bounds_are_the_same_as_one_after_the_other)
{
    struct rand_stream stream;
    struct distribution one_by_one, together;
    rand_stream_init(&stream, 5, RAND_WORKLOAD, 0);
    distribution_init(&one_by_one);
    distribution_init(&together);
    for (int i = 0; i < 1000; i++) {
        const int64_t bound_ns = (int64_t)(rand_stream_exponential(&stream) * 3e10);
        const uint64_t count = (uint64_t)(rand_stream_exponential(&stream) * 20) % 100;
        for (uint64_t n = 0; n < count; n++)
            distribution_censor(&one_by_one, bound_ns);
        distribution_censor_many(&together, bound_ns, count);
    }
    ck_assert_uint_gt(together.censored, 1000);
    ck_assert(same_distributions(&one_by_one, &together));
    distribution_fini(&one_by_one);
    distribution_fini(&together);
}
END_TEST

RUN_SUITE("distribution", 30, nothing_is_lost_if_extremes_are_not_drained_yet,
          percentiles_are_within_a_thousandth_of_the_exact_ones,
          ranks_are_computed_in_whole_numbers, minimum_maximum_and_mean_are_exact,
          sums_of_long_times_are_not_cut, an_empty_distribution_is_all_zero,
          percentiles_among_censored_values_are_lower_bounds,
          a_few_censored_values_do_not_cast_doubt_on_the_middle,
          bounds_above_a_percentile_leave_it_exact, merging_equals_recording_in_one_place,
          many_equal_bounds_are_the_same_as_one_after_the_other)
