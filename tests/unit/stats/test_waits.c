/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/waits.h"

#include <limits.h>

#include "../suite.h"
#include "base/util.h"

/* The request in service of worker 0; start_ns is 0 if the worker is idle. */
static struct {
    int64_t arrival_ns, start_ns;
} now;

static bool serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    (void)arg;
    *arrival_ns = now.arrival_ns;
    *start_ns = now.start_ns;
    return worker == 0 && now.start_ns != 0;
}

static struct waits *waits;
static struct wait_totals *totals;

static void before(void)
{
    waits = waits_create(2);
    totals = xcalloc(1, sizeof(*totals));
    waits_set_serving(waits, serving, NULL);
    now.start_ns = 0;
}

static void after(void)
{
    waits_destroy(waits);
    free(totals);
}

static void begin(int64_t arrival_ms, int64_t start_ms)
{
    now.arrival_ns = arrival_ms * NS_PER_MS;
    now.start_ns = start_ms * NS_PER_MS;
}

static void end(int64_t end_ms, int64_t before_ms, bool measured)
{
    const struct wait_request request = {.arrival_ns = now.arrival_ns,
                                         .start_ns = now.start_ns,
                                         .end_ns = end_ms * NS_PER_MS,
                                         .before_ns = before_ms * NS_PER_MS,
                                         .measured = measured};
    waits_end(waits, 0, &request);
    now.start_ns = 0;
}

static void sample(int64_t at_ms, int64_t half_ms, unsigned label, double weight_ns)
{
    const struct wait_sample s = {.at_ns = at_ms * NS_PER_MS,
                                  .half_ns = half_ms * NS_PER_MS,
                                  .label = label,
                                  .group = WAIT_NO_GROUP,
                                  .weight_ns = weight_ns};
    waits_sample(waits, 0, &s);
}

static const struct wait_bucket *bucket_of(int64_t response_ms)
{
    waits_total(waits, totals);
    return &totals->bucket[waits_bucket(response_ms * NS_PER_MS)];
}

static const struct wait_cell *cell_of(int64_t response_ms, unsigned label)
{
    return &totals->cell[waits_bucket(response_ms * NS_PER_MS)][label];
}

START_TEST(samples_of_a_request_are_one_term_of_the_squares)
{
    begin(100, 110);
    sample(120, 1, 3, 10);
    sample(130, 1, 3, 10);
    sample(140, 1, 4, 5);
    end(200, 0, true);
    const struct wait_bucket *b = bucket_of(100);
    ck_assert_uint_eq(b->requests, 1);
    ck_assert_uint_eq(b->sampled, 1);
    ck_assert_uint_eq(b->samples, 3);
    ck_assert_uint_eq(b->near, 0);
    ck_assert_double_eq(b->weight, 25);
    ck_assert_double_eq(b->squares, 625);
    ck_assert_double_eq(cell_of(100, 3)->weight, 20);
    ck_assert_double_eq(cell_of(100, 3)->squares, 400);
    ck_assert_double_eq(cell_of(100, 3)->products, 500);
    ck_assert_uint_eq(cell_of(100, 3)->samples, 2);
    ck_assert_double_eq(cell_of(100, 4)->weight, 5);
}
END_TEST

START_TEST(a_sample_is_joined_after_the_end_of_its_request)
{
    begin(100, 100);
    end(110, 0, true);
    begin(110, 111);
    sample(105, 1, 1, 7); /* the first request */
    sample(115, 1, 2, 9); /* the second one */
    end(131, 110, true);
    sample(110, 0, 1, 100); /* between the two */
    sample(90, 0, 1, 100);  /* before both */
    ck_assert_double_eq(bucket_of(10)->weight, 7);
    ck_assert_double_eq(bucket_of(21)->weight, 9);
    ck_assert_uint_eq(totals->taken, 2);
    ck_assert_uint_eq(totals->unmatched, 0);
}
END_TEST

START_TEST(samples_near_an_edge_are_counted)
{
    begin(100, 100);
    sample(101, 2, 1, 1); /* the request began within the round trip */
    sample(105, 2, 1, 1);
    end(110, 0, true);
    sample(109, 2, 1, 1); /* the request ended within the round trip */
    const struct wait_bucket *b = bucket_of(10);
    ck_assert_uint_eq(b->samples, 3);
    ck_assert_uint_eq(b->near, 2);
}
END_TEST

/* A sample that is joined between the record of the end and the moment when the worker has no
 * request any longer belongs to neither request. */
START_TEST(a_request_does_not_end_twice)
{
    begin(100, 100);
    end(110, 0, true);
    begin(100, 100);
    sample(112, 0, 1, 1);
    end(110, 0, true);
    ck_assert_uint_eq(bucket_of(10)->samples, 0);
}
END_TEST

START_TEST(the_warm_up_does_not_count)
{
    begin(100, 100);
    sample(105, 0, 1, 1);
    end(110, 0, false);
    sample(106, 0, 1, 1);
    ck_assert_uint_eq(bucket_of(10)->requests, 0);
    ck_assert_uint_eq(bucket_of(10)->samples, 0);
}
END_TEST

START_TEST(requests_that_are_forgotten_are_counted)
{
    for (int64_t i = 1; i <= 100; i++) {
        begin(10 * i, 10 * i);
        end(10 * i + 5, 0, true);
    }
    sample(12, 0, 1, 1);   /* the first of 100 requests */
    sample(1002, 0, 1, 1); /* the last one */
    ck_assert_uint_eq(bucket_of(5)->samples, 1);
    ck_assert_uint_eq(totals->unmatched, 1);
}
END_TEST

START_TEST(time_before_the_service_is_divided)
{
    begin(100, 150); /* the worker had been busy until 140 and started 10 ms later */
    end(160, 140, true);
    ck_assert_double_eq(bucket_of(60)->queued_ns, 40.0 * NS_PER_MS);
    ck_assert_double_eq(bucket_of(60)->late_ns, 10.0 * NS_PER_MS);
    ck_assert_double_eq(bucket_of(60)->service_ns, 10.0 * NS_PER_MS);

    begin(200, 230); /* the worker had been free */
    end(270, 190, true);
    ck_assert_double_eq(bucket_of(70)->queued_ns, 0);
    ck_assert_double_eq(bucket_of(70)->late_ns, 30.0 * NS_PER_MS);

    /* The generator put the request at 380; the worker was busy until 390. */
    waits_note_late(waits, 290 * NS_PER_MS, 310 * NS_PER_MS, 380 * NS_PER_MS);
    waits_note_late(waits, 311 * NS_PER_MS, 320 * NS_PER_MS, 381 * NS_PER_MS);
    begin(300, 391);
    end(400, 390, true);
    ck_assert_double_eq(bucket_of(100)->queued_ns, 10.0 * NS_PER_MS);
    ck_assert_double_eq(bucket_of(100)->late_ns, 81.0 * NS_PER_MS);
}
END_TEST

START_TEST(requests_that_never_started_have_waited)
{
    waits_never_started(waits, 80 * NS_PER_MS, 3);
    ck_assert_uint_eq(bucket_of(80)->requests, 3);
    ck_assert_double_eq(bucket_of(80)->queued_ns, 240.0 * NS_PER_MS);
}
END_TEST

START_TEST(groups_do_not_add_to_the_total)
{
    const struct wait_sample s = {.at_ns = 105 * NS_PER_MS, .label = 1, .group = 2, .weight_ns = 4};
    begin(100, 100);
    waits_sample(waits, 0, &s);
    end(110, 0, true);
    ck_assert_double_eq(bucket_of(10)->weight, 4);
    ck_assert_double_eq(cell_of(10, 1)->weight, 4);
    ck_assert_double_eq(cell_of(10, 2)->weight, 4);
}
END_TEST

START_TEST(sessions_of_a_worker)
{
    struct wait_key key[WAIT_SESSIONS];
    const int a = 0, b = 0;
    bool others;
    waits_join(waits, 1, &a, (struct wait_key){.session = 7, .host = 0});
    waits_join(waits, 1, &b, (struct wait_key){.session = 8, .host = 1});
    waits_join(waits, 99, &b, (struct wait_key){.session = 9, .host = 0}); /* there is no slot 99 */
    ck_assert_uint_eq(waits_sessions(waits, 1, 0, key, &others), 1);
    ck_assert_uint_eq(key[0].session, 7);
    ck_assert(others);
    /* A connection has one session: the new one replaces the old one. */
    waits_join(waits, 1, &b, (struct wait_key){.session = 10, .host = 0});
    ck_assert_uint_eq(waits_sessions(waits, 1, 0, key, &others), 2);
    ck_assert(!others);
    waits_leave(waits, 1, &a);
    waits_leave(waits, 1, &b);
    ck_assert_uint_eq(waits_sessions(waits, 1, 0, key, &others), 0);
    ck_assert(!waits_has_unlisted(waits, 1));
    ck_assert(!waits_has_unlisted(waits, 99));
    const int owner[WAIT_SESSIONS + 1] = {0};
    for (unsigned i = 0; i <= WAIT_SESSIONS; i++)
        waits_join(waits, 1, &owner[i], (struct wait_key){.session = 20 + i, .host = 0});
    ck_assert_uint_eq(waits_sessions(waits, 1, 0, key, &others), WAIT_SESSIONS);
    ck_assert(waits_has_unlisted(waits, 1));
    ck_assert(!waits_has_unlisted(waits, 0));
    waits_note_unlisted(waits, 0);
    ck_assert(waits_has_unlisted(waits, 0));
}
END_TEST

/* At the end of the run, requests in service are recorded. Their worker may end them afterwards. */
START_TEST(a_worker_that_was_given_up_ends_nothing)
{
    const struct wait_request request = {.arrival_ns = 100 * NS_PER_MS,
                                         .start_ns = 100 * NS_PER_MS,
                                         .end_ns = 150 * NS_PER_MS,
                                         .measured = true};
    begin(100, 100);
    sample(120, 0, 1, 7);
    waits_end_last(waits, 0, &request);
    end(150, 0, true);
    ck_assert_uint_eq(bucket_of(50)->requests, 1);
    ck_assert_double_eq(bucket_of(50)->weight, 7);
}
END_TEST

/* The generator may be late more often than the list is long. */
START_TEST(the_list_of_late_arrivals_ends)
{
    for (int64_t i = 1; i <= 100001; i++)
        waits_note_late(waits, i * NS_PER_SEC, i * NS_PER_SEC, i * NS_PER_SEC + 20 * NS_PER_MS);
    begin(100000 * INT64_C(1000), 100000 * INT64_C(1000) + 30);
    end(100000 * INT64_C(1000) + 40, 100000 * INT64_C(1000) + 30, true);
    ck_assert_double_eq(bucket_of(40)->late_ns, 20.0 * NS_PER_MS);
    begin(100001 * INT64_C(1000), 100001 * INT64_C(1000) + 30);
    end(100001 * INT64_C(1000) + 90, 100001 * INT64_C(1000) + 30, true);
    ck_assert_double_eq(bucket_of(90)->late_ns, 0);
}
END_TEST

START_TEST(slow_requests_are_found)
{
    ck_assert_int_eq(waits_oldest_start_ns(waits, UINT_MAX, 1000), 1000);
    begin(100, 110);
    ck_assert_int_eq(waits_oldest_start_ns(waits, UINT_MAX, 120 * NS_PER_MS), 110 * NS_PER_MS);
    ck_assert_int_eq(waits_oldest_start_ns(waits, 0, 120 * NS_PER_MS), 120 * NS_PER_MS);
    end(120, 0, true);
    ck_assert_int_eq(waits_service_percentile(waits, 95 * PERCENT, 2), INT64_MAX);
    const int64_t ns = waits_service_percentile(waits, 95 * PERCENT, 1);
    ck_assert_int_ge(ns, 10 * NS_PER_MS);
    ck_assert_int_lt(ns, 11 * NS_PER_MS);
}
END_TEST

/* Waits before the first request and those of the warm-up are of no request that counts. */
START_TEST(measured_waits_are_added_to_their_request)
{
    waits_locked(waits, 0, 1000);
    begin(100, 110);
    waits_locked(waits, 0, 3 * NS_PER_MS);
    waits_locked(waits, 0, 4 * NS_PER_MS);
    end(150, 0, true);
    ck_assert_double_eq(bucket_of(50)->locked_ns, 7.0 * NS_PER_MS);
    begin(160, 160);
    end(210, 150, true); /* waited for nothing */
    begin(220, 220);
    waits_locked(waits, 0, NS_PER_MS);
    end(270, 210, false);
    waits_locked(waits, 0, 1000);
    ck_assert_uint_eq(bucket_of(50)->requests, 2);
    ck_assert_double_eq(bucket_of(50)->locked_ns, 7.0 * NS_PER_MS);
    begin(300, 300);
    waits_locked(waits, 0, NS_PER_SEC); /* longer than the service, by rounding */
    end(310, 270, true);
    ck_assert_double_eq(bucket_of(10)->locked_ns, 10.0 * NS_PER_MS);
}
END_TEST

RUN_SUITE_WITH("waits", 60, before, after, samples_of_a_request_are_one_term_of_the_squares,
               a_sample_is_joined_after_the_end_of_its_request, samples_near_an_edge_are_counted,
               a_request_does_not_end_twice, the_warm_up_does_not_count,
               requests_that_are_forgotten_are_counted, time_before_the_service_is_divided,
               requests_that_never_started_have_waited, groups_do_not_add_to_the_total,
               sessions_of_a_worker, a_worker_that_was_given_up_ends_nothing,
               the_list_of_late_arrivals_ends, slow_requests_are_found,
               measured_waits_are_added_to_their_request)
