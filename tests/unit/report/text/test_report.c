/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact text of header, intervals and summary. */
#include <string.h>

#include "../../report_fixture.h"
#include "../../suite.h"
#include "report/text/report.h"
#include "report/text/report_text.h"

static struct report_format sql_format = {.settings = &settings,
                                          .workload.statements = "SQL statistics"};

START_TEST(header_of_the_defaults)
{
    report_header(out, &settings);
    assert_text("Running the test with following options:\n"
                "Number of threads: 2\n"
                "Initializing random number generator from current time\n"
                "\n"
                "\n");
}
END_TEST

START_TEST(header_with_everything)
{
    settings.warmup_ns = 2 * NS_PER_SEC;
    settings.rate = 2500000;
    settings.report_interval_ns = NS_PER_SEC / 2;
    settings.checkpoints = 3;
    settings.checkpoint_ns[0] = NS_PER_SEC;
    settings.checkpoint_ns[1] = 2500 * NS_PER_MS;
    settings.checkpoint_ns[2] = 86400 * NS_PER_SEC;
    settings.seed_given = true;
    settings.rand.seed = 18446744073709551615u;
    settings.debug = settings.validate = true;
    report_header(out, &settings);
    assert_text("Running the test with following options:\n"
                "Number of threads: 2\n"
                "Warmup time: 2s\n"
                "Target transaction rate: 2500000/sec\n"
                "Report intermediate results every 0.5 second(s)\n"
                "Report checkpoint(s) at 1, 2.5, 86400 seconds\n"
                "Debug mode enabled.\n"
                "\n"
                "Validation checks: on.\n"
                "\n"
                "Initializing random number generator from seed (-1).\n"
                "\n"
                "\n");
}
END_TEST

START_TEST(header_with_a_fractional_rate)
{
    settings.rate = 0.1;
    report_header(out, &settings);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "\nTarget transaction rate: 0.1/sec\n"));
}
END_TEST

START_TEST(header_names_a_trace)
{
    int64_t times_ns[] = {NS_PER_SEC, 1400 * NS_PER_MS};
    char path[] = "times.txt";
    settings.arrivals.kind = ARRIVAL_TRACE;
    settings.rate = 2 / 1.4;
    settings.arrivals.trace = (struct arrival_trace){
        .path = path, .times_ns = times_ns, .count = 2, .last_ns = times_ns[1]};
    report_header(out, &settings);
    fflush(out);
    ck_assert_ptr_nonnull(
        strstr(text, "\nArrival trace: times.txt (2 arrivals in 1.4 s, 1.43/sec on average)\n"));
}
END_TEST

START_TEST(header_rounds_the_mean_of_a_rate_that_changes)
{
    static const struct {
        double mean;
        const char *shown;
    } row[] = {{116.642857142857, "116.64"},
               {1000, "1000"},
               {1e6 / 3, "333333.33"},
               {0.0033333, "0.003333"}};
    settings.rate = row[_i].mean;
    settings.rate_changes = true;
    report_header(out, &settings);
    fflush(out);
    char line[100];
    snprintf(line, sizeof(line),
             "\nTarget transaction rate: %s/sec (mean of a rate that changes)\n", row[_i].shown);
    ck_assert_ptr_nonnull(strstr(text, line));
}
END_TEST

/* Fills the interval: 400 events, 8000 queries, 2 errors in two seconds; response times of 1 and
 * of 5 ms. */
static void fill_interval(int64_t from_ns, int64_t to_ns)
{
    struct snapshot *s = &interval.snapshot;
    s->from_ns = from_ns;
    s->to_ns = to_ns;
    s->counter[COUNTER_EVENT] = 400;
    s->counter[COUNTER_READ] = 5600;
    s->counter[COUNTER_WRITE] = 1601;
    s->counter[COUNTER_OTHER] = 799;
    s->counter[COUNTER_ERROR] = 2;
    s->counter[COUNTER_RECONNECT] = 1;
    record_ms(s, METRIC_RESPONSE, 1, 200);
    record_ms(s, METRIC_RESPONSE, 5, 200);
}

START_TEST(interval_of_events)
{
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,95%): 5.00\n");
}
END_TEST

START_TEST(interval_of_statements)
{
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    report_interval(out, &sql_format, &interval);
    assert_text("[ 10s ] thds: 2 tps: 200.00 qps: 4000.00 (r/w/o: 2800.00/800.50/399.50) "
                "lat (ms,95%): 5.00 err/s: 1.00 reconn/s: 0.50\n");
}
END_TEST

START_TEST(interval_at_a_rate)
{
    settings.rate = 200;
    interval.queue_length = 17;
    interval.concurrency = 2;
    interval.asked_per_s = 200;
    interval.in_system = 1;
    interval.in_system_by_law = 1.4;
    interval.in_system_error = 0.5;
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,95%): 5.00\n"
                "[ 10s ] queue length: 17 concurrency: 2\n"
                "[ 10s ] arrivals/s asked: 200.00 offered: 0.00\n");
    interval.in_system_error = 0.3;
    report_interval(out, &sql_format, &interval);
    assert_text("[ 10s ] thds: 2 tps: 200.00 qps: 4000.00 (r/w/o: 2800.00/800.50/399.50) "
                "lat (ms,95%): 5.00 err/s: 1.00 reconn/s: 0.50\n"
                "[ 10s ] queue length: 17, concurrency: 2\n"
                "[ 10s ] arrivals/s asked: 200.00 offered: 0.00\n");
}
END_TEST

/* A line appears only if requests wait whose response times are not known yet. */
START_TEST(interval_with_a_backlog)
{
    settings.rate = 200;
    interval.in_system = 14.4;
    interval.in_system_by_law = 0.2;
    interval.in_system_error = 0.3;
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,95%): 5.00\n"
                "[ 10s ] queue length: 0 concurrency: 0\n"
                "[ 10s ] arrivals/s asked: 0.00 offered: 0.00\n"
                "[ 10s ] Little's law: 14.40 requests were in the system, but the response times "
                "account for 0.20: the others still wait, and later intervals show how long\n");
    interval.in_system_by_law = 14.2;
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,95%): 5.00\n"
                "[ 10s ] queue length: 0 concurrency: 0\n"
                "[ 10s ] arrivals/s asked: 0.00 offered: 0.00\n");
}
END_TEST

START_TEST(interval_percentiles)
{
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    settings.percentiles = 3;
    settings.percentile[0] = 50 * PERCENT;
    settings.percentile[1] = 95 * PERCENT;
    settings.percentile[2] = 99900000;
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,50/95/99.9%): 1.00/5.00/5.00\n");
    for (int i = 0; i < 100; i++)
        distribution_censor(&interval.snapshot.metric[METRIC_RESPONSE], 2035100000);
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,50/95/99.9%): 5.00/>2035.10/>2035.10\n");
    settings.percentiles = 0;
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,0%): 0.00\n");
}
END_TEST

START_TEST(interval_without_events)
{
    interval.snapshot.from_ns = interval.snapshot.to_ns = NS_PER_SEC;
    report_interval(out, &events_format, &interval);
    assert_text("[ 1s ] thds: 2 eps: 0.00 lat (ms,95%): -\n");
    settings.percentiles = 3;
    settings.percentile[0] = 50 * PERCENT;
    settings.percentile[1] = 95 * PERCENT;
    settings.percentile[2] = 99 * PERCENT;
    report_interval(out, &events_format, &interval);
    assert_text("[ 1s ] thds: 2 eps: 0.00 lat (ms,50/95/99%): -/-/-\n");
    settings.layout = LAYOUT_SYSBENCH_1_1;
    report_interval(out, &events_format, &interval);
    assert_text("[ 1s ] thds: 2 eps: 0.00 lat (ms,50/95/99%): 0.00/0.00/0.00\n");
    settings.layout = LAYOUT_SYSBENCH_1_0;
    report_interval(out, &events_format, &interval);
    assert_text("[ 1s ] thds: 2 eps: 0.00 lat (ms,50/95/99%): 0.00/0.00/0.00\n");
}
END_TEST

static const struct {
    double step, from, to;
    const char *label;
} label_row[] = {
    {10, 0, 10, "[ 10s ]"},
    {0.5, 0, 0.5, "[ 0.5s ]"},
    {0.5, 0.5, 1, "[ 1s ]"},
    {0.25, 1, 1.25, "[ 1.25s ]"},
    {1, 2, 3.0012, "[ 3s ]"}, /* the reporter woke up late, but it is the third interval */
    {1, 2, 2.9988, "[ 3s ]"},
    {1, 2, 3.6, "[ 3s ]"}, /* the reporter was late by 0.6 s */
    {0.5, 0.5, 1.2, "[ 1s ]"},
    {0, 0, 1.00049, "[ 1s ]"},
    {1, 3599, 3600, "[ 3600s ]"},
    {1, 86399, 86400, "[ 86400s ]"},
    {1, 999999, 1000000, "[ 1000000s ]"},
};

START_TEST(interval_labels)
{
    settings.report_interval_ns = seconds_to_ns(label_row[_i].step);
    interval.snapshot.from_ns = seconds_to_ns(label_row[_i].from);
    interval.snapshot.to_ns = seconds_to_ns(label_row[_i].to);
    report_interval(out, &events_format, &interval);
    fflush(out);
    ck_assert_msg(strncmp(text, label_row[_i].label, strlen(label_row[_i].label)) == 0,
                  "%s instead of %s", text, label_row[_i].label);
}
END_TEST

static const struct {
    double step, from, to;
    const char *label;
} rest_row[] = {
    {1, 3, 3.0236, "[ 3.024s ]"}, {1, 3, 3.95, "[ 3.95s ]"},
    {10, 10, 13.5, "[ 13.5s ]"},  {1, 2, 3.01, "[ 3s ]"}, /* the interval was complete */
    {1, 2, 2.99, "[ 3s ]"},       {1, 2, 3.95, "[ 3s ]"},
    {1, 2.06, 3.0236, "[ 3s ]"}, /* the line before it was late */
};

/* sysbench prints no line for an incomplete last interval. */
START_TEST(incomplete_last_interval)
{
    interval.last = true;
    settings.report_interval_ns = seconds_to_ns(rest_row[_i].step);
    interval.snapshot.from_ns = seconds_to_ns(rest_row[_i].from);
    interval.snapshot.to_ns = seconds_to_ns(rest_row[_i].to);
    report_interval(out, &events_format, &interval);
    fflush(out);
    ck_assert_msg(strncmp(text, rest_row[_i].label, strlen(rest_row[_i].label)) == 0,
                  "%s instead of %s", text, rest_row[_i].label);
    ck_assert(!report_leaves_out(&settings, &interval));
    settings.layout = LAYOUT_SYSBENCH_1_1;
    ck_assert_int_eq(report_leaves_out(&settings, &interval),
                     strchr(rest_row[_i].label, '.') != NULL);
}
END_TEST

START_TEST(rates_divide_by_the_real_span)
{
    settings.report_interval_ns = NS_PER_SEC;
    fill_interval(2 * NS_PER_SEC, 3010 * NS_PER_MS);
    report_interval(out, &events_format, &interval);
    assert_text("[ 3s ] thds: 2 eps: 396.04 lat (ms,95%): 5.00\n");
}
END_TEST

START_TEST(summary_of_statements)
{
    fill_summary();
    report_summary(out, &sql_format, &summary);
    assert_text(
        "SQL statistics:\n"
        "    queries performed:\n"
        "        read:                            896238\n"
        "        write:                           253492\n"
        "        other:                           127145\n"
        "        total:                           1276875\n"
        "    transactions:                        63128  (345.35 per sec.)\n"
        "    queries:                             1276875 (6985.22 per sec.)\n"
        "    ignored errors:                      889    (4.86 per sec.)\n"
        "    reconnects:                          0      (0.00 per sec.)\n" THROUGHPUT LATENCY
            FAIRNESS);
}
END_TEST

START_TEST(summary_of_events)
{
    fill_summary();
    report_summary(out, &events_format, &summary);
    assert_text(THROUGHPUT LATENCY FAIRNESS);
}
END_TEST

START_TEST(summary_of_nothing)
{
    report_summary(out, &events_format, &summary);
    assert_text("\n"
                "Throughput:\n"
                "    events/s (eps):                      0.0000\n"
                "    time elapsed:                        0.0000s\n"
                "    total number of events:              0\n"
                "\n"
                "Latency (ms):\n"
                "         min:                                       -\n"
                "         avg:                                       -\n"
                "         max:                                       -\n"
                "         95th percentile:                           -\n"
                "         sum:                                    0.00\n"
                "\n"
                "Threads fairness:\n"
                "    events (avg/stddev):           0.0000/0.00\n"
                "    execution time (avg/stddev):   0.0000/0.00\n"
                "\n");
}
END_TEST

START_TEST(summary_percentiles)
{
    fill_summary();
    settings.percentiles = 3;
    settings.percentile[0] = 50 * PERCENT;
    settings.percentile[1] = 99900000;
    settings.percentile[2] = 100 * PERCENT;
    report_summary(out, &events_format, &summary);
    assert_text(THROUGHPUT "Latency (ms):\n"
                           "         min:                                    1.50\n"
                           "         avg:                                    3.35\n"
                           "         max:                                   20.00\n"
                           "         50th percentile:                        1.50\n"
                           "       99.9th percentile:                       20.00\n"
                           "        100th percentile:                       20.00\n"
                           "         sum:                                  335.00\n"
                           "\n" FAIRNESS);
    settings.percentiles = 0;
    report_summary(out, &events_format, &summary);
    assert_text(THROUGHPUT "Latency (ms):\n"
                           "         min:                                    1.50\n"
                           "         avg:                                    3.35\n"
                           "         max:                                   20.00\n"
                           "         percentile stats:               disabled\n"
                           "         sum:                                  335.00\n"
                           "\n" FAIRNESS);
}
END_TEST

START_TEST(summary_of_very_long_times)
{
    fill_summary();
    summary.snapshot.metric[METRIC_RESPONSE].sum_ns = (unsigned __int128)100000000000u * NS_PER_SEC;
    report_summary(out, &events_format, &summary);
    fflush(out);
    ck_assert_ptr_nonnull(
        strstr(text, "\n         sum:                      100000000000000.00\n"));
}
END_TEST

START_TEST(summary_with_lower_bounds)
{
    fill_summary();
    for (int i = 0; i < 100; i++)
        distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], 2035100000);
    report_summary(out, &events_format, &summary);
    assert_text(THROUGHPUT "Latency (ms):\n"
                           "         min:                                    1.50\n"
                           "         avg:                                >1019.23\n"
                           "         max:                                >2035.10\n"
                           "         95th percentile:                    >2035.10\n"
                           "         sum:                                  335.00\n"
                           "\n" FAIRNESS);
}
END_TEST

/* Programs that read this layout expect numbers without marks. */
START_TEST(lower_bounds_in_a_sysbench_layout)
{
    fill_summary();
    distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], 2035100000);
    settings.layout = LAYOUT_SYSBENCH_1_0;
    report_summary(out, &events_format, &summary);
    report_latency(out, "lat", 2, &settings, &summary.snapshot.metric[METRIC_RESPONSE]);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "         max:                                 2035.10\n"));
    ck_assert_ptr_null(strchr(text, '>'));
}
END_TEST

static void own_throughput(void *arg, FILE *to, const struct summary *of)
{
    (void)arg;
    (void)of;
    fputs("         own\n", to);
}

#define GENERAL                                                                                    \
    "\n"                                                                                           \
    "General statistics:\n"                                                                        \
    "    total time:                          182.7966s\n"                                         \
    "    total number of events:              63128\n"                                             \
    "\n"

START_TEST(layouts_of_the_summary)
{
    static const struct report_format own_format = {.settings = &settings,
                                                    .workload.throughput_figures = own_throughput};
    fill_summary();
    summary.snapshot.counter[COUNTER_DOWN_NS] = 5;
    settings.layout = LAYOUT_SYSBENCH_1_0;
    report_summary(out, &events_format, &summary);
    assert_text(GENERAL LATENCY FAIRNESS);
    report_summary(out, &own_format, &summary);
    assert_text(GENERAL LATENCY FAIRNESS);
    settings.layout = LAYOUT_SYSBENCH_1_1;
    report_summary(out, &events_format, &summary);
    assert_text(THROUGHPUT LATENCY FAIRNESS);
    report_summary(out, &own_format, &summary);
    assert_text("\nThroughput:\n         own\n\n" LATENCY);
    settings.layout = LAYOUT_FULL;
    report_summary(out, &own_format, &summary);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "\nThroughput:\n         own\n    events/s (eps):"));
    ck_assert_ptr_nonnull(strstr(text, FAIRNESS));
    rewind(out);
    memset(text, 0, text_bytes);
    settings.layout = LAYOUT_SYSBENCH_1_0;
    report_summary(out, &sql_format, &summary);
    fflush(out);
    ck_assert_ptr_null(strstr(text, "without connection"));
}
END_TEST

START_TEST(interval_of_a_sysbench_layout)
{
    settings.layout = LAYOUT_SYSBENCH_1_1;
    settings.rate = 200;
    interval.in_system_by_law = 1;
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    interval.snapshot.counter[COUNTER_DOWN_NS] = 5;
    report_interval(out, &events_format, &interval);
    assert_text("[ 10s ] thds: 2 eps: 200.00 lat (ms,95%): 5.00\n"
                "[ 10s ] queue length: 0 concurrency: 0\n");
}
END_TEST

static void own_interval(void *arg, FILE *to, const struct interval *of)
{
    (void)arg;
    (void)of;
    fputs("own", to);
}

START_TEST(interval_of_a_test_with_its_own_figures)
{
    static const struct report_format own_format = {.settings = &settings,
                                                    .workload.interval_figures = own_interval};
    settings.layout = LAYOUT_SYSBENCH_1_0;
    settings.rate = 200;
    fill_interval(8 * NS_PER_SEC, 10 * NS_PER_SEC);
    report_interval(out, &own_format, &interval);
    assert_text("[ 10s ] own\n");
    settings.layout = LAYOUT_FULL;
    report_interval(out, &own_format, &interval);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "[ 10s ] queue length: 0"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, header_of_the_defaults);
    tcase_add_test(tests, header_with_everything);
    tcase_add_test(tests, header_with_a_fractional_rate);
    tcase_add_test(tests, header_names_a_trace);
    tcase_add_loop_test(tests, header_rounds_the_mean_of_a_rate_that_changes, 0, 4);
    tcase_add_test(tests, interval_of_events);
    tcase_add_test(tests, interval_of_statements);
    tcase_add_test(tests, interval_at_a_rate);
    tcase_add_test(tests, interval_with_a_backlog);
    tcase_add_test(tests, interval_percentiles);
    tcase_add_test(tests, interval_without_events);
    tcase_add_loop_test(tests, interval_labels, 0, ARRAY_SIZE(label_row));
    tcase_add_loop_test(tests, incomplete_last_interval, 0, ARRAY_SIZE(rest_row));
    tcase_add_test(tests, layouts_of_the_summary);
    tcase_add_test(tests, lower_bounds_in_a_sysbench_layout);
    tcase_add_test(tests, interval_of_a_sysbench_layout);
    tcase_add_test(tests, interval_of_a_test_with_its_own_figures);
    tcase_add_test(tests, rates_divide_by_the_real_span);
    tcase_add_test(tests, summary_of_statements);
    tcase_add_test(tests, summary_of_events);
    tcase_add_test(tests, summary_of_nothing);
    tcase_add_test(tests, summary_percentiles);
    tcase_add_test(tests, summary_of_very_long_times);
    tcase_add_test(tests, summary_with_lower_bounds);
    suite_add_tcase(suite, tests);

    return suite_run(suite);
}
