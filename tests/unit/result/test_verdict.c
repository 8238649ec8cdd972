/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../suite.h"
#include "engine/arrival.h"
#include "result/stall.h"
#include "result/verdict.h"
#include "tools/selftest/queue_sim.h"

/* Verdicts on a run of 20 s at 1000/s, built of 200 windows of 0.1 s with 100 requests each. */

#define WINDOWS 200
#define PER_WINDOW 100

static struct settings settings;
static struct summary summary;
static struct audit audit;
static struct evidence evidence;

static void begin(void)
{
    settings = (struct settings){
        .threads = 8, .rate = 1000, .percentiles = 1, .percentile = {99 * PERCENT}};
    summary = (struct summary){0};
    audit = (struct audit){0};
    snapshot_init(&summary.snapshot);
    evidence = (struct evidence){.settings = &settings,
                                 .summary = &summary,
                                 .audit = &audit,
                                 .arrivals_end_ns = INT64_MAX,
                                 .goodness = 0.01,
                                 .gaps = 20000,
                                 .client_cpu = 0.1,
                                 .steal = 0};
}

/* Adds a window in which all requests take `response_ns` and the generator is late by `lag_ns`. At
 * its end, `left` requests are in the system. */
static void add_window(int64_t response_ns, int64_t lag_ns, int64_t left)
{
    struct snapshot window;
    int64_t to_ns = (int64_t)(audit.count + 1) * NS_PER_SEC / 10;
    snapshot_init(&window);
    for (int i = 0; i < PER_WINDOW; i++) {
        /* Response times vary, so that means have a variance. */
        distribution_record(&window.metric[METRIC_RESPONSE],
                            response_ns + i * 100 + (to_ns / 1000 % 97));
        distribution_record(&window.lag, lag_ns);
    }
    window.counter[COUNTER_EVENT] = PER_WINDOW;
    window.offered = (uint64_t)(PER_WINDOW + left - audit.in_system);
    audit_begin(&audit, to_ns);
    audit_add(&audit, &window);
    window.to_ns = to_ns;
    snapshot_add(&summary.snapshot, &window);
    snapshot_fini(&window);
}

static struct verdict end(void)
{
    summary.requests.offered = summary.snapshot.offered;
    struct verdict v = verdict_of(&evidence);
    audit_fini(&audit);
    snapshot_fini(&summary.snapshot);
    return v;
}

static void assert_finding(const struct verdict *v, const char *name)
{
    for (unsigned i = 0; i < v->count; i++)
        if (strcmp(v->finding[i].name, name) == 0)
            return;
    ck_abort_msg("no finding %s among %u", name, v->count);
}

START_TEST(a_steady_run_is_valid)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_msg(v.count == 0, "%s: %s", v.finding[0].name, v.finding[0].figure);
}
END_TEST

START_TEST(a_late_generator_is_reported)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, NS_PER_MS, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "CLIENT-LIMITED");
    ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "p99"));
}
END_TEST

START_TEST(lag_counts_against_the_response_time)
{
    /* A lag of 1 ms does not matter if responses take 50 ms. */
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(50 * NS_PER_MS, NS_PER_MS, 50);
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(busy_clients_and_stolen_time_are_reported)
{
    for (int steal = 0; steal <= 1; steal++) {
        begin();
        evidence.client_cpu = steal ? 0.1 : 0.95;
        evidence.steal = steal ? 0.2 : 0;
        for (int i = 0; i < WINDOWS; i++)
            add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
        struct verdict v = end();
        ck_assert_uint_eq(v.count, 1);
        assert_finding(&v, "CLIENT-LIMITED");
        ck_assert_ptr_nonnull(strstr(v.finding[0].figure, steal ? "hypervisor" : "95 %"));
    }
}
END_TEST

START_TEST(bursts_are_reported)
{
    begin();
    evidence.goodness = 0.2;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "ARRIVALS-OFF");
}
END_TEST

START_TEST(a_backlog_that_grows_is_an_overload)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window((5 + i) * NS_PER_MS, 10 * NS_PER_US, 5 + 10 * i);
    summary.requests.queued = 5 + 10 * (WINDOWS - 1);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(waiting_for_a_frozen_server_does_not_hide_the_backlog)
{
    /* Arrivals stop after 20 s with 1000 requests in the system. None of them leaves in the next 20
     * s. */
    begin();
    for (int i = 0; i < 2 * WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US,
                   i < WINDOWS / 2 ? 5 : min_i64(1000, 10 * (i - WINDOWS / 2)));
    evidence.arrivals_end_ns = 20 * NS_PER_SEC;
    summary.requests.queued = 1000;
    struct verdict v = end();
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(requests_left_by_a_drain_are_an_overload)
{
    begin();
    settings.drain_ns = NS_PER_SEC;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5000);
    summary.requests.queued = 1000;
    struct verdict v = end();
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(a_run_without_requests_is_not_valid)
{
    begin();
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "NOTHING-MEASURED");
}
END_TEST

START_TEST(empty_batches_are_no_stall)
{
    /* No request completes in most batches; the other batches are alike. */
    begin();
    for (int i = 0; i < WINDOWS; i++)
        if (i % 40 == 0)
            add_window(5 * NS_PER_MS, 10 * NS_PER_US, 0);
        else
            audit_begin(&audit, (int64_t)(audit.count + 1) * NS_PER_SEC / 10);
    summary.snapshot.to_ns = 20 * NS_PER_SEC;
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_large_but_steady_backlog_is_no_overload)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(500 * NS_PER_MS, 10 * NS_PER_US, 500);
    summary.requests.queued = 500;
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(dropped_requests_are_an_overload)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    summary.requests.dropped = 1;
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "OVERLOADED");
}
END_TEST

START_TEST(a_drift_is_not_stationary)
{
    begin();
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS + i * 25 * NS_PER_US, 10 * NS_PER_US, 5);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "NON-STATIONARY");
    ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "first half"));
}
END_TEST

START_TEST(a_rate_that_changes_may_drift)
{
    begin();
    settings.rate_changes = true;
    for (int i = 0; i < WINDOWS; i++)
        add_window(5 * NS_PER_MS + i * 25 * NS_PER_US, 10 * NS_PER_US, 5);
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_stall_is_blamed_on_client_or_server)
{
    for (int client = 0; client <= 1; client++) {
        begin();
        for (int i = 0; i < WINDOWS; i++) {
            bool stalled = i >= 100 && i < 110;
            add_window(stalled ? 900 * NS_PER_MS : NS_PER_MS,
                       stalled && client ? 900 * NS_PER_MS : 0, 1);
        }
        struct verdict v = end();
        assert_finding(&v, "NON-STATIONARY");
        const struct finding *f = &v.finding[v.count - 1];
        ck_assert_ptr_nonnull(strstr(f->figure, client ? " 10.1 s" : "from 10.0 to 11.0 s"));
        ck_assert_ptr_nonnull(
            strstr(f->advice, client ? "it was the client" : "it was not the client"));
        if (client)
            assert_finding(&v, "CLIENT-LIMITED");
    }
}
END_TEST

/* Adds a window of half a second in which `arrived` requests arrive and `completed` ones complete
 * after `response_ns`. */
static void add_half_second(int arrived, int completed, int64_t response_ns, int64_t lag_ns)
{
    struct snapshot window;
    snapshot_init(&window);
    for (int i = 0; i < completed; i++)
        distribution_record(&window.metric[METRIC_RESPONSE], response_ns - i * NS_PER_US);
    distribution_record(&window.lag, lag_ns);
    window.counter[COUNTER_EVENT] = (uint64_t)completed;
    window.offered = (uint64_t)arrived;
    audit_begin(&audit, (int64_t)(audit.count + 1) * NS_PER_SEC / 2);
    audit_add(&audit, &window);
    snapshot_add(&summary.snapshot, &window);
    snapshot_fini(&window);
}

/* Adds `seconds` of a run at 20/s. From second 5 on, no request is served for two seconds. */
static void add_two_silent_seconds(int seconds)
{
    for (int half = 0; half < 2 * seconds; half++)
        if (half == 10)
            add_half_second(11, 8, 20 * NS_PER_MS, 0);
        else if (half > 10 && half < 14)
            add_half_second(10, 0, 0, 0);
        else if (half == 14)
            add_half_second(9, 42, 2 * NS_PER_SEC, 0);
        else
            add_half_second(10, 10, 20 * NS_PER_MS, 0);
}

START_TEST(a_frozen_server_is_seen_however_long_the_run)
{
    static const int seconds[] = {60, 300, 3600};
    for (int i = 0; i < 3; i++) {
        begin();
        add_two_silent_seconds(seconds[i]);
        struct verdict v = end();
        assert_finding(&v, "NON-STATIONARY");
        const struct finding *f = &v.finding[v.count - 1];
        ck_assert_msg(strstr(f->figure, "from 5.50 to 7.00 s") != NULL, "%s", f->figure);
        ck_assert_ptr_nonnull(strstr(f->figure, "2000.00 ms"));
        ck_assert_ptr_nonnull(strstr(f->advice, "it was not the client"));
    }
}
END_TEST

/* A run of two seconds, in the last of which no request is completed. Requests that wait at the end
 * wait because of the stall, but a backlog from before the stall is an overload. */
START_TEST(a_stall_at_the_end_is_no_overload)
{
    for (int piled_up = 0; piled_up <= 1; piled_up++) {
        begin();
        for (int i = 0; i < 10; i++)
            add_window(5 * NS_PER_MS, 0, piled_up ? 100 * (i + 1) : 5);
        int64_t left = audit.in_system;
        for (int half = 0; half < 2; half++) {
            struct snapshot window = {.offered = 500};
            audit_begin(&audit, NS_PER_SEC + (half + 1) * NS_PER_SEC / 2);
            audit_add(&audit, &window);
            summary.snapshot.offered += 500;
        }
        evidence.arrivals_end_ns = 2 * NS_PER_SEC;
        summary.requests.queued = (uint64_t)left + 1000 - 8;
        summary.requests.in_service = 8;
        for (unsigned i = 0; i < 1000 + (unsigned)left; i++)
            distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], i * NS_PER_MS);
        struct verdict v = end();
        ck_assert_uint_eq(v.count, piled_up ? 2 : 1);
        const struct finding *f = &v.finding[v.count - 1];
        ck_assert_str_eq(f->name, "NON-STATIONARY");
        ck_assert_msg(strstr(f->figure, "from 1.00 to 2.00 s") != NULL, "%s", f->figure);
        ck_assert_ptr_nonnull(strstr(f->advice, "it was not the client"));
    }
}
END_TEST

START_TEST(a_frozen_client_is_seen_at_low_rates)
{
    begin();
    for (int half = 0; half < 600; half++)
        add_half_second(10, 10, half == 200 ? 2 * NS_PER_SEC : 20 * NS_PER_MS,
                        half == 200 ? 2 * NS_PER_SEC : 0);
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 1);
    assert_finding(&v, "NON-STATIONARY");
    ck_assert_ptr_nonnull(strstr(v.finding[0].advice, "it was the client that stood still"));
}
END_TEST

START_TEST(one_slow_request_is_no_stall)
{
    begin();
    for (int half = 0; half < 100; half++)
        if (half >= 50 && half < 54)
            add_half_second(half == 50, 0, 0, 0);
        else
            add_half_second(10, 10 + (half == 54), half == 54 ? 2 * NS_PER_SEC : 20 * NS_PER_MS, 0);
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

/* An M/M/c queue: numbers of requests by the window in which they arrive and end. */
struct simulated {
    int arrived[1200], completed[1200];
};

#define SIMULATED_NS (600 * NS_PER_SEC)

static void simulate(struct simulated *s, unsigned servers, double rate, double service_s,
                     struct rand_stream *stream)
{
    struct queue_sim sim = {.servers = servers};
    *s = (struct simulated){0};
    for (double at = 0; (at += rand_stream_exponential(stream) / rate) < 600;) {
        int64_t arrival_ns = seconds_to_ns(at);
        int64_t service_ns = seconds_to_ns(service_s * rand_stream_exponential(stream));
        int64_t end_ns = queue_sim_serve(&sim, arrival_ns, service_ns) + service_ns;
        s->arrived[2 * arrival_ns / NS_PER_SEC]++;
        if (end_ns < SIMULATED_NS)
            s->completed[2 * end_ns / NS_PER_SEC]++;
        distribution_record(&summary.snapshot.metric[METRIC_RESPONSE], end_ns - arrival_ns);
    }
}

static bool finds_a_stall(const struct simulated *s)
{
    struct snapshot window;
    struct stall stall;
    snapshot_init(&window);
    for (int i = 0; i < 1200; i++) {
        window.offered = (uint64_t)s->arrived[i];
        window.counter[COUNTER_EVENT] = window.metric[METRIC_RESPONSE].count =
            (uint64_t)s->completed[i];
        audit_begin(&audit, (i + 1) * NS_PER_SEC / 2);
        audit_add(&audit, &window);
    }
    snapshot_fini(&window);
    const struct stall_search search = {&audit, &summary.snapshot, INT64_MAX, 0};
    bool found = stall_find(&stall, &search);
    audit_fini(&audit);
    snapshot_fini(&summary.snapshot);
    return found;
}

/* Service times are 0.2 or 1 s on average, so a silence of half a second or more is common. */
START_TEST(queues_that_are_silent_by_nature_do_not_stall)
{
    static struct simulated s;
    struct rand_stream stream;
    rand_stream_init(&stream, 5, 0, 0);
    for (int run = 0; run < 400; run++) {
        double service_s = run % 2 == 0 ? 0.2 : 1;
        unsigned servers = 1 + (unsigned)run % 8 / 2;
        begin();
        simulate(&s, servers, 0.6 * servers / service_s, service_s, &stream);
        ck_assert_msg(!finds_a_stall(&s), "run %d", run);
    }
}
END_TEST

/* The measured part ends in the same window as the warm-up, so all batches are empty. */
START_TEST(a_measured_part_shorter_than_a_window_has_no_batches)
{
    begin();
    for (int i = 0; i < 3; i++)
        add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
    summary.snapshot.from_ns = 260 * NS_PER_MS;
    ck_assert_uint_eq(end().count, 0);
}
END_TEST

START_TEST(a_run_that_was_cut_short_is_not_valid)
{
    for (int cut = CUT_NONE; cut <= CUT_FORCED; cut++) {
        begin();
        settings.time_ns = 60 * NS_PER_SEC;
        evidence.cut = (enum cut)cut;
        evidence.arrivals_end_ns = 20 * NS_PER_SEC;
        for (int i = 0; i < WINDOWS; i++)
            add_window(5 * NS_PER_MS, 10 * NS_PER_US, 5);
        struct verdict v = end();
        ck_assert_uint_eq(v.count, cut != CUT_NONE);
        if (cut == CUT_ERROR)
            ck_assert_str_eq(v.finding[0].figure, "an error ended the run after 20.0 of 60.0 s");
        if (cut != CUT_NONE)
            assert_finding(&v, "CUT-SHORT");
    }
}
END_TEST

RUN_SUITE("verdict", 30, a_steady_run_is_valid, a_late_generator_is_reported,
          lag_counts_against_the_response_time, busy_clients_and_stolen_time_are_reported,
          bursts_are_reported, a_backlog_that_grows_is_an_overload,
          waiting_for_a_frozen_server_does_not_hide_the_backlog,
          requests_left_by_a_drain_are_an_overload, a_run_without_requests_is_not_valid,
          empty_batches_are_no_stall, a_large_but_steady_backlog_is_no_overload,
          dropped_requests_are_an_overload, a_drift_is_not_stationary,
          a_rate_that_changes_may_drift, a_stall_is_blamed_on_client_or_server,
          a_frozen_server_is_seen_however_long_the_run, a_stall_at_the_end_is_no_overload,
          a_frozen_client_is_seen_at_low_rates, one_slow_request_is_no_stall,
          queues_that_are_silent_by_nature_do_not_stall,
          a_measured_part_shorter_than_a_window_has_no_batches,
          a_run_that_was_cut_short_is_not_valid)
