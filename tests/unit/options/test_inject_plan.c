/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/inject_plan.h"

#include "../suite.h"
#include "base/util.h"

/* Malformed actions are tested with tests/cli/bad_options.txt. */

START_TEST(words_and_quotes)
{
    char *texts[] = {"1.5s: exec: a  'b c' \"d \\\" e\" f\\ g '' h\"i\"j", NULL};
    static const char *const words[] = {"a", "b c", "d \" e", "f g", "", "hij"};
    struct inject_plan plan;
    ck_assert_ptr_null(inject_plan_check(texts[0]));
    inject_plan_load(&plan, texts);
    ck_assert_uint_eq(plan.count, 1);
    ck_assert_int_eq(plan.actions[0].at_ns, 1500 * NS_PER_MS);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        ck_assert_str_eq(plan.actions[0].argv[i], words[i]);
    ck_assert_ptr_null(plan.actions[0].argv[ARRAY_SIZE(words)]);
    inject_plan_fini(&plan);
}
END_TEST

START_TEST(one_word_of_one_letter)
{
    char *texts[] = {"0:exec:a", NULL};
    struct inject_plan plan;
    inject_plan_load(&plan, texts);
    ck_assert_str_eq(plan.actions[0].argv[0], "a");
    ck_assert_ptr_null(plan.actions[0].argv[1]);
    inject_plan_fini(&plan);
}
END_TEST

START_TEST(in_the_order_of_times)
{
    char *texts[] = {"2m: sql: SELECT ':'", "1s: sh: echo \"a b\"", "2m: exec: b", "500ms: exec: c",
                     NULL};
    struct inject_plan plan;
    inject_plan_load(&plan, texts);
    ck_assert_uint_eq(plan.count, 4);
    ck_assert_str_eq(plan.actions[0].text, "c");
    ck_assert_str_eq(plan.actions[1].argv[1], "-c");
    ck_assert_str_eq(plan.actions[1].argv[2], "echo \"a b\"");
    ck_assert_str_eq(plan.actions[2].text, "SELECT ':'");
    ck_assert_ptr_null(plan.actions[2].argv);
    ck_assert_str_eq(plan.actions[3].text, "b");
    inject_plan_fini(&plan);
}
END_TEST

START_TEST(the_shown_text_is_one_line_without_secrets)
{
    char *texts[] = {"1s: sh: mysql\n\t-psecret", NULL};
    struct inject_plan plan;
    inject_plan_load(&plan, texts);
    ck_assert_str_eq(plan.actions[0].shown, "mysql  -p***");
    ck_assert_str_eq(plan.actions[0].text, "mysql\n\t-psecret");
    inject_plan_fini(&plan);
}
END_TEST

RUN_SUITE("inject_plan", 10, words_and_quotes, one_word_of_one_letter, in_the_order_of_times,
          the_shown_text_is_one_line_without_secrets)
