/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "options/quantity.h"

static const struct {
    const char *text;
    double value, plain; /* NAN if no number can be read */
    const char *rest, *plain_rest;
} numbers[] = {
    {"0", 0, 0, "", ""},
    {"12.5x", 12.5, 12.5, "x", "x"},
    {".5", 0.5, 0.5, "", ""},
    {"5.", 5, 5, "", ""},
    {"1.5.2", 1.5, 1.5, ".2", ".2"},
    {"1e3ms", 1000, NAN, "ms", "1e3ms"},
    {"1E-2", 0.01, NAN, "", "1E-2"},
    {"5e", 5, 5, "e", "e"},
    {"1e999", NAN, NAN, "1e999", "1e999"},
    {"1e-999", NAN, NAN, "1e-999", "1e-999"},
    {"", NAN, NAN, "", ""},
    {".", NAN, NAN, ".", "."},
    {"-1", NAN, NAN, "-1", "-1"},
    {"+1", NAN, NAN, "+1", "+1"},
    {" 1", NAN, NAN, " 1", " 1"},
    {"0x10", NAN, NAN, "0x10", "0x10"},
    {"inf", NAN, NAN, "inf", "inf"},
    {"nan", NAN, NAN, "nan", "nan"},
};

static void assert_read(bool (*read)(const char **text, double *value), const char *text,
                        double value, const char *rest)
{
    double got = -7;
    const char *at = text;
    ck_assert_msg(read(&at, &got) == !isnan(value), "'%s'", text);
    ck_assert_msg(got == (isnan(value) ? -7 : value), "'%s': %g", text, got);
    ck_assert_str_eq(at, rest);
}

START_TEST(numbers_are_read)
{
    assert_read(quantity_read, numbers[_i].text, numbers[_i].value, numbers[_i].rest);
    assert_read(quantity_read_plain, numbers[_i].text, numbers[_i].plain, numbers[_i].plain_rest);
}
END_TEST

START_TEST(counts_and_times_have_suffixes)
{
    double value = -7;
    ck_assert(quantity_parse_count("1.5k", &value) && value == 1500);
    ck_assert(quantity_parse_count("-2M", &value) && value == -2e6);
    ck_assert(quantity_parse_count("3G", &value) && value == 3e9);
    ck_assert(quantity_parse_count("7", &value) && value == 7);
    ck_assert(quantity_parse_time("500ms", &value) && value == 0.5);
    ck_assert(quantity_parse_time("10m", &value) && value == 600);
    ck_assert(quantity_parse_time("1.5h", &value) && value == 5400);
    ck_assert(quantity_parse_time("30", &value) && value == 30);
    static const char *const bad_counts[] = {"1K", "1m", "1kk", "1 k", "k", "1T", ""};
    static const char *const bad_times[] = {"1M", "1us", "-1", "1 s", "s", "1d", ""};
    value = -7;
    for (size_t i = 0; i < ARRAY_SIZE(bad_counts); i++)
        ck_assert_msg(!quantity_parse_count(bad_counts[i], &value) && value == -7, "'%s'",
                      bad_counts[i]);
    for (size_t i = 0; i < ARRAY_SIZE(bad_times); i++)
        ck_assert_msg(!quantity_parse_time(bad_times[i], &value) && value == -7, "'%s'",
                      bad_times[i]);
}
END_TEST

START_TEST(a_number_is_the_whole_text)
{
    double value = -7;
    ck_assert(quantity_parse("-2.5e1", &value) && value == -25);
    ck_assert(quantity_parse("-0", &value) && value == 0 && !signbit(value));
    static const char *const bad[] = {"", "-", "--1", "+1", "1 ", "1x", "- 1", "-nan"};
    value = -7;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(!quantity_parse(bad[i], &value) && value == -7, "'%s'", bad[i]);
}
END_TEST

START_TEST(units_are_those_of_the_range)
{
    static const struct {
        const char *text;
        enum time_unit least, most;
        double ns; /* 0 if no unit can be read */
        const char *rest;
    } row[] = {
        {"ns", UNIT_NS, UNIT_S, 1, ""},          {"us:exp", UNIT_NS, UNIT_S, 1e3, ":exp"},
        {"ms", UNIT_NS, UNIT_HOUR, 1e6, ""},     {"m", UNIT_NS, UNIT_S, 0, "m"},
        {"m:5", UNIT_MS, UNIT_HOUR, 60e9, ":5"}, {"h", UNIT_MS, UNIT_HOUR, 3600e9, ""},
        {"us", UNIT_MS, UNIT_HOUR, 0, "us"},     {"", UNIT_NS, UNIT_HOUR, 0, ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        const char *at = row[i].text;
        double ns = 0;
        bool found = quantity_read_unit(&at, row[i].least, row[i].most, &ns);
        ck_assert_msg(found == (row[i].ns > 0) && ns == row[i].ns, "'%s'", row[i].text);
        ck_assert_str_eq(at, row[i].rest);
    }
}
END_TEST

START_TEST(times_are_seconds_without_a_unit)
{
    assert_read(quantity_read_time, "90", 90, "");
    assert_read(quantity_read_time, "500ms:", 0.5, ":");
    assert_read(quantity_read_time, "2m", 120, "");
    assert_read(quantity_read_time, "1.5h", 5400, "");
    assert_read(quantity_read_time, "5us", 5, "us");
    assert_read(quantity_read_time, "1000000000", 1e9, "");
    assert_read(quantity_read_time, "1000000001", NAN, "1000000001");
    assert_read(quantity_read_time, "300000h", NAN, "300000h");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quantity");
    TCase *tcase = tcase_create("quantity");
    tcase_add_loop_test(tcase, numbers_are_read, 0, ARRAY_SIZE(numbers));
    tcase_add_test(tcase, a_number_is_the_whole_text);
    tcase_add_test(tcase, counts_and_times_have_suffixes);
    tcase_add_test(tcase, units_are_those_of_the_range);
    tcase_add_test(tcase, times_are_seconds_without_a_unit);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
