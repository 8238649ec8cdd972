/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/spans.h"

#include <pthread.h>

#include "../distributions.h"
#include "../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"

#define THREADS 4
#define REQUESTS 50000
#define CUTS 10

static struct distribution taken(const struct spans *spans, unsigned first, unsigned end)
{
    struct distribution d;
    distribution_init(&d);
    spans_add_to(spans, first, end, &d);
    return d;
}

START_TEST(requests_belong_to_the_span_of_their_arrival)
{
    struct spans *spans = spans_create(1, 1000);
    ck_assert_uint_eq(spans_cut(spans, 2000), 1);
    ck_assert_uint_eq(spans_cut(spans, 3000), 2);
    static const int64_t arrivals[] = {999, 1000, 1999, 2000, 2999, 3000, 9000};
    for (size_t i = 0; i < ARRAY_SIZE(arrivals); i++)
        spans_record(spans, 0, arrivals[i], arrivals[i]);
    spans_record_failure(spans, 0, 2500, 70);
    spans_settle(spans);
    spans_censor(spans, 3500, 10000, 2);

    struct distribution first = taken(spans, 0, 1), second = taken(spans, 1, 2),
                        all = taken(spans, 0, 3);
    ck_assert_uint_eq(first.count, 2);
    ck_assert_int_eq(first.min_ns, 1000);
    ck_assert_int_eq(first.max_ns, 1999);
    ck_assert_uint_eq(first.sum_ns, 2999);
    ck_assert_uint_eq(second.count, 2);
    ck_assert_uint_eq(second.censored, 1);
    ck_assert_int_eq(second.censored_max_ns, 70);
    ck_assert_uint_eq(all.count, 6);
    ck_assert_uint_eq(all.censored, 3);
    distribution_fini(&first);
    distribution_fini(&second);
    distribution_fini(&all);
    spans_destroy(spans);
}
END_TEST

START_TEST(cuts_do_not_go_back)
{
    struct spans *spans = spans_create(1, 1000);
    unsigned number = spans_cut(spans, 500);
    ck_assert_int_eq(spans_from_ns(spans, number), 1000);
    for (int i = 0; i < 2 * SPANS_MAX; i++)
        number = spans_cut(spans, 2000 + i);
    ck_assert_uint_eq(number, SPANS_MAX - 1);
    ck_assert_uint_eq(spans_count(spans), SPANS_MAX);
    spans_destroy(spans);
}
END_TEST

struct recorder {
    struct spans *spans;
    unsigned number;
};

static void *record(void *arg)
{
    const struct recorder *r = arg;
    for (int64_t i = 0; i < REQUESTS; i++)
        spans_record(r->spans, r->number, i, i + 1);
    return NULL;
}

/*
 * Spans are cut and settled while other threads record. Each request must be in exactly one span.
 */
START_TEST(nothing_is_lost_by_cuts)
{
    struct spans *spans = spans_create(THREADS, 0);
    struct recorder recorder[THREADS];
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        recorder[i] = (struct recorder){spans, i};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, record, &recorder[i]), 0);
    }
    for (int i = 1; i <= CUTS; i++) {
        spans_cut(spans, i * REQUESTS / CUTS);
        spans_settle(spans);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    spans_settle(spans);
    struct distribution all = taken(spans, 0, spans_count(spans));
    ck_assert_uint_eq(all.count, (uint64_t)THREADS * REQUESTS);
    ck_assert_uint_eq(all.sum_ns, (uint64_t)THREADS * REQUESTS * (REQUESTS + 1) / 2);
    ck_assert_int_eq(all.min_ns, 1);
    ck_assert_int_eq(all.max_ns, REQUESTS);
    distribution_fini(&all);
    spans_destroy(spans);
}
END_TEST

static struct spans *spans_with_cuts(void)
{
    struct spans *spans = spans_create(1, 1000);
    for (int i = 2; i <= CUTS; i++)
        spans_cut(spans, 1000 * i);
    return spans;
}

START_TEST(requests_given_up_together_are_the_same_as_one_after_the_other)
{
    struct rand_stream stream;
    struct spans *one_by_one = spans_with_cuts(), *together = spans_with_cuts();
    rand_stream_init(&stream, 7, RAND_WORKLOAD, 0);
    for (int i = 0; i < 1000; i++) {
        const int64_t arrival_ns = (int64_t)(rand_stream_exponential(&stream) * 5000);
        const int64_t age_ns = (int64_t)(rand_stream_exponential(&stream) * 3e9);
        const uint64_t count = (uint64_t)(rand_stream_exponential(&stream) * 20) % 100;
        for (uint64_t n = 0; n < count; n++)
            spans_censor(one_by_one, arrival_ns, age_ns, 1);
        spans_censor(together, arrival_ns, age_ns, count);
    }
    for (unsigned i = 0; i < CUTS; i++) {
        struct distribution a = taken(one_by_one, i, i + 1), b = taken(together, i, i + 1);
        ck_assert_uint_gt(a.censored, 0);
        ck_assert(same_distributions(&a, &b));
        distribution_fini(&a);
        distribution_fini(&b);
    }
    spans_destroy(one_by_one);
    spans_destroy(together);
}
END_TEST

/* One step for each request would take weeks. */
START_TEST(the_number_of_requests_given_up_costs_nothing)
{
    const uint64_t count = UINT64_C(1) << 50;
    struct spans *spans = spans_create(1, 1000);
    spans_censor(spans, 2000, 3000, count);
    struct distribution d = taken(spans, 0, 1);
    ck_assert_uint_eq(d.censored, count);
    ck_assert(d.censored_sum_ns == (unsigned __int128)count * 3000);
    distribution_fini(&d);
    spans_destroy(spans);
}
END_TEST

RUN_SUITE("spans", 60, requests_belong_to_the_span_of_their_arrival, cuts_do_not_go_back,
          nothing_is_lost_by_cuts, requests_given_up_together_are_the_same_as_one_after_the_other,
          the_number_of_requests_given_up_costs_nothing)
