/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/present.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"
#include "base/log.h"
#include "options/exit_codes.h"

/* An invented result, as if read from files: no run took place. */

static struct settings settings;
static struct result result;
static struct outputs outputs;
static struct presenter presenter;
static struct capture capture;
static bool hook_fails;
static char *printed;
static int code;

static void before(void)
{
    log_set_verbosity(LOG_NOTICE);
    settings = (struct settings){.threads = 1, .percentiles = 1, .percentile = {95 * PERCENT}};
    result = (struct result){.settings = &settings, .ending = {.why = END_EVENTS}};
    snapshot_init(&result.total.snapshot);
    snapshot_init(&result.part.snapshot);
    result.total.elapsed_ns = result.part.elapsed_ns = NS_PER_SEC;
    result.total.snapshot.to_ns = result.part.snapshot.to_ns = NS_PER_SEC;
    presenter = presenter_of(&settings, (struct reported_workload){0}, NULL, &outputs);
}

static void after(void)
{
    free(printed);
    result_fini(&result);
}

static void present(void)
{
    const struct judgement judgement = judgement_of(&result);
    capture_start(&capture, 1);
    code = present_result(&presenter, &result, &judgement);
    printed = capture_end(&capture);
}

/* Asserts that the texts, a list that NULL ends, occur in the output in this order. */
static void assert_order(const char *const *texts)
{
    const char *from = printed;
    for (; *texts != NULL; texts++) {
        const char *found = strstr(from, *texts);
        ck_assert_msg(found != NULL, "no '%s' where it should be in:\n%s", *texts, printed);
        from = found + strlen(*texts);
    }
}

START_TEST(a_closed_loop)
{
    present();
    ck_assert_int_eq(code, EXIT_WELL);
    assert_order((const char *[]){"Throughput:", "Latency (ms):", "Threads fairness:", NULL});
    ck_assert_ptr_null(strstr(printed, "Verdict:"));
    ck_assert_ptr_null(strstr(printed, "Objectives:"));
}
END_TEST

START_TEST(sections_are_in_order)
{
    static const struct injection injection = {.number = 1, .kind = "sh", .text = "true"};
    settings.rate = 100;
    settings.histogram = true;
    slo_parse(&settings.slo, "p99<1ms");
    result.injections = &injection;
    result.injection_count = 1;
    present();
    ck_assert_int_eq(code, EXIT_MISSED);
    assert_order((const char *[]){"Throughput:", "Requests:", "Generator lag",
                                  "Audit:", "Verdict: ", "Objectives: MISSED", "Injections", NULL});
}
END_TEST

/* The layouts of sysbench have no section for the verdict and objectives, so they are logged as
 * warnings. */
START_TEST(a_layout_of_sysbench)
{
    static const struct injection injection = {.number = 1, .kind = "sh", .text = "true"};
    settings.layout = LAYOUT_SYSBENCH_1_1;
    settings.rate = 100;
    slo_parse(&settings.slo, "p99<1ms");
    result.injections = &injection;
    result.injection_count = 1;
    result.ending.failed = true;
    distribution_censor(&result.part.snapshot.metric[METRIC_RESPONSE], NS_PER_SEC);
    present();
    assert_order((const char *[]){"Throughput:", "Latency (ms):", "Threads fairness:",
                                  "requests that did not end",
                                  "verdict CUT-SHORT: ", "objective p99<1ms is missed: ", NULL});
    ck_assert_ptr_null(strstr(printed, "Requests:"));
    ck_assert_ptr_null(strstr(printed, "Audit:"));
    ck_assert_ptr_null(strstr(printed, "Objectives:"));
    ck_assert_ptr_null(strstr(printed, "Injections"));
    ck_assert_ptr_null(strchr(printed, '>'));
}
END_TEST

START_TEST(low_verbosity_suppresses_reports)
{
    log_set_verbosity(LOG_WARNING);
    presenter = presenter_of(&settings, (struct reported_workload){0}, NULL, &outputs);
    settings.rate = 100;
    present();
    ck_assert_str_eq(printed, "");
}
END_TEST

/* Number of JSON allocations. Each value of an interval needs some of them, so this number shows
 * how often the JSON of an interval is created. */

static unsigned allocations;

static void *count_allocation(size_t bytes)
{
    allocations++;
    return malloc(bytes);
}

static unsigned taken, taken_json;

static void take_interval(void *self, const struct interval *interval, const json_t *value)
{
    (void)self, (void)interval;
    taken++;
    taken_json += value != NULL;
}

static void leave(void *self)
{
    (void)self;
}

static const struct output_ops without_json = {.interval = take_interval, .destroy = leave};
static const struct output_ops with_json = {
    .interval = take_interval, .takes_json = true, .destroy = leave};

/* Returns the number of allocations for an interval with these outputs, with a JSON report or
 * without one. */
static unsigned allocations_for(const struct output_ops *const *ops, bool report)
{
    struct interval interval = {.threads_running = 1};
    const struct report_json_run names = {"1", "a.lua", "run", "2026-01-31T23:59:59.123Z"};
    struct outputs some = {0};
    snapshot_init(&interval.snapshot);
    interval.snapshot.to_ns = NS_PER_SEC;
    for (; *ops != NULL; ops++)
        outputs_add(&some, (struct output){*ops, NULL});
    struct report_json *json = report ? report_json_create(&names, &settings) : NULL;
    presenter = presenter_of(&settings, (struct reported_workload){0}, json, &some);
    taken = taken_json = 0;
    capture_start(&capture, 1);
    allocations = 0;
    present_interval(&presenter, &interval);
    const unsigned made = allocations;
    free(capture_end(&capture));
    outputs_fini(&some);
    report_json_destroy(json);
    snapshot_fini(&interval.snapshot);
    return made;
}

START_TEST(json_of_an_interval_is_created_once_if_needed)
{
    json_set_alloc_funcs(count_allocation, free);
    ck_assert_uint_eq(
        allocations_for((const struct output_ops *const[]){&without_json, NULL}, false), 0);
    ck_assert_uint_eq(taken, 1);
    const unsigned once = allocations_for((const struct output_ops *const[]){NULL}, true);
    ck_assert_uint_gt(once, 0);
    ck_assert_uint_eq(
        allocations_for(
            (const struct output_ops *const[]){&with_json, &without_json, &with_json, NULL}, true),
        once);
    ck_assert_uint_eq(taken, 3);
    ck_assert_uint_ge(taken_json, 2);
    ck_assert_uint_gt(allocations_for((const struct output_ops *const[]){&with_json, NULL}, false),
                      0);
    ck_assert_uint_eq(taken_json, 1);
    json_set_alloc_funcs(malloc, free);
}
END_TEST

START_TEST(writes_that_changed_nothing)
{
    uint64_t *count = result.total.snapshot.effects.count[WRITE_UPDATE];
    count[EFFECT_WRITES] = count[EFFECT_UNMATCHED] = 100;
    result.no_op_cause = xstrdup("the rows are not there");
    present();
    assert_order((const char *[]){"Threads fairness:", "100.00% of the writes of kind update",
                                  ": the rows are not there", NULL});
}
END_TEST

static bool own_interval(void *self, const struct interval *interval)
{
    (void)self;
    printf("own interval of %u threads\n", interval->threads_running);
    return true;
}

static bool own_summary(void *self, const struct summary *summary)
{
    (void)self;
    printf("own summary of %g s\n", ns_to_seconds(summary->elapsed_ns));
    return true;
}

static bool has_failed(void *self)
{
    (void)self;
    return hook_fails;
}

static const struct workload_report hooks = {
    .intermediate = own_interval, .cumulative = own_summary, .hook_failed = has_failed};

START_TEST(a_hook_replaces_the_text)
{
    presenter.workload.ops = &hooks;
    settings.rate = 100;
    settings.layout_asked = true;
    present();
    ck_assert_int_eq(code, EXIT_WELL);
    assert_order((const char *[]){"own summary of 1 s", "Requests:", "Verdict:", NULL});
    ck_assert_ptr_null(strstr(printed, "Throughput:"));
}
END_TEST

START_TEST(no_sections_follow_a_hook_in_a_file)
{
    presenter.workload.ops = &hooks;
    settings.rate = 100;
    present();
    ck_assert_int_eq(code, EXIT_WELL);
    assert_order((const char *[]){"own summary of 1 s", "verdict NOTHING-MEASURED: ", NULL});
    ck_assert_ptr_null(strstr(printed, "Requests:"));
    ck_assert_ptr_null(strstr(printed, "Verdict:"));
}
END_TEST

START_TEST(a_hook_replaces_an_interval)
{
    struct interval interval = {.threads_running = 7};
    snapshot_init(&interval.snapshot);
    interval.snapshot.to_ns = NS_PER_SEC;
    presenter.workload.ops = &hooks;
    capture_start(&capture, 1);
    present_interval(&presenter, &interval);
    printed = capture_end(&capture);
    ck_assert_str_eq(printed, "own interval of 7 threads\n");
    snapshot_fini(&interval.snapshot);
}
END_TEST

/* A failed hook is an error, which takes precedence over an objective that was missed. */
START_TEST(a_hook_that_fails)
{
    presenter.workload.ops = &hooks;
    hook_fails = true;
    slo_parse(&settings.slo, "p99<1ms");
    present();
    ck_assert_int_eq(code, EXIT_FAILED);
}
END_TEST

static int cannot_finish(void *self, const struct snapshot *total)
{
    (void)self;
    (void)total;
    return -1;
}

static void destroy_nothing(void *self)
{
    (void)self;
}

START_TEST(an_output_that_fails)
{
    static const struct output_ops ops = {.finish = cannot_finish, .destroy = destroy_nothing};
    outputs_add(&outputs, (struct output){.ops = &ops});
    present();
    ck_assert_int_eq(code, EXIT_FAILED);
}
END_TEST

/* The reporter wakes up a little late. If it is much too late, the label is the real time. */
START_TEST(a_checkpoint_has_the_requested_time)
{
    settings.checkpoints = 1;
    settings.checkpoint_ns[0] = 2 * NS_PER_SEC;
    capture_start(&capture, 1);
    present_checkpoint(&presenter, &result.part, 2050 * NS_PER_MS);
    present_checkpoint(&presenter, &result.part, 2500 * NS_PER_MS);
    printed = capture_end(&capture);
    assert_order(
        (const char *[]){"[ 2s ] Checkpoint report:", "[ 2.5s ] Checkpoint report:", NULL});
}
END_TEST

START_TEST(json_has_the_same_results)
{
    char path[64];
    settings.rate = 100;
    settings.strict = true;
    snprintf(path, sizeof(path), "test_present.%d.json", (int)getpid());
    settings.json_path = path;
    struct report_json_run names = {"1", "test", "run", "now"};
    presenter.json = report_json_create(&names, &settings);
    present();
    ck_assert_int_eq(code, EXIT_DOUBTFUL);
    log_text(LOG_WARNING, "a warning");
    ck_assert_int_eq(present_files(&presenter), 0);
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    json_t *summary = json_object_get(document, "summary");
    unlink(path);
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "exit_code")), EXIT_DOUBTFUL);
    ck_assert_str_eq(json_string_value(json_object_get(summary, "end")), "events");
    ck_assert_ptr_nonnull(json_object_get(summary, "audit"));
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(document, "warnings"), 0)),
                     "a warning");
    json_decref(document);
    report_json_destroy(presenter.json);
}
END_TEST

RUN_SUITE_WITH("present", 60, before, after, a_closed_loop, sections_are_in_order,
               low_verbosity_suppresses_reports, a_layout_of_sysbench, writes_that_changed_nothing,
               json_of_an_interval_is_created_once_if_needed,
               a_hook_replaces_the_text, no_sections_follow_a_hook_in_a_file,
               a_hook_replaces_an_interval, a_hook_that_fails, an_output_that_fails,
               a_checkpoint_has_the_requested_time, json_has_the_same_results)
