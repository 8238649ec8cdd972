/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/injection.h"

#include "../suite.h"

static struct injection_outcome rows(uint64_t changed, bool gave_rows, uint64_t read)
{
    return (struct injection_outcome){.kind = INJECTION_OUTCOME_ROWS,
                                      .gave_rows = gave_rows,
                                      .rows_changed = changed,
                                      .rows_read = read};
}

static void assert_words(struct injection_outcome outcome, const char *expected)
{
    char words[INJECTION_OUTCOME_BYTES];
    injection_outcome_write(&outcome, words);
    ck_assert_str_eq(words, expected);
}

START_TEST(an_outcome_in_words)
{
    assert_words(rows(0, false, 0), "0 rows changed");
    assert_words(rows(3, false, 0), "3 rows changed");
    assert_words(rows(0, true, 0), "0 rows read");
    assert_words(rows(0, true, 12), "12 rows read");
    assert_words(rows(3, true, 12), "3 rows changed, 12 rows read");
    assert_words(rows(UINT64_MAX, true, UINT64_MAX),
                 "18446744073709551615 rows changed, 18446744073709551615 rows read");
    assert_words((struct injection_outcome){.kind = INJECTION_OUTCOME_NONE}, "");
    assert_words((struct injection_outcome){.kind = INJECTION_OUTCOME_UNKNOWN}, "");
}
END_TEST

static bool is_counted(enum injection_state state, struct injection_outcome outcome)
{
    /* Words of a server are not read. */
    const struct injection i = {.state = state, .output = "5 rows changed", .outcome = outcome};
    return injection_is_counted(&i);
}

START_TEST(the_server_counts_what_changed_rows)
{
    const struct injection_outcome unknown = {.kind = INJECTION_OUTCOME_UNKNOWN};
    const struct injection_outcome none = {.kind = INJECTION_OUTCOME_NONE};
    ck_assert(is_counted(INJECTION_DONE, rows(1, false, 0)));
    ck_assert(is_counted(INJECTION_DONE, rows(1, true, 3)));
    ck_assert(!is_counted(INJECTION_DONE, rows(0, false, 0)));
    ck_assert(!is_counted(INJECTION_DONE, rows(0, true, 3)));
    ck_assert(!is_counted(INJECTION_FAILED, none));
    ck_assert(!is_counted(INJECTION_STOPPED, none));
    ck_assert(is_counted(INJECTION_FAILED, unknown));
    ck_assert(is_counted(INJECTION_LEFT, unknown));
    ck_assert(!is_counted(INJECTION_NOT_STARTED, unknown));
}
END_TEST

RUN_SUITE("injection", 60, an_outcome_in_words, the_server_counts_what_changed_rows)
