/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/near.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

static const char *const names[] = {"oltp_read_only", "oltp_read_write", "oltp_write_only", "cpu",
                                    "memory",         "threads",         "tx-rate",         "time"};

/* Returns the name nearest to `word`, or "" if none is near. */
static const char *meant(const char *word)
{
    struct near near = near_to(word);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        near_offer(&near, names[i]);
    return near.best != NULL ? near.best : "";
}

START_TEST(a_letter_may_be_missing_wrong_or_additional)
{
    ck_assert_str_eq(meant("oltp_readwrite"), "oltp_read_write");
    ck_assert_str_eq(meant("oltp_read_wrute"), "oltp_read_write");
    ck_assert_str_eq(meant("thread"), "threads");
    ck_assert_str_eq(meant("threadss"), "threads");
}
END_TEST

START_TEST(neighbouring_letters_may_be_swapped)
{
    ck_assert_str_eq(meant("cup"), "cpu");
    ck_assert_str_eq(meant("meomry"), "memory");
}
END_TEST

START_TEST(case_and_dashes_do_not_matter)
{
    ck_assert_str_eq(meant("OLTP-Read-Only"), "oltp_read_only");
    ck_assert_str_eq(meant("tx_rate"), "tx-rate");
}
END_TEST

START_TEST(distant_names_are_not_suggested)
{
    ck_assert_str_eq(meant("tpcc"), "");
    ck_assert_str_eq(meant("x"), "");
    ck_assert_str_eq(meant(""), "");
    ck_assert_str_eq(meant("mem"), "");
}
END_TEST

START_TEST(the_nearest_name_is_suggested_and_of_equals_the_first)
{
    struct near near = near_to("abcdef");
    near_offer(&near, "abcxxf");
    near_offer(&near, "abcdxf");
    near_offer(&near, "abcdef2");
    ck_assert_str_eq(near.best, "abcdxf");
    ck_assert_uint_eq(near.distance, 1);
}
END_TEST

START_TEST(a_very_long_word_has_no_suggestion)
{
    char word[1000];
    memset(word, 'a', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    struct near near = near_to(word);
    near_offer(&near, "aaa");
    ck_assert_ptr_null(near.best);
    near = near_to("abc");
    near_offer(&near, word);
    ck_assert_ptr_null(near.best);
}
END_TEST

RUN_SUITE("near", 30, a_letter_may_be_missing_wrong_or_additional,
          neighbouring_letters_may_be_swapped, case_and_dashes_do_not_matter,
          distant_names_are_not_suggested, the_nearest_name_is_suggested_and_of_equals_the_first,
          a_very_long_word_has_no_suggestion)
