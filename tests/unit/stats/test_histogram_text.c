/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../suite.h"

#include "stats/histogram_text.h"

static FILE *out;
static char *text;
static size_t text_bytes;

static void setup(void)
{
    out = open_memstream(&text, &text_bytes);
}

static void teardown(void)
{
    fclose(out);
    free(text);
}

static void assert_rows(const double *values, const uint64_t *counts, unsigned n,
                        const char *expected)
{
    histogram_text_rows(out, values, counts, n);
    fflush(out);
    ck_assert_str_eq(text, expected);
}

START_TEST(bars_are_shares_of_the_largest)
{
    const double values[] = {1, 2.0691, 10, 100, 1000};
    const uint64_t counts[] = {80, 0, 1, 2, 41};
    assert_rows(values, counts, 5,
                "       value  ------------- distribution ------------- count\n"
                "       1.000 |**************************************** 80\n"
                "      10.000 |*                                        1\n"
                "     100.000 |*                                        2\n"
                "    1000.000 |*********************                    41\n");
}
END_TEST

START_TEST(nothing_is_printed_if_all_are_empty)
{
    const double values[] = {1, 10};
    const uint64_t counts[] = {0, 0};
    assert_rows(values, counts, 2, "");
    assert_rows(values, counts, 0, "");
}
END_TEST

RUN_SUITE_WITH("histogram_text", 30, setup, teardown, bars_are_shares_of_the_largest,
               nothing_is_printed_if_all_are_empty)
