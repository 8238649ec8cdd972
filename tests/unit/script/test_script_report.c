/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report hooks: what they are handed, what they can print, and their errors. */
#include "script/script_report.h"

#include "../script_fixture.h"
#include "../suite.h"

static struct settings settings = {.percentiles = 1, .percentile = {95 * PERCENT}};
static struct interval interval;
static struct summary summary;
static int texts, cumulative_texts;

static void setup_report(void)
{
    setup();
    interval = (struct interval){.threads_running = 3, .queue_length = 4, .concurrency = 2};
    summary = (struct summary){.elapsed_ns = 10 * NS_PER_SEC};
    snapshot_init(&interval.snapshot);
    snapshot_init(&summary.snapshot);
    interval.snapshot.from_ns = 2 * NS_PER_SEC;
    interval.snapshot.to_ns = 3 * NS_PER_SEC;
    texts = cumulative_texts = 0;
}

static void teardown_report(void)
{
    snapshot_fini(&interval.snapshot);
    snapshot_fini(&summary.snapshot);
    teardown();
}

static void count_text(void *arg, bool cumulative)
{
    ck_assert_ptr_eq(arg, &texts);
    texts++;
    cumulative_texts += cumulative;
}

static bool report_interval_by_hook(void)
{
    return script_report_intermediate(script, &interval, &settings, count_text, &texts);
}

START_TEST(without_a_hook_nothing_is_called)
{
    load("sysbench.hooks.report_cumulative = 7");
    ck_assert(!report_interval_by_hook());
    ck_assert(!script_report_cumulative(script, &summary, &settings, count_text, &texts));
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
    ck_assert(script_report_cumulative(script, &summary, &settings, count_text, &texts));
    ck_assert(!script_report_failed(script));
}
END_TEST

START_TEST(a_hook_may_print_the_built_in_text)
{
    load("sysbench.hooks.report_intermediate = sysbench.report_default\n"
         "sysbench.hooks.report_cumulative = sysbench.report_default");
    ck_assert(report_interval_by_hook());
    ck_assert_int_eq(texts, 1);
    ck_assert_int_eq(cumulative_texts, 0);
    ck_assert(script_report_cumulative(script, &summary, &settings, count_text, &texts));
    ck_assert_int_eq(texts, 2);
    ck_assert_int_eq(cumulative_texts, 1);
}
END_TEST

START_TEST(outside_a_hook_there_is_no_built_in_text)
{
    struct capture capture;
    load("function sysbench.hooks.report_intermediate() end\n"
         "function call() sysbench.report_default({}, false) end");
    ck_assert(report_interval_by_hook());
    start_messages(&capture);
    call("call");
    char *message = capture_end(&capture);
    ck_assert_str_eq(message,
                     "WARNING: sysbench.report_default() works in a report hook only\n");
    free(message);
    ck_assert_int_eq(texts, 0);
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
               a_hook_may_print_the_built_in_text, outside_a_hook_there_is_no_built_in_text,
               an_error_in_a_hook_is_logged_and_kept)
