/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report hooks: their arguments, their output, and their errors. */
#include "workloads/script/script_report.h"

#include "../../script_fixture.h"
#include "../../suite.h"

static struct settings settings = {.percentiles = 1, .percentile = {95 * PERCENT}};
static struct interval interval;
static struct summary summary;

static void setup_report(void)
{
    setup();
    interval = (struct interval){.threads_running = 3, .queue_length = 4, .concurrency = 2};
    summary = (struct summary){.elapsed_ns = 10 * NS_PER_SEC};
    snapshot_init(&interval.snapshot);
    snapshot_init(&summary.snapshot);
    interval.snapshot.from_ns = 2 * NS_PER_SEC;
    interval.snapshot.to_ns = 3 * NS_PER_SEC;
}

static void teardown_report(void)
{
    snapshot_fini(&interval.snapshot);
    snapshot_fini(&summary.snapshot);
    teardown();
}

static bool report_interval_by_hook(void)
{
    return script_report_intermediate(script, &interval, &settings);
}

START_TEST(without_a_hook_nothing_is_called)
{
    load("sysbench.hooks.report_cumulative = 7");
    ck_assert(!report_interval_by_hook());
    ck_assert(!script_report_cumulative(script, &summary, &settings));
    ck_assert(!script_report_failed(script));
}
END_TEST

START_TEST(figures_of_an_interval_are_in_seconds)
{
    interval.snapshot.counter[COUNTER_EVENT] = 100;
    interval.snapshot.counter[COUNTER_READ] = 7;
    for (int i = 0; i < 4; i++)
        distribution_record(&interval.snapshot.metric[METRIC_RESPONSE], NS_PER_SEC / 2);
    load("function sysbench.hooks.report_intermediate(stat)\n"
         "   assert(stat.events == 100 and stat.reads == 7 and stat.errors == 0)\n"
         "   assert(stat.time_total == 3 and stat.time_interval == 1)\n"
         "   assert(stat.threads_running == 3 and stat.queue_length == 4)\n"
         "   assert(stat.concurrency == 2)\n"
         "   assert(stat.latency_min == 0.5 and stat.latency_max == 0.5)\n"
         "   assert(stat.latency_avg == 0.5 and stat.latency_sum == 2)\n"
         "   assert(math.abs(stat.latency_pct - 0.5) < 0.001)\n"
         "end");
    ck_assert(report_interval_by_hook());
    ck_assert(!script_report_failed(script));
}
END_TEST

START_TEST(the_summary_says_what_is_left)
{
    summary.requests = (struct requests){.queued = 5, .in_service = 6};
    load("function sysbench.hooks.report_cumulative(stat)\n"
         "   assert(stat.time_total == 10 and stat.time_interval == 10)\n"
         "   assert(stat.queue_length == 5 and stat.concurrency == 6)\n"
         "   assert(stat.threads_running == 0)\n"
         "end");
    ck_assert(script_report_cumulative(script, &summary, &settings));
    ck_assert(!script_report_failed(script));
}
END_TEST

static void assert_report_default(const char *interval_line, const char *summary_line)
{
    static const struct option_spec rows[] = {
        {"percentile", OPTION_STRING, "95,99", "", .field = OPTION_NO_FIELD},
        {"report-interval", OPTION_SECONDS, "1", "", .field = OPTION_NO_FIELD},
    };
    struct capture capture;
    ck_assert_int_eq(options_add(options, "General options", rows, ARRAY_SIZE(rows)), 0);
    load("sysbench.hooks.report_intermediate = sysbench.report_default\n"
         "sysbench.hooks.report_cumulative = sysbench.report_default");
    capture_start(&capture, 1);
    bool printed =
        report_interval_by_hook() && script_report_cumulative(script, &summary, &settings);
    char *lines = capture_end(&capture);
    ck_assert(printed);
    ck_assert_int_eq(strncmp(lines, interval_line, strlen(interval_line)), 0);
    ck_assert_str_eq(lines + strlen(interval_line), summary_line);
    free(lines);
}

START_TEST(report_default_is_one_line_for_either_hook)
{
    interval.snapshot.counter[COUNTER_EVENT] = 100;
    interval.snapshot.counter[COUNTER_READ] = 7;
    interval.snapshot.counter[COUNTER_OTHER] = 2;
    summary.snapshot.counter[COUNTER_ERROR] = 5;
    assert_report_default("[ 3s ] thds: 3 tps: 100.00 qps: 9.00 (r/w/o: 7.00/0.00/2.00) "
                          "lat (ms,95%): 0.00 err/s 0.00 reconn/s: 0.00\n",
                          "[ 10s ] thds: 0 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) "
                          "lat (ms,95%): 0.00 err/s 0.50 reconn/s: 0.00\n");
}
END_TEST

START_TEST(an_error_in_a_hook_is_logged_and_kept)
{
    struct capture capture;
    load("function sysbench.hooks.report_intermediate() error('bad', 0) end");
    start_messages(&capture);
    bool called = report_interval_by_hook();
    char *message = capture_end(&capture);
    ck_assert(!called);
    ck_assert_str_eq(message, "FATAL: `report_intermediate' function failed: bad\n");
    free(message);
    ck_assert(script_report_failed(script));
}
END_TEST

RUN_SUITE_WITH("script_report", 30, setup_report, teardown_report, without_a_hook_nothing_is_called,
               figures_of_an_interval_are_in_seconds, the_summary_says_what_is_left,
               report_default_is_one_line_for_either_hook, an_error_in_a_hook_is_logged_and_kept)
