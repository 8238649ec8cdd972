/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "options/options.h"

#define ALLOWED_BYTES 256

static const char *no_vowels(const char *value)
{
    return strpbrk(value, "aeiou") == NULL ? NULL : "a text without vowels";
}

static const struct {
    enum option_type type;
    const char *text;
    int64_t integer;
    double number;
} good_numbers[] = {
    {OPTION_INT, "0", 0, 0},
    {OPTION_INT, "-0", 0, 0},
    {OPTION_INT, "007", 7, 7},
    {OPTION_INT, "-9223372036854775808", INT64_MIN, -0x1p63},
    {OPTION_INT, "9223372036854775807", INT64_MAX, 0x1p63},
    {OPTION_INT, "10k", 10000, 10000},
    {OPTION_INT, "1.5M", 1500000, 1500000},
    {OPTION_INT, "-2G", -2000000000, -2e9},
    {OPTION_SECONDS, "500ms", 500000000, 0.5},
    {OPTION_SECONDS, "10m", 600000000000, 600},
    {OPTION_SIZE, "0", 0, 0},
    {OPTION_SIZE, "1000", 1000, 1000},
    {OPTION_SIZE, "64K", 65536, 65536},
    {OPTION_SIZE, "3m", 3 << 20, 3 << 20},
    {OPTION_SIZE, "2G", INT64_C(2) << 30, 0x1p31},
    {OPTION_SIZE, "8388607T", INT64_C(8388607) << 40, 8388607 * 0x1p40},
    {OPTION_DOUBLE, "1e3", 0, 1000},
    {OPTION_DOUBLE, "-2.5", 0, -2.5},
    {OPTION_DOUBLE, ".5", 0, 0.5},
    {OPTION_DOUBLE, "5.", 0, 5},
    {OPTION_DOUBLE, "1.5k", 0, 1500},
    {OPTION_DOUBLE, "-2M", 0, -2e6},
    {OPTION_SECONDS, "0", 0, 0},
    {OPTION_SECONDS, "-0", 0, 0},
    {OPTION_SECONDS, "0.1", 100000000, 0.1},
    {OPTION_SECONDS, "1e-9", 1, 1e-9},
    {OPTION_SECONDS, "1000000000", INT64_C(1000000000000000000), 1e9},
};

START_TEST(numbers_are_parsed)
{
    struct option_spec row = {.type = good_numbers[_i].type};
    struct option_value value;
    char allowed[ALLOWED_BYTES];
    const char *text = good_numbers[_i].text;
    ck_assert_int_eq(option_parse(&row, text, &value, allowed, sizeof(allowed)), 0);
    if (row.type != OPTION_DOUBLE)
        ck_assert_int_eq(value.integer, good_numbers[_i].integer);
    ck_assert(value.number == good_numbers[_i].number);
    ck_assert(!signbit(value.number) || value.number < 0);
    ck_assert_str_eq(value.text, text);
    ck_assert(!value.off && !value.given);
    option_value_fini(&value);
}
END_TEST

#define A_BC OPTION_CHOICES({"a", NULL}, {"bc", NULL})

static const struct {
    struct option_spec row;
    const char *text, *allowed;
} bad_values[] = {
    {{.type = OPTION_INT}, "9223372036854775808", "a whole number (also 1k, 1M, 1G)"},
    {{.type = OPTION_INT}, "-9223372036854775809", "a whole number (also 1k, 1M, 1G)"},
    {{.type = OPTION_INT}, NULL, "a whole number (also 1k, 1M, 1G)"},
    {{.type = OPTION_INT, .min = -INFINITY, .max = 5}, "6", "a whole number (also 1k, 1M, 1G), at most 5"},
    {{.type = OPTION_INT, .min = 1, .max = INFINITY}, "0", "a whole number (also 1k, 1M, 1G), at least 1"},
    {{.type = OPTION_INT, .min = 2, .max = 3}, "4", "a whole number (also 1k, 1M, 1G) from 2 to 3"},
    {{.type = OPTION_INT, .min = -1, .max = 0}, "-2", "a whole number (also 1k, 1M, 1G) from -1 to 0"},
    {{.type = OPTION_SIZE},
     "8388608T",
     "a whole number with an optional suffix K, M, G or T, at least 0"},
    {{.type = OPTION_SIZE},
     "-1",
     "a whole number with an optional suffix K, M, G or T, at least 0"},
    {{.type = OPTION_SIZE, .min = 1000, .max = 0x1p42},
     "999",
     "a whole number with an optional suffix K, M, G or T from 1000 to 4T"},
    {{.type = OPTION_DOUBLE}, "nan", "a number (also 1k, 1M, 1G)"},
    {{.type = OPTION_DOUBLE}, "1.5x", "a number (also 1k, 1M, 1G)"},
    {{.type = OPTION_DOUBLE, .min = 0.5, .max = 1}, "0.4999", "a number from 0.5 to 1"},
    {{.type = OPTION_SECONDS, .min = -5, .max = INFINITY}, "-1", "seconds (also 1ms, 1m, 1h) from 0 to 1000000000"},
    {{.type = OPTION_SECONDS, .max = 9, .off = true}, "on", "off, or seconds (also 1ms, 1m, 1h) from 0 to 9"},
    {{.type = OPTION_SECONDS}, "off", "seconds (also 1ms, 1m, 1h) from 0 to 1000000000"},
    {{.type = OPTION_BOOL}, "", "on or off"},
    {{.type = OPTION_STRING}, NULL, "a text"},
    {{.type = OPTION_STRING, .choices = A_BC}, "b", "one of a, bc"},
    {{.type = OPTION_STRING, .choices = A_BC}, "bcd", "one of a, bc"},
    {{.type = OPTION_STRING, .choices = A_BC}, "", "one of a, bc"},
    {{.type = OPTION_LIST, .choices = A_BC}, "a,d", "a comma-separated list of a, bc"},
    {{.type = OPTION_LIST}, "a,,b", "a comma-separated list without empty members"},
    {{.type = OPTION_FILE}, NULL, "the name of a file"},
    {{.type = OPTION_STRING, .check = no_vowels}, "ba", "a text without vowels"},
    {{.type = OPTION_LIST, .check = no_vowels}, "x,a", "a text without vowels"},
};

START_TEST(bad_values_are_refused_and_leave_the_value)
{
    char mark;
    struct option_value value = {.text = &mark};
    char allowed[ALLOWED_BYTES];
    ck_assert_int_eq(
        option_parse(&bad_values[_i].row, bad_values[_i].text, &value, allowed, sizeof(allowed)),
        -1);
    ck_assert_str_eq(allowed, bad_values[_i].allowed);
    ck_assert_ptr_eq(value.text, &mark);
}
END_TEST

START_TEST(allowed_is_cut_to_its_buffer)
{
    struct option_spec row = {
        .type = OPTION_STRING,
        .choices = OPTION_CHOICES({"alpha", NULL}, {"beta", NULL}, {"gamma", NULL})};
    struct option_value value;
    char allowed[12];
    ck_assert_int_eq(option_parse(&row, "x", &value, allowed, sizeof(allowed)), -1);
    ck_assert_str_eq(allowed, "one of alph");
}
END_TEST

static const struct {
    const char *name;
    bool secret;
} secrets[] = {
    {"mysql-password", true},           {"--pgsql_password=lifetime", true},
    {"mongodb-password-command", true}, {"mysql-password-file", true},
    {"--password-lifetimes", true},     {"--password-lifetime", false},
    {"password_lifetime=10", false},    {"mysql-user", false},
};

START_TEST(options_that_reveal_a_password_are_secret)
{
    ck_assert_int_eq(option_is_secret(secrets[_i].name), secrets[_i].secret);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("option_value");
    TCase *tcase = tcase_create("option_value");
    tcase_add_loop_test(tcase, numbers_are_parsed, 0, ARRAY_SIZE(good_numbers));
    tcase_add_loop_test(tcase, bad_values_are_refused_and_leave_the_value, 0,
                        ARRAY_SIZE(bad_values));
    tcase_add_test(tcase, allowed_is_cut_to_its_buffer);
    tcase_add_loop_test(tcase, options_that_reveal_a_password_are_secret, 0, ARRAY_SIZE(secrets));
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
