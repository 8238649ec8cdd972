/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "options/percentiles.h"

static const struct {
    const char *text;
    int count;
    int64_t percentile[3];
} texts[] = {
    {"0", 0, {0}},
    {"0.000", 0, {0}},
    {"95", 1, {95000000}},
    {"095", 1, {95000000}},
    {"100", 1, {100000000}},
    {"100.000000", 1, {100000000}},
    {"0.000001", 1, {1}},
    {"99.999999", 1, {99999999}},
    {"99.9", 1, {99900000}},
    {"50,95,99.9", 3, {50000000, 95000000, 99900000}},
    {"99,50", 2, {99000000, 50000000}},
    {"1,2,3", 3, {1000000, 2000000, 3000000}},
    {"1,2,3,4", -1, {0}}, /* more than `max` percentiles */
    {"", -1, {0}},
    {"0,0", -1, {0}},
    {"50,0", -1, {0}},
    {"50,", -1, {0}},
    {"50,50.0", -1, {0}},
    {"100.000001", -1, {0}},
    {"99.1234567", -1, {0}},
    {"99.0000000", -1, {0}},
    {"1.", -1, {0}},
    {".1", -1, {0}},
    {"1..1", -1, {0}},
    {"-1", -1, {0}},
    {"1e1", -1, {0}},
    {"184467440737095516160", -1, {0}},
};

START_TEST(percentiles_are_parsed_exactly)
{
    int64_t got[4] = {-7, -7, -7, -7};
    int count = percentiles_parse(texts[_i].text, got, 3);
    ck_assert_int_eq(count, texts[_i].count);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(got[i], texts[_i].percentile[i]);
    ck_assert_int_eq(got[3], -7);
}
END_TEST

START_TEST(percentile_names)
{
    static const struct {
        int64_t percentile;
        const char *name;
    } row[] = {
        {0, "0"},           {1, "0.000001"},     {50 * PERCENT, "50"},
        {99900000, "99.9"}, {99990000, "99.99"}, {100 * PERCENT, "100"},
        {12500000, "12.5"},
    };
    char buf[24], small[3];
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++)
        ck_assert_str_eq(percentile_name(row[i].percentile, buf, sizeof(buf)), row[i].name);
    ck_assert_uint_lt(strlen(percentile_name(99900000, small, sizeof(small))), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("percentiles");
    TCase *tcase = tcase_create("percentiles");
    tcase_add_loop_test(tcase, percentiles_are_parsed_exactly, 0, ARRAY_SIZE(texts));
    tcase_add_test(tcase, percentile_names);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
