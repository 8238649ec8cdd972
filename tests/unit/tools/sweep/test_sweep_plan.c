/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../../capture.h"
#include "../../suite.h"
#include "tools/sweep/sweep_internal.h"

static struct sweep sweep;

static void begin(void)
{
    sweep = (struct sweep){.folder = "dir", .repeat = 1, .lock_fd = -1};
    sweep.subject.cmdline.test = "test.lua";
}

static void end(void)
{
    sweep_fini(&sweep);
}

static const char *vary(const char *text)
{
    sweep.vary = xrealloc(sweep.vary, (sweep.varied + 1) * sizeof(*sweep.vary));
    return vary_parse(&sweep.vary[sweep.varied++], text);
}

static void make_points(void)
{
    ck_assert_int_eq(sweep_make_points(&sweep), 0);
    sweep_make_order(&sweep);
}

START_TEST(values_are_split_at_commas)
{
    ck_assert_ptr_null(vary("threads=1,2,16"));
    ck_assert_str_eq(sweep.vary[0].name, "threads");
    ck_assert_uint_eq(sweep.vary[0].count, 3);
    ck_assert_str_eq(sweep.vary[0].value[2], "16");
}
END_TEST

START_TEST(a_value_may_have_commas_and_equal_signs)
{
    ck_assert_ptr_null(vary("rate=0:10\\,5:20,a=b\\c"));
    ck_assert_uint_eq(sweep.vary[0].count, 2);
    ck_assert_str_eq(sweep.vary[0].value[0], "0:10,5:20");
    ck_assert_str_eq(sweep.vary[0].value[1], "a=b\\c");
}
END_TEST

START_TEST(malformed_values_are_refused)
{
    static const char *const bad[] = {"",       "threads",   "threads=",    "=1",     "--threads=1",
                                      "a b=1",  "a,b=1",     "threads=1,1", "a=,1",   "a=1,,2",
                                      "a=1,2,", "threads=,", "a\tb=1",      "a=1,2,1"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(vary(bad[i]) != NULL, "taken: '%s'", bad[i]);
}
END_TEST

START_TEST(the_last_option_varies_fastest)
{
    static const char *const labels[] = {"a=1 b=x", "a=1 b=y", "a=1 b=z",
                                         "a=2 b=x", "a=2 b=y", "a=2 b=z"};
    vary("a=1,2");
    vary("b=x,y,z");
    make_points();
    ck_assert_uint_eq(sweep.count, ARRAY_SIZE(labels));
    ck_assert_uint_eq(sweep.combinations, ARRAY_SIZE(labels));
    for (size_t i = 0; i < sweep.count; i++) {
        ck_assert_str_eq(sweep.point[i].label, labels[i]);
        ck_assert_uint_eq(sweep.order[i], i);
        ck_assert_int_eq(sweep.point[i].state, POINT_OPEN);
    }
    ck_assert_str_eq(sweep_value(&sweep, 4, 0), "2");
    ck_assert_str_eq(sweep_value(&sweep, 4, 1), "y");
}
END_TEST

START_TEST(repeats_of_a_combination_are_consecutive)
{
    vary("a=1,2");
    sweep.repeat = 3;
    make_points();
    ck_assert_uint_eq(sweep.count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(sweep.point[i].combination, i / 3);
        ck_assert_uint_eq(sweep.point[i].turn, i % 3 + 1);
    }
    ck_assert_str_eq(sweep.point[5].label, "a=2 #3");
    ck_assert_str_eq(sweep.point[5].path, "dir/006-a=2-r3.json");
}
END_TEST

START_TEST(repeats_alone)
{
    sweep.repeat = 2;
    make_points();
    ck_assert_uint_eq(sweep.combinations, 1);
    ck_assert_str_eq(sweep.point[1].label, "#2");
    ck_assert_str_eq(sweep.point[1].path, "dir/002-r2.json");
}
END_TEST

/* File names must be valid on any file system, and must not lead out of the folder. */
START_TEST(names_of_files_are_harmless)
{
    char value[512];
    memset(value, 'v', sizeof(value));
    memcpy(value, "a=", 2);
    value[sizeof(value) - 1] = '\0';
    vary("host=../x y,:;\"\x1b\xc3\xa4");
    make_points();
    ck_assert_str_eq(sweep.point[0].path, "dir/001-host=.._x-y.json");
    ck_assert_ptr_null(strchr(sweep.point[1].label, '\x1b'));
    const char *name = strrchr(sweep.point[1].path, '/') + 1;
    ck_assert_str_eq(sweep.point[1].path + strlen("dir/"), name);
    ck_assert_uint_eq(strspn(name, "0123456789-host=_?.jn"), strlen(name));
    end();
    begin();
    vary(value);
    make_points();
    ck_assert_uint_eq(strlen(sweep.point[0].path), strlen("dir/001-.json") + 80);
}
END_TEST

START_TEST(a_shuffled_order_has_each_point_once)
{
    bool seen[180] = {false};
    size_t moved = 0;
    sweep.repeat = 60;
    sweep.shuffled = true;
    sweep.seed = 7;
    ck_assert_ptr_null(vary("threads=1,2,3"));
    make_points();
    for (size_t i = 0; i < 180; i++) {
        ck_assert_uint_lt(sweep.order[i], 180);
        ck_assert(!seen[sweep.order[i]]);
        seen[sweep.order[i]] = true;
        moved += sweep.order[i] != i % 3 * 60 + i / 3;
    }
    ck_assert_uint_gt(moved, 30);
}
END_TEST

/* Five rounds of two runs: seed 5 once gave the order 1222121121. */
START_TEST(each_round_has_every_combination_once)
{
    sweep.repeat = 5;
    sweep.shuffled = true;
    sweep.seed = 5;
    ck_assert_ptr_null(vary("threads=1,2"));
    make_points();
    for (size_t i = 0; i < 10; i++) {
        const struct sweep_point *point = &sweep.point[sweep.order[i]];
        const struct sweep_point *other = &sweep.point[sweep.order[i ^ 1]];
        ck_assert_uint_eq(point->turn, i / 2 + 1);
        ck_assert_uint_ne(point->combination, other->combination);
    }
}
END_TEST

static void copy_order(int64_t seed, size_t order[20])
{
    begin();
    sweep.repeat = 1;
    sweep.shuffled = true;
    sweep.seed = seed;
    ck_assert_ptr_null(vary("threads=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"));
    make_points();
    memcpy(order, sweep.order, 20 * sizeof(*order));
    end();
    begin();
}

START_TEST(the_order_follows_from_the_seed)
{
    size_t one[20], again[20], other[20];
    copy_order(1, one);
    copy_order(1, again);
    copy_order(2, other);
    ck_assert_mem_eq(one, again, sizeof(one));
    ck_assert_mem_ne(one, other, sizeof(one));
}
END_TEST

START_TEST(too_many_runs_are_refused)
{
    struct capture capture;
    vary("a=1,2,3,4,5,6,7,8,9,10,11");
    sweep.repeat = 10000;
    capture_start(&capture, 0);
    int status = sweep_make_points(&sweep);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(text, "FATAL: sweep: more than 100000 runs are not possible\n");
    free(text);
}
END_TEST

static char *plan_text(void)
{
    json_t *plan = sweep_plan(&sweep);
    char *text = json_dumps(plan, JSON_COMPACT);
    json_decref(plan);
    return text;
}

START_TEST(the_plan_has_no_passwords)
{
    char argv[][64] = {"--", "--time=5", "--mysql-password=geheim", "--debug", "t.lua"};
    char *words[] = {argv[0], argv[1], argv[2], argv[3], argv[4]};
    ck_assert_int_eq(cmdline_collect(&sweep.subject.cmdline, 5, words), 0);
    vary("a=1,2");
    sweep.prepare = true;
    char *text = plan_text();
    ck_assert_str_eq(text, "{\"test\":\"t.lua\",\"options\":[\"time=5\",\"debug\"],\"vary\":[[\"a\","
                           "\"1\",\"2\"]],\"repeat\":1,\"prepare\":true,\"cleanup\":false,"
                           "\"seed\":null}");
    free(text);
    sweep.shuffled = true;
    sweep.seed = 9;
    text = plan_text();
    ck_assert_ptr_nonnull(strstr(text, "\"seed\":9}"));
    free(text);
}
END_TEST

RUN_SUITE_WITH("sweep_plan", 60, begin, end, values_are_split_at_commas,
               a_value_may_have_commas_and_equal_signs, malformed_values_are_refused,
               the_last_option_varies_fastest, repeats_of_a_combination_are_consecutive,
               repeats_alone, names_of_files_are_harmless, a_shuffled_order_has_each_point_once,
               each_round_has_every_combination_once, the_order_follows_from_the_seed,
               too_many_runs_are_refused, the_plan_has_no_passwords)
