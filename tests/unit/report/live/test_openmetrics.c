/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of the metrics. In tests/cli/outputs/metrics.sh, Prometheus' own client library reads
 * it. */
#include "../../suite.h"

#include <inttypes.h>
#include <string.h>

#include "report/live/openmetrics.h"

static struct snapshot total;
static char *page;
static size_t bytes;

static void setup(void)
{
    snapshot_init(&total);
}

static void teardown(void)
{
    snapshot_fini(&total);
    free(page);
}

static void print_as(enum metrics_format format, bool timed)
{
    FILE *out = open_memstream(&page, &bytes);
    openmetrics_print(out, format, &total,
                      (struct gauges){.threads_running = 4, .queue_length = 7, .concurrency = 3},
                      timed);
    fclose(out);
}

static void print(bool timed)
{
    print_as(METRICS_OPENMETRICS, timed);
}

/* Asserts that the metrics have a line with exactly this text. */
static void assert_line(const char *text)
{
    char line[256];
    snprintf(line, sizeof(line), "\n%s\n", text);
    ck_assert_msg(strstr(page, line) != NULL, "no line: %s", text);
}

START_TEST(waits_are_seconds_by_event)
{
    static struct wait_names names;
    wait_names_init(&names);
    const unsigned label = wait_names_label(&names, "wait/io/\"x\"");
    struct wait_moment waits = {.names = &names, .labels = names.labels, .sums.samples = 12};
    waits.sums.weight_ns[label] = 1.25 * NS_PER_SEC;
    FILE *out = open_memstream(&page, &bytes);
    openmetrics_print(out, METRICS_OPENMETRICS, &total, (struct gauges){.waits = &waits}, false);
    fclose(out);
    assert_line("# TYPE sysrate_wait_event_seconds counter");
    assert_line("sysrate_wait_event_seconds_total{event=\"wait/io/\\\"x\\\"\"} 1.250000000");
    assert_line("sysrate_wait_event_seconds_total{event=\"on CPU\"} 0.000000000");
    assert_line("sysrate_wait_event_samples_total 12");
    ck_assert_ptr_null(strstr(page, "all locks"));
}
END_TEST

START_TEST(counters_and_gauges_are_whole_numbers)
{
    total.counter[COUNTER_EVENT] = UINT64_C(12345678901234567);
    total.counter[COUNTER_WRITE] = 5;
    total.effects.count[WRITE_UPDATE][EFFECT_UNMATCHED] = 3;
    total.effects.count[WRITE_DELETE][EFFECT_UNCHANGED] = 1;
    total.offered = 11;
    total.dropped = 2;
    print(true);
    assert_line("sysrate_requests_completed_total 12345678901234567");
    assert_line("sysrate_statements_total{kind=\"write\"} 5");
    assert_line("sysrate_no_op_writes_total 4");
    assert_line("sysrate_requests_offered_total 11");
    assert_line("sysrate_requests_dropped_total 2");
    assert_line("sysrate_workers 4");
    assert_line("sysrate_queue 7");
    assert_line("sysrate_busy 3");
    assert_line("# TYPE sysrate_requests_completed counter");
}
END_TEST

START_TEST(quality_figures_have_a_count_and_a_sum)
{
    print(true);
    ck_assert_ptr_null(strstr(page, "quality"));
    free(page);
    *quality_totals_make(total.qualities, "recall") = (struct quality_total){"recall", 4, 0.75, 0};
    print(true);
    assert_line("sysrate_quality_values_total{figure=\"recall\"} 4");
    assert_line("sysrate_quality_values_sum{figure=\"recall\"} 3");
    assert_line("# TYPE sysrate_quality_values_sum gauge");
}
END_TEST

START_TEST(buckets_are_cumulative_and_the_sum_is_exact)
{
    distribution_record(&total.metric[METRIC_RESPONSE], 1);
    distribution_record(&total.metric[METRIC_RESPONSE], 1500 * NS_PER_US);
    distribution_record(&total.metric[METRIC_RESPONSE], 3 * NS_PER_SEC);
    distribution_record(&total.metric[METRIC_RESPONSE], 500 * NS_PER_SEC);
    print(false);
    assert_line("sysrate_response_seconds_bucket{le=\"1e-05\"} 1");
    assert_line("sysrate_response_seconds_bucket{le=\"0.001\"} 1");
    assert_line("sysrate_response_seconds_bucket{le=\"0.002\"} 2");
    assert_line("sysrate_response_seconds_bucket{le=\"2.0\"} 2");
    assert_line("sysrate_response_seconds_bucket{le=\"5.0\"} 3");
    assert_line("sysrate_response_seconds_bucket{le=\"100.0\"} 3");
    assert_line("sysrate_response_seconds_bucket{le=\"+Inf\"} 4");
    assert_line("sysrate_response_seconds_count 4");
    assert_line("sysrate_response_seconds_sum 503.001500001");
}
END_TEST

START_TEST(the_sum_may_take_more_than_64_bits)
{
    total.metric[METRIC_RESPONSE].sum_ns = (unsigned __int128)100000000000u * NS_PER_SEC + 7;
    print(false);
    assert_line("sysrate_response_seconds_sum 100000000000.000000007");
}
END_TEST

START_TEST(a_closed_loop_has_no_queue)
{
    print(false);
    ck_assert_ptr_null(strstr(page, "queue"));
    ck_assert_ptr_null(strstr(page, "offered"));
    ck_assert_str_eq(page + bytes - strlen("\n# EOF\n"), "\n# EOF\n");
}
END_TEST

START_TEST(classic_format_names_families_like_samples)
{
    print_as(METRICS_CLASSIC, true);
    assert_line("# TYPE sysrate_requests_completed_total counter");
    assert_line("# HELP sysrate_requests_completed_total Requests completed.");
    assert_line("# TYPE sysrate_response_seconds histogram");
    ck_assert_ptr_nonnull(strstr(page, "# TYPE sysrate_build_info gauge\n"));
    ck_assert_ptr_null(strstr(page, "# UNIT"));
    ck_assert_ptr_null(strstr(page, "# EOF"));
}
END_TEST

static void add_target(const char *name, uint64_t completed)
{
    struct target_total *target = &total.targets->target[total.targets->count++];
    snprintf(target->name, sizeof(target->name), "%s", name);
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_init(&target->metric[m]);
    target->connections = 2;
    target->lost = 1;
    target->counter[COUNTER_EVENT] = completed;
    target->counter[COUNTER_READ] = 10 * completed;
    target->counter[COUNTER_DOWN_NS] = 1250 * (uint64_t)NS_PER_MS;
    distribution_record(&target->metric[METRIC_RESPONSE], 3 * NS_PER_SEC);
}

START_TEST(each_host_has_its_own_series)
{
    print(true);
    ck_assert_ptr_null(strstr(page, "host"));
    free(page);
    add_target("a:3306", 3);
    add_target("/b \"\\\n.sock", 4);
    print(true);
    assert_line("sysrate_host_requests_completed_total{host=\"a:3306\"} 3\n"
                "sysrate_host_requests_completed_total{host=\"/b \\\"\\\\\\n.sock\"} 4");
    assert_line("sysrate_host_statements_total{host=\"a:3306\",kind=\"read\"} 30");
    assert_line("sysrate_host_connections{host=\"a:3306\"} 2");
    assert_line("sysrate_host_connections_lost{host=\"a:3306\"} 1");
    assert_line("sysrate_host_down_seconds_total{host=\"a:3306\"} 1.250000000");
    assert_line("sysrate_host_response_seconds_bucket{host=\"a:3306\",le=\"5.0\"} 1");
    assert_line("sysrate_host_response_seconds_count{host=\"a:3306\"} 1");
    assert_line("sysrate_host_response_seconds_sum{host=\"a:3306\"} 3.000000000");
    assert_line("sysrate_host_service_seconds_count{host=\"a:3306\"} 0");
    free(page);
    print(false);
    ck_assert_ptr_null(strstr(page, "host_service"));
}
END_TEST

RUN_SUITE_WITH("openmetrics", 30, setup, teardown, waits_are_seconds_by_event,
               counters_and_gauges_are_whole_numbers, quality_figures_have_a_count_and_a_sum,
               buckets_are_cumulative_and_the_sum_is_exact,
               the_sum_may_take_more_than_64_bits, a_closed_loop_has_no_queue,
               classic_format_names_families_like_samples, each_host_has_its_own_series)
