/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "result/verdict.h"

/* Verdicts on closed loops, built of 100 windows of half a second. */

#define WINDOWS 100
#define WINDOW_NS (NS_PER_SEC / 2)

static struct settings settings;
static struct summary summary;
static struct audit audit;
static struct evidence evidence;

static void begin(unsigned threads)
{
    settings =
        (struct settings){.threads = threads, .percentiles = 1, .percentile = {99 * PERCENT}};
    summary = (struct summary){0};
    audit = (struct audit){0};
    snapshot_init(&summary.snapshot);
    evidence = (struct evidence){.settings = &settings,
                                 .summary = &summary,
                                 .audit = &audit,
                                 .arrivals_end_ns = WINDOWS * WINDOW_NS,
                                 .client_cpu = 0.1,
                                 .worker_cpu = -1};
}

/* Adds a window in which `completed` events end. All workers are in an event at its end. */
static void add_window(int completed, int64_t response_ns, int64_t late_ns)
{
    struct snapshot window;
    snapshot_init(&window);
    for (int i = 0; i < completed; i++)
        distribution_record(&window.metric[METRIC_RESPONSE], response_ns + i * 10);
    window.counter[COUNTER_EVENT] = (uint64_t)completed;
    window.to_ns = (int64_t)(audit.count + 1) * WINDOW_NS;
    audit_begin(&audit, window.to_ns);
    audit_add(&audit, &window);
    audit_note(&audit, (unsigned)settings.threads, late_ns);
    snapshot_add(&summary.snapshot, &window);
    snapshot_fini(&window);
}

static struct verdict end(void)
{
    summary.requests.offered = summary.snapshot.counter[COUNTER_EVENT];
    struct verdict v = verdict_of(&evidence);
    audit_fini(&audit);
    snapshot_fini(&summary.snapshot);
    return v;
}

static void assert_only(const struct verdict *v, const char *name, const char *figure)
{
    ck_assert_uint_eq(v->count, 1);
    ck_assert_str_eq(v->finding[0].name, name);
    ck_assert_msg(strstr(v->finding[0].figure, figure) != NULL, "%s", v->finding[0].figure);
}

START_TEST(a_steady_loop_is_valid)
{
    begin(4);
    for (int i = 0; i < WINDOWS; i++)
        add_window(100, 5 * NS_PER_MS, NS_PER_MS);
    struct verdict v = end();
    ck_assert_msg(v.count == 0, "%s: %s", v.finding[0].name, v.finding[0].figure);
}
END_TEST

/* The stall lasts from 20 to 22 s, with a single worker or with eight. */
START_TEST(a_stall_is_blamed_on_client_or_server)
{
    for (unsigned threads = 1; threads <= 8; threads *= 8)
        for (int client = 0; client <= 1; client++) {
            begin(threads);
            for (int i = 0; i < WINDOWS; i++) {
                if (i == 44) /* the end of the stall */
                    add_window((int)threads, 2 * NS_PER_SEC, client ? 3 * NS_PER_SEC / 2 : 0);
                else
                    add_window(i >= 40 && i < 44 ? 0 : 100, NS_PER_MS, 0);
            }
            struct verdict v = end();
            assert_only(&v, "NON-STATIONARY",
                        threads == 1 ? "while 1 worker waited" : "while 8 workers waited");
            ck_assert_ptr_nonnull(strstr(v.finding[0].figure, "from 20.0 to 22.0 s"));
            ck_assert_ptr_nonnull(strstr(v.finding[0].advice, client ? "the client that stood still"
                                                                     : "It was not the client"));
        }
}
END_TEST

/* Events end before and after the stall of the client, so only the reporter notices it. */
START_TEST(a_stalled_client_is_reported)
{
    begin(2);
    for (int i = 0; i < WINDOWS; i++)
        add_window(100, NS_PER_MS, i == 40 ? 3 * NS_PER_SEC : 0);
    struct verdict v = end();
    assert_only(&v, "NON-STATIONARY", "between 17.5 and 20.5 s the client itself was late");
}
END_TEST

/* Three of four windows are silent, and one of these silences is the longest. */
START_TEST(events_that_often_take_long_are_no_stall)
{
    for (int often = 0; often <= 1; often++) {
        begin(1);
        for (int i = 0; i < WINDOWS; i++)
            add_window(i == 50 || i == 51 || i == 52 || (often && i % 4 > 0) ? 0 : 1000, NS_PER_MS,
                       0);
        ck_assert_uint_eq(end().count, !often);
    }
}
END_TEST

START_TEST(a_limited_client_is_reported)
{
    static const struct {
        double worker_cpu, steal, client_cpu;
        int64_t span_ns;
        const char *figure;
    } row[] = {
        {0.95, 0, 0.2, 50 * NS_PER_SEC, "used 95 %"},
        {0.5, 0.2, 0.2, 50 * NS_PER_SEC, "20 % of the CPU time was taken away"},
        {-1, 0, 1, 50 * NS_PER_SEC, NULL}, /* there is no server: all work is the client's own */
        {0.95, 0.2, 0.2, NS_PER_SEC / 2, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        begin(4);
        evidence.worker_cpu = row[i].worker_cpu;
        evidence.steal = row[i].steal;
        evidence.client_cpu = row[i].client_cpu;
        evidence.arrivals_end_ns = row[i].span_ns;
        for (int n = 0; n < WINDOWS; n++)
            add_window(100, 5 * NS_PER_MS, 0);
        struct verdict v = end();
        if (row[i].figure != NULL)
            assert_only(&v, "CLIENT-LIMITED", row[i].figure);
        else
            ck_assert_uint_eq(v.count, 0);
    }
}
END_TEST

START_TEST(a_loop_without_events_is_not_valid)
{
    begin(4);
    evidence.cut = CUT_ERROR;
    struct verdict v = end();
    ck_assert_uint_eq(v.count, 2);
    ck_assert_str_eq(v.finding[0].name, "CUT-SHORT");
    ck_assert_str_eq(v.finding[1].name, "NOTHING-MEASURED");
}
END_TEST

/* Simulates workers that each execute one event after the other for 600 s, with exponential service
 * times. Returns true if the verdict has a finding. */
static bool finds_anything(unsigned threads, double service_s, struct rand_stream *stream)
{
    static int completed[1200];
    static int64_t longest_ns[1200];
    memset(completed, 0, sizeof(completed));
    memset(longest_ns, 0, sizeof(longest_ns));
    begin(threads);
    evidence.arrivals_end_ns = 600 * NS_PER_SEC;
    for (unsigned worker = 0; worker < threads; worker++)
        for (double at = 0, service = 0; at < 600; at += service) {
            if (service > 0) {
                const size_t window = (size_t)(2 * at);
                const int64_t service_ns = seconds_to_ns(service);
                completed[window]++;
                longest_ns[window] = max_i64(longest_ns[window], service_ns);
                distribution_record(&summary.snapshot.metric[METRIC_RESPONSE], service_ns);
            }
            service = service_s * rand_stream_exponential(stream);
        }
    for (size_t i = 0; i < ARRAY_SIZE(completed); i++) {
        struct snapshot window = {.counter = {[COUNTER_EVENT] = (uint64_t)completed[i]}};
        window.metric[METRIC_RESPONSE].max_ns = longest_ns[i];
        audit_begin(&audit, (int64_t)(i + 1) * WINDOW_NS);
        audit_add(&audit, &window);
        audit_note(&audit, threads, 0);
    }
    summary.snapshot.counter[COUNTER_EVENT] = 1;
    summary.snapshot.to_ns = 600 * NS_PER_SEC;
    return end().count > 0;
}

/*
 * A silence of five times the p99 of the other service times needs a service time this long. A run
 * has about 600 to 12 000 exponential service times, of which each is this long with a probability
 * of 100⁻⁵, so the probability is less than 10⁻³ for 400 runs together. The means of windows do not
 * matter here: their sums are 0.
 */
START_TEST(services_that_vary_do_not_stall)
{
    struct rand_stream stream;
    rand_stream_init(&stream, 7, 0, 0);
    for (int run = 0; run < 400; run++)
        ck_assert_msg(!finds_anything(1 + (unsigned)run % 4, run % 8 < 4 ? 0.2 : 1, &stream),
                      "run %d", run);
}
END_TEST

RUN_SUITE("verdict_closed", 30, a_steady_loop_is_valid, a_stall_is_blamed_on_client_or_server,
          a_stalled_client_is_reported, events_that_often_take_long_are_no_stall,
          a_limited_client_is_reported, a_loop_without_events_is_not_valid,
          services_that_vary_do_not_stall)
