/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a folder that is opened by a second call of the sweep. */
#include <string.h>
#include <unistd.h>

#include "../../capture.h"
#include "../../suite.h"
#include "options/exit_codes.h"
#include "tools/sweep/sweep_internal.h"

#define REPORT(end)                                                                                \
    "{\"schema\": 2, \"tool\": {}, \"config\": {},\n"                                              \
    "\"summary\": {\"end\": " end                                                                  \
    ", \"elapsed_s\": 2, \"counters\": {\"reads\": 6, \"writes\": 3, \"other\": 1}},\n"            \
    "\"intervals\": []}\n"

static char home[] = "/tmp/sysrate-test.XXXXXX";
static struct sweep sweep;

static void begin(const char *values)
{
    sweep = (struct sweep){.folder = "dir", .repeat = 1, .lock_fd = -1, .varied = 1};
    sweep.subject.cmdline.test = "test.lua";
    sweep.vary = xcalloc(1, sizeof(*sweep.vary));
    ck_assert_ptr_null(vary_parse(&sweep.vary[0], values));
    ck_assert_int_eq(sweep_make_points(&sweep), 0);
}

static void open_folder(bool seed_given)
{
    ck_assert_int_eq(sweep_folder_open(&sweep, seed_given), 0);
}

/* Simulates a second call of the program. */
static void start_again(void)
{
    sweep_fini(&sweep);
    begin("a=1,2");
}

static void enter_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home), 0);
    begin("a=1,2");
}

static void leave_folder(void)
{
    static const char *const left[] = {"dir/sweep.plan",   "dir/sweep.prepared", "dir/001-a=1.json",
                                       "dir/002-a=2.json", "dir/other",          "dir"};
    sweep_fini(&sweep);
    for (size_t i = 0; i < ARRAY_SIZE(left); i++)
        remove(left[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(home), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_refused(const char *message)
{
    struct capture capture;
    capture_start(&capture, 0);
    int status = sweep_folder_open(&sweep, false);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(text, message);
    free(text);
}

static void keep(size_t i, const char *report, int code)
{
    ck_assert_int_eq(sweep_keep_report(&sweep.point[i], xstrdup(report), code), 0);
}

START_TEST(a_new_folder_gets_a_plan)
{
    open_folder(false);
    json_t *plan = json_load_file("dir/sweep.plan", 0, NULL), *now = sweep_plan(&sweep);
    ck_assert(json_equal(plan, now));
    json_decref(plan);
    json_decref(now);
    ck_assert_int_eq(sweep.point[0].state, POINT_OPEN);
    ck_assert_ptr_null(sweep.prepared);
}
END_TEST

START_TEST(a_report_is_found_again)
{
    open_folder(false);
    keep(1, REPORT("\"time\""), EXIT_WELL);
    ck_assert_int_eq(sweep.point[1].state, POINT_MEASURED);
    start_again();
    open_folder(false);
    ck_assert_int_eq(sweep.point[0].state, POINT_OPEN);
    ck_assert_int_eq(sweep.point[1].state, POINT_MEASURED);
    const json_t *summary = sweep.point[1].summary;
    ck_assert_double_eq(json_number_value(json_object_get(summary, "statements_total")), 10);
    ck_assert_double_eq(json_number_value(json_object_get(summary, "statements_per_s")), 5);
    ck_assert(json_is_null(json_object_get(summary, "no_op_writes_percent")));
}
END_TEST

/* A negative judgement and an overload are results; a signal, an error and an interruption are
 * not. */
START_TEST(ends_that_count_as_measured)
{
    static const struct {
        const char *report;
        int code;
        bool measured;
    } runs[] = {{REPORT("\"time\""), EXIT_WELL, true},
                {REPORT("\"events\""), EXIT_MISSED, true},
                {REPORT("\"time\""), EXIT_DOUBTFUL, true},
                {REPORT("\"queue_full\""), EXIT_FAILED, true},
                {REPORT("\"forced_shutdown\""), EXIT_FAILED, true},
                {REPORT("\"slo\""), EXIT_FORCED, true},
                {REPORT("\"error\""), EXIT_FAILED, false},
                {REPORT("\"signal\""), EXIT_BY_SIGNAL + 2, false},
                {REPORT("null"), EXIT_WELL, false}};
    open_folder(false);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        keep(0, runs[i].report, runs[i].code);
        ck_assert_msg((sweep.point[0].state == POINT_MEASURED) == runs[i].measured, "run %zu", i);
        ck_assert_msg((access("dir/001-a=1.json", F_OK) == 0) == runs[i].measured, "file %zu", i);
        start_again();
        remove("dir/001-a=1.json");
        open_folder(false);
    }
}
END_TEST

/* Results of different settings must not be in one table. */
START_TEST(another_plan_is_refused)
{
    open_folder(false);
    keep(0, REPORT("\"time\""), EXIT_WELL);
    sweep_fini(&sweep);
    begin("a=1,3");
    check_refused("FATAL: 'dir' has a sweep with another plan: vary was [[\"a\",\"1\",\"2\"]], is "
                  "now [[\"a\",\"1\",\"3\"]] (use another folder for this sweep)\n");
}
END_TEST

START_TEST(a_folder_without_reports_takes_any_plan)
{
    open_folder(false);
    sweep_fini(&sweep);
    begin("a=1,3");
    open_folder(false);
    json_t *plan = json_load_file("dir/sweep.plan", 0, NULL), *now = sweep_plan(&sweep);
    ck_assert(json_equal(plan, now));
    json_decref(plan);
    json_decref(now);
    sweep_fini(&sweep);
    begin("a=1,2");
    write_file("dir/sweep.prepared", "1\n");
    check_refused("FATAL: 'dir' has a sweep with another plan: vary was [[\"a\",\"1\",\"3\"]], is "
                  "now [[\"a\",\"1\",\"2\"]] (use another folder for this sweep)\n");
}
END_TEST

START_TEST(the_seed_of_the_first_start_is_used_again)
{
    sweep.shuffled = true;
    sweep.seed = 5;
    open_folder(false);
    keep(0, REPORT("\"time\""), EXIT_WELL);
    start_again();
    sweep.shuffled = true;
    sweep.seed = 6;
    open_folder(false);
    ck_assert_int_eq(sweep.seed, 5);
    start_again();
    sweep.shuffled = true;
    sweep.seed = 6;
    struct capture capture;
    capture_start(&capture, 0);
    int status = sweep_folder_open(&sweep, true);
    free(capture_end(&capture));
    ck_assert_int_eq(status, -1);
}
END_TEST

START_TEST(a_folder_of_something_else_is_refused)
{
    open_folder(false);
    remove("dir/sweep.plan");
    write_file("dir/other", "");
    start_again();
    check_refused("FATAL: --out=dir is not empty and has no sweep: name a new folder\n");
}
END_TEST

START_TEST(a_damaged_plan_or_report_is_named)
{
    open_folder(false);
    write_file("dir/001-a=1.json", REPORT("null"));
    start_again();
    check_refused("FATAL: cannot use 'dir/001-a=1.json': it has no end of its run "
                  "(\"summary.end\")\n"
                  "FATAL: sweep: remove 'dir/001-a=1.json' to repeat its run\n");
    write_file("dir/sweep.plan", "{");
    start_again();
    struct capture capture;
    capture_start(&capture, 0);
    int status = sweep_folder_open(&sweep, false);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_int_eq(strncmp(text, "FATAL: cannot use 'dir/sweep.plan': ", 36), 0);
    free(text);
}
END_TEST

START_TEST(a_second_sweep_in_the_folder_is_refused)
{
    open_folder(false);
    struct sweep first = sweep;
    begin("a=1,2");
    check_refused("FATAL: another sweep is using 'dir'\n");
    sweep_fini(&sweep);
    sweep = first;
}
END_TEST

START_TEST(the_prepared_point_is_found_again)
{
    open_folder(false);
    ck_assert_int_eq(sweep_note_prepared(&sweep, &sweep.point[1]), 0);
    start_again();
    open_folder(false);
    ck_assert_ptr_eq(sweep.prepared, &sweep.point[1]);
    ck_assert_int_eq(sweep_note_prepared(&sweep, NULL), 0);
    ck_assert_int_eq(sweep_note_prepared(&sweep, NULL), 0);
    start_again();
    open_folder(false);
    ck_assert_ptr_null(sweep.prepared);
}
END_TEST

START_TEST(an_invalid_prepared_number_is_ignored)
{
    static const char *const bad[] = {"3\n", "0\n", "x\n", ""};
    open_folder(false);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        write_file("dir/sweep.prepared", bad[i]);
        start_again();
        open_folder(false);
        ck_assert_ptr_null(sweep.prepared);
    }
}
END_TEST

RUN_SUITE_WITH("sweep_folder", 60, enter_folder, leave_folder, a_new_folder_gets_a_plan,
               a_report_is_found_again, ends_that_count_as_measured, another_plan_is_refused,
               a_folder_without_reports_takes_any_plan, the_seed_of_the_first_start_is_used_again,
               a_folder_of_something_else_is_refused, a_damaged_plan_or_report_is_named,
               a_second_sweep_in_the_folder_is_refused, the_prepared_point_is_found_again,
               an_invalid_prepared_number_is_ignored)
