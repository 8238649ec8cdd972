/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "drivers/rowset.h"

static struct rowset set;

static void reset(void)
{
    memset(&set, 0, sizeof(set));
}
static void fini(void)
{
    rowset_fini(&set);
}

START_TEST(empty_set_has_no_rows)
{
    ck_assert_ptr_null(rowset_fetch(&set));
    rowset_start(&set, 3);
    ck_assert_uint_eq(set.nfields, 3);
    ck_assert_uint_eq(set.nrows, 0);
    ck_assert_ptr_null(rowset_fetch(&set));
}
END_TEST

START_TEST(null_empty_and_binary_stay_apart)
{
    rowset_start(&set, 3);
    rowset_add(&set, NULL, 0);
    rowset_add(&set, "", 0);
    rowset_add(&set, "a\0b", 3);
    rowset_end_row(&set);

    const struct rowset_field *row = rowset_fetch(&set);
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_null(row[0].text);
    ck_assert_ptr_nonnull(row[1].text);
    ck_assert_uint_eq(row[1].length, 0);
    ck_assert_uint_eq(row[2].length, 3);
    ck_assert_mem_eq(row[2].text, "a\0b", 3);
    ck_assert_ptr_null(rowset_fetch(&set));
    ck_assert_ptr_null(rowset_fetch(&set));
}
END_TEST

/* Row i has fields of i and 2i bytes; enough rows to make the memory grow many times. */
static void fill(unsigned rows)
{
    char text[4096];

    memset(text, 'x', sizeof(text));
    rowset_start(&set, 2);
    for (unsigned i = 0; i < rows; i++) {
        rowset_add(&set, text, i);
        rowset_add(&set, text, (size_t)i * 2);
        rowset_end_row(&set);
    }
}

static void assert_filled(unsigned rows)
{
    unsigned wrong = 0;

    ck_assert_uint_eq(set.nrows, rows);
    for (unsigned i = 0; i < rows; i++) {
        const struct rowset_field *row = rowset_fetch(&set);
        ck_assert_ptr_nonnull(row);
        wrong += row[0].length != i || row[1].length != (size_t)i * 2;
        wrong += i > 0 && (row[0].text[i - 1] != 'x' || row[1].text[2 * i - 1] != 'x');
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_ptr_null(rowset_fetch(&set));
}

START_TEST(rows_come_in_order)
{
    fill(2000);
    assert_filled(2000);
}
END_TEST

START_TEST(memory_is_kept_for_the_next_result)
{
    fill(1000);
    size_t room = set.room;
    char *data = set.data;
    rowset_clear(&set);
    ck_assert_uint_eq(set.nfields, 0);
    ck_assert_ptr_null(rowset_fetch(&set));
    fill(1000);
    assert_filled(1000);
    ck_assert_uint_eq(set.room, room);
    ck_assert_ptr_eq(set.data, data);
}
END_TEST

START_TEST(start_forgets_what_was_not_fetched)
{
    fill(10);
    rowset_fetch(&set);
    rowset_start(&set, 5);
    for (int i = 0; i < 5; i++)
        rowset_add(&set, "y", 1);
    rowset_end_row(&set);
    const struct rowset_field *row = rowset_fetch(&set);
    ck_assert_mem_eq(row[4].text, "y", 1);
    ck_assert_ptr_null(rowset_fetch(&set));
    ck_assert_uint_eq(set.nrows, 1);
}
END_TEST

RUN_SUITE_WITH("rowset", 30, reset, fini, empty_set_has_no_rows, null_empty_and_binary_stay_apart,
               rows_come_in_order, memory_is_kept_for_the_next_result,
               start_forgets_what_was_not_fetched)
