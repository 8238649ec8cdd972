/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts on the load of a run of 20 s: 200 windows of 0.1 s, one worker, 100 requests per second
 * that take 5 ms each, unless a test changes this for a part of the run.
 */
#include <string.h>

#include "../suite.h"
#include "result/verdict.h"

#define WINDOWS 200
#define WINDOW_NS (NS_PER_SEC / 10)

static struct settings settings;
static struct summary summary;
static struct audit audit;
static struct outages outages;
static struct outage outage[4];
static struct evidence evidence;
/* Requests in the system, and the time until which the worker is busy with one of them. */
static double waiting;
/* Response times, if they do not depend on the number of waiting requests; otherwise 0. */
static double flat_ms;

static void begin(void)
{
    settings = (struct settings){
        .threads = 1, .rate = 100, .percentiles = 1, .percentile = {99 * PERCENT}};
    summary = (struct summary){0};
    audit = (struct audit){0};
    outages = (struct outages){.list = outage};
    waiting = flat_ms = 0;
    snapshot_init(&summary.snapshot);
    evidence = (struct evidence){.settings = &settings,
                                 .summary = &summary,
                                 .audit = &audit,
                                 .outages = &outages,
                                 .arrivals_end_ns = WINDOWS * WINDOW_NS,
                                 .goodness = 0.01,
                                 .gaps = 2000,
                                 .client_cpu = 0.1};
}

/* Adds a window in which `arriving` requests arrive and take `service_ms`. If `service_ms` is 0, no
 * request is served. At most `room` requests can wait. */
static void add_window(int arriving, double service_ms, int room)
{
    struct snapshot s;
    const int64_t to_ns = (int64_t)(audit.count + 1) * WINDOW_NS;
    const double most = service_ms > 0 ? 100 / service_ms : 0;
    snapshot_init(&s);
    s.offered = (uint64_t)arriving;
    if (waiting + arriving > room)
        s.dropped = (uint64_t)(waiting + arriving - room);
    waiting += arriving - (double)s.dropped;
    const int served = (int)fmin(waiting, most);
    waiting -= served;
    for (int i = 0; i < served; i++) {
        const int64_t service_ns =
            (int64_t)(service_ms * NS_PER_MS) + (i * 31 + to_ns / 1000) % 9973;
        distribution_record(&s.metric[METRIC_SERVICE], service_ns);
        distribution_record(
            &s.metric[METRIC_RESPONSE],
            service_ns + (int64_t)((flat_ms > 0 ? flat_ms : waiting * service_ms) * NS_PER_MS));
    }
    s.counter[COUNTER_EVENT] = (uint64_t)served;
    s.to_ns = to_ns;
    audit_begin(&audit, to_ns);
    audit_add(&audit, &s);
    audit_note_asked(&audit, arriving);
    snapshot_add(&summary.snapshot, &s);
    snapshot_fini(&s);
}

/* Adds windows up to `second`. */
static void add(double second, int arriving, double service_ms, int room)
{
    while ((double)audit.count < 10 * second)
        add_window(arriving, service_ms, room);
}

static struct verdict end(void)
{
    summary.requests.offered = summary.snapshot.offered;
    summary.requests.dropped = summary.snapshot.dropped;
    summary.requests.queued = (uint64_t)waiting;
    struct verdict v = verdict_of(&evidence);
    audit_fini(&audit);
    snapshot_fini(&summary.snapshot);
    return v;
}

static void assert_none(const struct verdict *v)
{
    ck_assert_msg(v->count == 0, "%s: %s", v->finding[0].name, v->finding[0].figure);
}

static void note_outage(double from_s, double to_s)
{
    outage[outages.count++] = (struct outage){
        .from_ns = seconds_to_ns(from_s), .to_ns = seconds_to_ns(to_s), .ended = true};
}

START_TEST(a_hump_is_an_overload)
{
    begin();
    add(4, 10, 5, 100000);
    add(10, 10, 15, 100000);
    add(20, 10, 5, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_str_eq(v.finding[0].name, "OVERLOADED");
    ck_assert_msg(strstr(v.finding[0].figure, "from 4.00 to 10.0 s") != NULL, "%s",
                  v.finding[0].figure);
    ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "15.00 ms"));
    ck_assert_uint_eq(v.episodes.count, 1);
}
END_TEST

START_TEST(several_episodes_are_named)
{
    begin();
    for (int i = 0; i < 4; i++) {
        add(2 + 5 * i, 10, 5, 100000);
        add(3.2 + 5 * i, 10, 15, 100000);
    }
    add(20, 10, 5, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_uint_eq(v.episodes.count, 4);
    ck_assert_msg(strstr(v.finding[0].figure, "from 2.00 to 3.20 s, from 7.00 to 8.20 s, from "
                                              "12.0 to 13.2 s and 1 more time") != NULL,
                  "%s", v.finding[0].figure);
}
END_TEST

START_TEST(a_short_episode_is_a_remark)
{
    begin();
    flat_ms = 20;
    add(4, 10, 5, 100000);
    add(5, 10, 12.5, 100000);
    add(20, 10, 5, 100000);
    const struct verdict v = end();
    assert_none(&v);
    ck_assert_msg(strstr(v.remark, "from 4.00 to 5.00 s") != NULL, "%s", v.remark);
}
END_TEST

/* A rate that is ten times as high for two seconds, as the user asked for. */
START_TEST(a_burst_that_was_asked_for_is_a_remark)
{
    begin();
    settings.rate_changes = true;
    add(8.1, 10, 5, 100000);
    add(9.9, 100, 5, 100000);
    add(30, 10, 5, 100000);
    evidence.arrivals_end_ns = 30 * NS_PER_SEC;
    const struct verdict v = end();
    assert_none(&v);
    ck_assert_msg(strstr(v.remark, "1000.00/s asked for (100.00/s otherwise)") != NULL, "%s",
                  v.remark);
}
END_TEST

/* Half of the run has the same rate as the slow batch and is fast, except for this batch. */
START_TEST(a_slowdown_that_the_rate_does_not_explain_is_reported)
{
    begin();
    settings.rate_changes = true;
    settings.threads = 100;
    add(10, 5, 5, 100000);
    add(15, 10, 5, 100000);
    add(16, 10, 90, 100000);
    add(20, 10, 5, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_str_eq(v.finding[0].name, "NON-STATIONARY");
}
END_TEST

/* The slow batch has a higher rate, at which other batches were fast. */
START_TEST(a_slowdown_at_a_higher_rate_names_the_rate)
{
    begin();
    settings.rate_changes = true;
    settings.threads = 100;
    add(11, 5, 5, 100000);
    add(15, 10, 5, 100000);
    add(16, 10, 90, 100000);
    add(20, 5, 5, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_msg(strstr(v.finding[0].figure, "(5.01 ms otherwise), at 100.00/s asked for (50.00/s "
                                              "otherwise); the longest") != NULL,
                  "%s", v.finding[0].figure);
}
END_TEST

/* The end of the run is found, but the beginning is the smaller part, so the sentence names the
 * beginning. */
START_TEST(of_two_parts_the_smaller_one_is_named)
{
    begin();
    settings.threads = 4;
    add(5, 10, 6, 100000);
    add(20, 10, 2, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_msg(strstr(v.finding[0].figure, "the mean service time was 6.0") != NULL, "%s",
                  v.finding[0].figure);
    ck_assert_msg(strstr(v.finding[0].figure, "(2.0") != NULL, "%s", v.finding[0].figure);
}
END_TEST

/* Most of the run is slow, its beginning and its end are not. */
START_TEST(a_part_that_is_most_of_the_run_is_named_from_outside)
{
    begin();
    settings.threads = 4;
    add(2, 10, 2, 100000);
    add(18, 10, 6, 100000);
    add(20, 10, 2, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_msg(strstr(v.finding[0].figure,
                         "outside the time from 2.00 to 18.0 s the mean service "
                         "time was 2.0") != NULL,
                  "%s", v.finding[0].figure);
}
END_TEST

START_TEST(other_service_times_in_a_part_are_reported)
{
    begin();
    settings.threads = 4;
    add(6, 10, 2, 100000);
    add(14, 10, 6, 100000);
    add(20, 10, 2, 100000);
    const struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    ck_assert_str_eq(v.finding[0].name, "NON-STATIONARY");
    ck_assert_msg(strstr(v.finding[0].figure, "6.01 ms (2.00 ms otherwise)") != NULL, "%s",
                  v.finding[0].figure);
}
END_TEST

/* Returns the finding about the load of a run in which the queue of 150 requests is full. */
static struct finding full_queue(bool outage_is_known, bool overloaded_too)
{
    begin();
    add(5, 10, 5, 150);
    add(9, 10, 0, 150);
    if (outage_is_known)
        note_outage(5, 9);
    add(14, 10, 5, 150);
    add(20, 10, overloaded_too ? 20 : 5, 150);
    const struct verdict v = end();
    ck_assert_uint_ge(v.count, 1);
    ck_assert_str_eq(v.finding[0].name, "OVERLOADED");
    return v.finding[0];
}

START_TEST(outages_account_for_dropped_requests)
{
    const struct finding outages_only = full_queue(true, false), unknown = full_queue(false, false),
                         both = full_queue(true, true);
    ck_assert_ptr_nonnull(strstr(outages_only.figure, "because of outages"));
    ck_assert_ptr_null(strstr(outages_only.advice, "lower the rate"));
    ck_assert_ptr_nonnull(strstr(unknown.advice, "lower the rate"));
    ck_assert_ptr_nonnull(strstr(both.advice, "lower the rate"));
}
END_TEST

/* From the end of the outage on, the server is slower than before. */
START_TEST(an_overload_that_follows_an_outage_is_not_explained_by_it)
{
    begin();
    add(5, 10, 5, 150);
    add(9, 10, 0, 150);
    note_outage(5, 9);
    add(20, 10, 20, 150);
    const struct verdict v = end();
    ck_assert_uint_ge(v.count, 1);
    ck_assert_str_eq(v.finding[0].name, "OVERLOADED");
    ck_assert_ptr_null(strstr(v.finding[0].figure, "because of outages"));
    ck_assert_ptr_nonnull(strstr(v.finding[0].advice, "lower the rate"));
}
END_TEST

/* The run ends while the backlog of an outage is being served. */
START_TEST(outages_account_for_unfinished_requests)
{
    for (int known = 0; known <= 1; known++) {
        begin();
        add(12, 10, 5, 100000);
        add(18, 10, 0, 100000);
        if (known)
            note_outage(12, 18);
        add(20, 10, 5, 100000);
        const struct verdict v = end();
        ck_assert_str_eq(v.finding[0].name, "OVERLOADED");
        ck_assert_int_eq(strstr(v.finding[0].advice, "lower the rate") == NULL, known);
    }
}
END_TEST

RUN_SUITE("overload", 30, a_hump_is_an_overload, several_episodes_are_named,
          a_short_episode_is_a_remark, a_burst_that_was_asked_for_is_a_remark,
          a_slowdown_that_the_rate_does_not_explain_is_reported,
          a_slowdown_at_a_higher_rate_names_the_rate, of_two_parts_the_smaller_one_is_named,
          a_part_that_is_most_of_the_run_is_named_from_outside,
          other_service_times_in_a_part_are_reported, outages_account_for_dropped_requests,
          an_overload_that_follows_an_outage_is_not_explained_by_it,
          outages_account_for_unfinished_requests)
