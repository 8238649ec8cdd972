/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outages, in windows of a tenth of a second. */
#include "result/outage_watch.h"

#include "../suite.h"

#define WINDOW_NS (NS_PER_SEC / 10)
/* Requests completed in a window in which any complete. */
#define REQUESTS 50

static struct settings settings;
static struct outage_watch *watch;
static struct snapshot drained, measured;
static struct outages found;
static struct outage_state all, host;
static int64_t now_ns, median_ns;
/* Response time of the requests of the host, in place of that of all requests, and their median. 0:
 * that of all requests. */
static int64_t host_ms;

static void setup(void)
{
    settings = (struct settings){.time_ns = 60 * NS_PER_SEC};
    watch = outage_watch_create(&settings, WINDOW_NS);
    snapshot_init(&drained);
    snapshot_init(&measured);
    drained.targets->count = 1;
    for (unsigned i = 0; i < METRIC_TYPES; i++)
        distribution_init(&drained.targets->target[0].metric[i]);
    host_ms = 0;
    found = (struct outages){0};
    all = (struct outage_state){.pending = 1};
    host = (struct outage_state){.pending = 1, .host = "db1:3306"};
    now_ns = 0;
    median_ns = NS_PER_MS;
}

static void teardown(void)
{
    free(found.list);
    snapshot_fini(&drained);
    snapshot_fini(&measured);
    outage_watch_destroy(watch);
}

static const int64_t *medians(void)
{
    static int64_t median[OUTAGE_PLACES];
    median[0] = median_ns;
    median[1] = host_ms > 0 ? host_ms * NS_PER_MS : median_ns;
    return median;
}

/* Adds a window in which each request took `ms`. With `ms` 0 no request completed. */
static void window(int64_t ms)
{
    const uint64_t before = all.completed;
    now_ns += WINDOW_NS;
    snapshot_reset(&drained);
    for (int i = 0; ms > 0 && i < REQUESTS; i++, all.completed++) {
        distribution_record(&drained.metric[METRIC_RESPONSE], ms * NS_PER_MS);
        distribution_record(&drained.targets->target[0].metric[METRIC_RESPONSE],
                            (host_ms > 0 ? host_ms : ms) * NS_PER_MS);
    }
    outage_watch_collect(watch, &drained);
    snapshot_add(&measured, &drained);
    if (all.completed > before)
        all.last_end_ns = host.last_end_ns = now_ns - WINDOW_NS / 2;
    outage_watch_look(watch, now_ns, 0, &all);
    if (host.host != NULL)
        outage_watch_look(watch, now_ns, 1, &host);
    outage_watch_end_window(watch, now_ns, medians());
}

/* Adds windows for `s` seconds in which the host completes requests when the run does. */
static void run_for(double s, int64_t ms)
{
    for (int64_t end_ns = now_ns + seconds_to_ns(s) - WINDOW_NS / 2; now_ns < end_ns;) {
        host.completed += ms > 0;
        window(ms);
    }
}

static void finish(void)
{
    const uint64_t lost[OUTAGE_PLACES] = {all.lost, host.lost};
    found = outage_watch_finish(watch, now_ns, medians(), &measured, lost);
}

static void assert_near_s(int64_t ns, double s)
{
    ck_assert_double_ge(ns_to_seconds(ns), s - 0.16);
    ck_assert_double_le(ns_to_seconds(ns), s + 0.16);
}

START_TEST(a_silence_of_the_run_is_an_outage)
{
    host.host = NULL;
    run_for(12, 1);
    run_for(3, 0);
    all.lost = 7;
    run_for(2, 40);
    run_for(10, 1);
    finish();
    ck_assert_uint_eq(found.count, 1);
    const struct outage *o = &found.list[0];
    ck_assert_str_eq(o->host, "");
    assert_near_s(o->from_ns, 12);
    assert_near_s(o->to_ns, 15);
    ck_assert(o->ended);
    ck_assert_uint_eq(o->lost, 7);
    /* The percentile is back after the window of one second that ends at 17 s. */
    ck_assert_int_ge(o->level_ns, NS_PER_MS);
    ck_assert_int_ge(o->back_after_ns, 5 * NS_PER_SEC);
    ck_assert_int_le(o->back_after_ns, 65 * NS_PER_SEC / 10);
    ck_assert_uint_eq(o->disconnected, 0);
    ck_assert_int_eq(o->connected_after_ns, -1);
}
END_TEST

START_TEST(short_or_idle_silences_are_no_outages)
{
    run_for(2, 1);
    run_for(0.1, 0);
    run_for(1, 1);
    all.pending = host.pending = 0;
    run_for(5, 0);
    all.pending = host.pending = 1;
    run_for(1, 1);
    finish();
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

START_TEST(a_single_host_has_an_outage)
{
    run_for(5, 1);
    for (int i = 0; i < 20; i++) {
        host.disconnected = i > 5;
        window(1);
    }
    for (int i = 0; i < 5; i++, host.completed++)
        window(1);
    host.disconnected = 0;
    run_for(2, 1);
    finish();
    ck_assert_uint_eq(found.count, 1);
    const struct outage *o = &found.list[0];
    ck_assert_str_eq(o->host, "db1:3306");
    assert_near_s(o->from_ns, 4.9);
    assert_near_s(o->to_ns, 7);
    ck_assert_uint_eq(o->disconnected, 1);
    assert_near_s(o->connected_after_ns, 7.6 - 4.9);
}
END_TEST

/* The second outage ends before the connections lost in the first one are back. */
START_TEST(connections_are_back_long_after_the_outage)
{
    host.host = NULL;
    run_for(5, 1);
    all.disconnected = 2;
    run_for(2, 0);
    run_for(2, 1);
    run_for(2, 0);
    run_for(2, 1);
    all.disconnected = 0;
    run_for(1, 1);
    finish();
    ck_assert_uint_eq(found.count, 2);
    assert_near_s(found.list[0].connected_after_ns, 8);
    assert_near_s(found.list[1].connected_after_ns, 4);
}
END_TEST

START_TEST(an_outage_until_the_end_of_the_run)
{
    run_for(2, 1);
    host.disconnected = all.disconnected = 3;
    run_for(4, 0);
    host.lost = all.lost = 3;
    finish();
    ck_assert_uint_eq(found.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(!found.list[i].ended);
        ck_assert_int_eq(found.list[i].to_ns, now_ns);
        ck_assert_uint_eq(found.list[i].lost, 3);
        ck_assert_int_eq(found.list[i].back_after_ns, -1);
        ck_assert_uint_eq(found.list[i].disconnected, 3);
        ck_assert_int_eq(found.list[i].connected_after_ns, -1);
    }
}
END_TEST

/* Three stalls of less than a second, in which more than 1 % of the requests wait. */
START_TEST(several_short_stalls_are_outages)
{
    host.host = NULL;
    for (int i = 0; i < 3; i++) {
        run_for(5, 1);
        all.pending = 300;
        run_for(0.8, 0);
        for (int k = 0; k < 300; k++)
            distribution_record(&measured.metric[METRIC_RESPONSE], NS_PER_SEC / 2);
        all.pending = 1;
    }
    run_for(5, 1);
    finish();
    ck_assert_uint_eq(found.count, 3);
    ck_assert_int_lt(found.threshold_ns, NS_PER_SEC / 2);
    ck_assert_int_eq(found.threshold_ns, found.sure_ns);
}
END_TEST

/* Requests of the host take 0.4 s while those of others take 1 ms: its silence of 3 s is no outage,
 * one of 5 s is. */
START_TEST(a_host_is_judged_by_its_own_response_times)
{
    host_ms = 400;
    run_for(20, 1);
    for (int i = 0; i < 30; i++)
        window(1);
    run_for(5, 1);
    for (int i = 0; i < 50; i++)
        window(1);
    run_for(5, 1);
    finish();
    ck_assert_uint_eq(found.count, 1);
    ck_assert_str_eq(found.list[0].host, "db1:3306");
    assert_near_s(found.list[0].from_ns, 28);
}
END_TEST

/* A silence of 0.8 s is an outage of a fast host, although other requests are slow. */
START_TEST(a_fast_host_has_a_short_outage)
{
    host_ms = 1;
    median_ns = NS_PER_SEC / 5;
    run_for(20, 200);
    for (int i = 0; i < 8; i++)
        window(200);
    run_for(5, 200);
    finish();
    ck_assert_uint_eq(found.count, 1);
    ck_assert_str_eq(found.list[0].host, "db1:3306");
    ck_assert_int_lt(found.threshold_ns, NS_PER_SEC);
    ck_assert_int_eq(found.sure_ns, 2 * NS_PER_SEC);
}
END_TEST

/* How slow the requests are is known only after the first have completed. */
START_TEST(slow_requests_are_no_outage)
{
    median_ns = 0;
    run_for(2, 0);
    run_for(1, 1);
    median_ns = NS_PER_SEC / 2;
    run_for(4, 1);
    run_for(3, 0);
    run_for(1, 1);
    finish();
    ck_assert_int_eq(found.threshold_ns, 5 * NS_PER_SEC);
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

/* At an arrival rate, most requests of a short run may have waited for the end of the outage. */
START_TEST(a_backlog_does_not_hide_its_outage)
{
    host.host = NULL;
    run_for(2, 1);
    run_for(6, 0);
    median_ns = 3 * NS_PER_SEC;
    run_for(1, 3000);
    finish();
    ck_assert_uint_eq(found.count, 1);
    ck_assert_int_eq(found.threshold_ns, NS_PER_SEC);
}
END_TEST

START_TEST(a_stalled_client_sees_no_outage)
{
    run_for(2, 1);
    now_ns += 5 * NS_PER_SEC;
    window(0);
    run_for(1, 1);
    finish();
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

RUN_SUITE_WITH("outage_watch", 30, setup, teardown, a_silence_of_the_run_is_an_outage,
               short_or_idle_silences_are_no_outages, a_single_host_has_an_outage,
               connections_are_back_long_after_the_outage, an_outage_until_the_end_of_the_run,
               several_short_stalls_are_outages, a_host_is_judged_by_its_own_response_times,
               a_fast_host_has_a_short_outage, slow_requests_are_no_outage,
               a_backlog_does_not_hide_its_outage, a_stalled_client_sees_no_outage)
