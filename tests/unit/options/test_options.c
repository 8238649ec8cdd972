/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "../capture.h"
#include "../suite.h"
#include "base/log.h"
#include "options/cmdline.h"
#include "options/options.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"

static const char *no_vowels(const char *value)
{
    return strpbrk(value, "aeiou") == NULL ? NULL : "a text without vowels";
}

struct fields {
    bool flag;
    int64_t number, size, seconds, shutdown;
    double ratio;
    const char *text, *path;
};

#define AT(name) .field = offsetof(struct fields, name)
#define NOWHERE .field = OPTION_NO_FIELD

static const struct option_spec rows[] = {
    {"flag", OPTION_BOOL, "off", "a flag", AT(flag)},
    {"number", OPTION_INT, "7", "a number", AT(number)},
    {"some_size", OPTION_SIZE, "2K", "a size", AT(size)},
    {"seconds", OPTION_SECONDS, "0.25", "a span", AT(seconds)},
    {"shutdown", OPTION_SECONDS, "off", "a span or off", AT(shutdown), .off = true},
    {"ratio", OPTION_DOUBLE, "1.5", "a ratio", AT(ratio)},
    {"text", OPTION_STRING, .help = "a text", AT(text), .check = no_vowels},
    {"list", OPTION_LIST, "", "a list", NOWHERE},
    {"path", OPTION_FILE, "f", "a path", AT(path)},
    {"my-password", OPTION_STRING, "", "secret", NOWHERE, .check = no_vowels},
    {"other-number", OPTION_INT, .help = "another name of --number", .same_as = "number", NOWHERE},
    {"old-number", OPTION_INT, .help = "old name", .successor = "number", NOWHERE},
    {"gone", OPTION_BOOL, .ignored = true, .successor = "it does that always", NOWHERE},
};

static struct options *set;
static struct capture captured;

static void setup(void)
{
    set = options_create();
    ck_assert_int_eq(options_add(set, "test options", rows, ARRAY_SIZE(rows)), 0);
}

static void teardown(void)
{
    options_destroy(set);
}

static void assert_logged(const char *expected)
{
    char *text = capture_end(&captured);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* Sets an option and compares the result and the messages. */
static void assert_set(const char *name, const char *text, int result, const char *expected)
{
    log_flush();
    capture_start(&captured, 0);
    int got = options_set(set, name, text);
    assert_logged(expected);
    ck_assert_int_eq(got, result);
}

/* Values of a set. */

START_TEST(boolean_words)
{
    static const char *const words[][2] = {
        {"on", "off"}, {"true", "false"}, {"yes", "no"}, {"1", "0"}, {NULL, "off"}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        for (int off = 0; off <= 1; off++) {
            ck_assert_int_eq(options_set(set, "flag", words[i][off]), 0);
            ck_assert_int_eq(options_bool(set, "flag"), !off);
        }
}
END_TEST

START_TEST(lists_are_split)
{
    ck_assert_int_eq(options_set(set, "list", "a b,c,def"), 0);
    char **list = options_get(set, "list")->list;
    ck_assert_str_eq(list[0], "a b");
    ck_assert_str_eq(list[1], "c");
    ck_assert_str_eq(list[2], "def");
    ck_assert_ptr_null(list[3]);
    ck_assert_str_eq(options_string(set, "list"), "a b,c,def");
    ck_assert_int_eq(options_set(set, "list", ""), 0);
    ck_assert_ptr_null(options_get(set, "list")->list);
}
END_TEST

/* Sets of options. */

START_TEST(defaults_hold_until_an_option_is_given)
{
    const struct option_value *number = options_get(set, "number");
    ck_assert_int_eq(number->integer, 7);
    ck_assert(!number->given);
    ck_assert_ptr_null(options_string(set, "text"));
    ck_assert_int_eq(options_set(set, "number", "8"), 0);
    ck_assert_int_eq(number->integer, 8);
    ck_assert(number->given);
}
END_TEST

START_TEST(a_bad_value_keeps_the_old_one)
{
    assert_set("number", "x", -1,
               "FATAL: invalid value for --number: 'x' (allowed: a whole number (also 1k, 1M, 1G))\n");
    ck_assert_int_eq(options_int(set, "number"), 7);
    ck_assert(!options_get(set, "number")->given);
}
END_TEST

START_TEST(dashes_and_underscores_are_the_same)
{
    ck_assert_ptr_eq(options_find(set, "some-size"), &rows[2]);
    ck_assert_ptr_eq(options_find(set, "other_number"), &rows[10]);
    ck_assert_int_eq(options_set(set, "some-size", "1M"), 0);
    ck_assert_int_eq(options_int(set, "some_size"), 1 << 20);
    ck_assert(option_name_is("a_b-c", "a-b_c"));
    ck_assert(!option_name_is("a-b", "a-b-c"));
    ck_assert(!option_name_is("a-b-c", "a-b"));
    ck_assert(!option_name_is("ab", "aB"));
}
END_TEST

START_TEST(unknown_names_are_left_to_the_caller)
{
    ck_assert_ptr_null(options_find(set, "numbe"));
    assert_set("numbe", "1", -1, "");
}
END_TEST

START_TEST(two_names_share_one_value)
{
    assert_set("other-number", "9", 0, "");
    ck_assert_int_eq(options_int(set, "number"), 9);
    ck_assert_ptr_eq(options_get(set, "other-number"), options_get(set, "number"));
}
END_TEST

START_TEST(old_names_warn_and_set_their_successor)
{
    assert_set("old_number", "5", 0, "WARNING: --old-number is deprecated, use --number instead\n");
    ck_assert_int_eq(options_int(set, "number"), 5);
    assert_set("old-number", "", -1,
               "FATAL: invalid value for --old-number: '' (allowed: a whole number (also 1k, 1M, 1G))\n");
}
END_TEST

START_TEST(ignored_options_warn)
{
    assert_set("gone", NULL, 0, "WARNING: --gone is deprecated and ignored: it does that always\n");
}
END_TEST

START_TEST(passwords_are_not_echoed)
{
    assert_set("my_password", "secret", -1,
               "FATAL: invalid value for --my_password (allowed: a text without vowels)\n");
}
END_TEST

START_TEST(messages_stay_on_one_short_line)
{
    char value[300];
    memset(value, 'x', sizeof(value));
    memcpy(value, "a\nb\x1b", 4);
    value[299] = '\0';
    capture_start(&captured, 0);
    ck_assert_int_eq(options_set(set, "number", value), -1);
    char *text = capture_end(&captured);
    ck_assert_ptr_nonnull(strstr(text, "'a?b?xxx"));
    ck_assert_ptr_nonnull(strstr(text, "xxx...' (allowed: a whole number (also 1k, 1M, 1G))\n"));
    ck_assert_uint_lt(strlen(text), 220);
    free(text);
}
END_TEST

START_TEST(messages_name_where)
{
    capture_start(&captured, 0);
    ck_assert_int_eq(options_set_from(set, "flag", "x", "f.conf:3"), -1);
    ck_assert_int_eq(options_set_from(set, "number", NULL, "f.conf:4"), -1);
    assert_logged("FATAL: f.conf:3: invalid value for --flag: 'x' (allowed: on or off)\n"
                  "FATAL: f.conf:4: --number needs a value (allowed: a whole number (also 1k, 1M, 1G))\n");
}
END_TEST

START_TEST(a_name_exists_once)
{
    static const struct option_spec again[] = {{"Flag", OPTION_BOOL, NOWHERE},
                                               {"some-size", OPTION_INT, NOWHERE}};
    capture_start(&captured, 0);
    ck_assert_int_eq(options_add(set, "more options", again, 2), -1);
    assert_logged("FATAL: option --some-size of the more options already exists\n");
}
END_TEST

START_TEST(defaults_must_be_allowed)
{
    static const struct option_spec bad = {"bad", OPTION_INT, "many", NOWHERE};
    capture_start(&captured, 0);
    ck_assert_int_eq(options_add(set, "more options", &bad, 1), -1);
    assert_logged("FATAL: invalid default for --bad: 'many' (allowed: a whole number (also 1k, 1M, 1G))\n");
}
END_TEST

START_TEST(values_do_not_move)
{
    enum { MORE = 100 };
    static struct option_spec more[MORE];
    static char names[MORE][24];
    const struct option_value *number = options_get(set, "number");
    for (int i = 0; i < MORE; i++) {
        snprintf(names[i], sizeof(names[i]), "more-%d", i);
        more[i] = (struct option_spec){.name = names[i], .type = OPTION_INT, NOWHERE};
    }
    ck_assert_int_eq(options_add(set, "more options", more, MORE), 0);
    ck_assert_ptr_eq(options_get(set, "number"), number);
    ck_assert_int_eq(options_set(set, "more_99", "3"), 0);
    ck_assert_int_eq(options_int(set, "more-99"), 3);
    ck_assert_int_eq(options_int(set, "more-98"), 0);
}
END_TEST

START_TEST(rows_may_end_before_the_set)
{
    struct options *other = options_create();
    struct option_spec *row = xcalloc(1, sizeof(*row));
    *row = (struct option_spec){"heap", OPTION_STRING, "value", "on the heap", NOWHERE};
    ck_assert_int_eq(options_add(other, "heap options", row, 1), 0);
    free(row);
    options_destroy(other);
}
END_TEST

START_TEST(fields_are_stored)
{
    struct fields f;
    memset(&f, 0xa5, sizeof(f));
    ck_assert_int_eq(options_set(set, "other-number", "11"), 0);
    ck_assert_int_eq(options_set(set, "flag", "on"), 0);
    options_store(set, rows, ARRAY_SIZE(rows), &f);
    ck_assert(f.flag);
    ck_assert_int_eq(f.number, 11);
    ck_assert_int_eq(f.size, 2048);
    ck_assert_int_eq(f.seconds, NS_PER_SEC / 4);
    ck_assert_int_eq(f.shutdown, -1);
    ck_assert(f.ratio == 1.5);
    ck_assert_ptr_null(f.text);
    ck_assert_str_eq(f.path, "f");
    ck_assert(options_get(set, "shutdown")->off);
}
END_TEST

static void append_name(void *arg, const struct option_spec *row, const struct option_value *value)
{
    ck_assert_ptr_eq(value, options_get(set, row->name));
    strcat(strcat(arg, row->name), " ");
}

static void assert_help(const char *group, bool sorted, const char *expected)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    options_help(set, group, sorted, out);
    fclose(out);
    ck_assert_str_eq(text, expected);
    free(text);
}

static const struct option_spec choice_row = {
    "choice", OPTION_STRING, "a", "which",
    .choices = OPTION_CHOICES({"a", "the first"}, {"bc", NULL}, {"b", "last"}), NOWHERE};

START_TEST(choices_are_counted)
{
    ck_assert_int_eq(options_add(set, "choices", &choice_row, 1), 0);
    ck_assert_uint_eq(options_choice(set, "choice"), 0);
    ck_assert_int_eq(options_set(set, "choice", "b"), 0);
    ck_assert_uint_eq(options_choice(set, "choice"), 2);
    ck_assert_int_eq(options_set(set, "choice", "bc"), 0);
    ck_assert_uint_eq(options_choice(set, "choice"), 1);
    assert_help("choices", false,
                "  --choice=STRING which {a, bc, b}; a: the first; b: last [a]\n");
}
END_TEST

START_TEST(each_visits_rows_with_values_in_order)
{
    char names[256] = "";
    options_each(set, append_name, names);
    ck_assert_str_eq(names, "flag number some_size seconds shutdown ratio text list path "
                            "my-password ");
}
END_TEST

START_TEST(help_is_aligned)
{
    assert_help("test options", false,
                "  --flag[=on|off]      a flag [off]\n"
                "  --number=N           a number [7]\n"
                "  --some_size=SIZE     a size [2K]\n"
                "  --seconds=N          a span [0.25]\n"
                "  --shutdown=STRING    a span or off [off]\n"
                "  --ratio=N            a ratio [1.5]\n"
                "  --text=STRING        a text\n"
                "  --list=[LIST,...]    a list []\n"
                "  --path=FILENAME      a path [f]\n"
                "  --my-password=STRING secret []\n"
                "  --other-number=N     another name of --number\n"
                "  --old-number=N       old name\n");
    assert_help("no such options", true, "");
}
END_TEST

START_TEST(help_is_sorted_by_name)
{
    static const struct option_spec more[] = {{"zeta", OPTION_INT, .help = "z", NOWHERE},
                                              {"alpha", OPTION_BOOL, .help = "a", NOWHERE},
                                              {"hidden", OPTION_BOOL, NOWHERE}};
    ck_assert_int_eq(options_add(set, "more options", more, ARRAY_SIZE(more)), 0);
    assert_help("more options", true, "  --alpha[=on|off] a\n  --zeta=N         z\n");
}
END_TEST

/* The file of bad options, which the command-line tests also use. */

static int apply_argument(char *argument)
{
    char *argv[] = {"sysrate", argument, NULL};
    struct cmdline cmd = {0};
    struct settings settings;
    struct options *general = options_create();
    int result = settings_add_options(general);
    if (cmdline_collect(&cmd, 2, argv) != 0 || cmdline_apply(&cmd, general, false) != 0 ||
        cmdline_apply(&cmd, general, true) != 0 || settings_load(&settings, general) != 0)
        result = -1;
    cmdline_fini(&cmd);
    options_destroy(general);
    return result;
}

/* Old names and --test log a warning before the error; only the last line is compared. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    if (length > 0)
        text[length - 1] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline != NULL ? newline + 1 : text;
}

static void assert_refused(char *argument, const char *expected)
{
    log_flush(); /* otherwise an equal message would only be counted */
    capture_start(&captured, 0);
    int result = apply_argument(argument);
    char *text = capture_end(&captured);
    ck_assert_msg(result == -1, "%s was accepted", argument);
    ck_assert_str_eq(last_line(text), expected);
    free(text);
}

START_TEST(bad_options_are_refused)
{
    char path[4096], line[1024];
    int refused = 0;
    const char *dir = getenv("TESTS_DIR");
    snprintf(path, sizeof(path), "%s/cli/bad_options.txt", dir != NULL ? dir : "tests");
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s; set TESTS_DIR", path);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '#')
            continue;
        char *expected = strchr(line, '\t');
        ck_assert_msg(expected != NULL, "no tab in: %s", line);
        *expected++ = '\0';
        expected[strcspn(expected, "\n")] = '\0';
        assert_refused(line, expected);
        refused++;
    }
    fclose(file);
    ck_assert_int_gt(refused, 150); /* the file exists and is complete */
}
END_TEST

RUN_SUITE_WITH("options", 30, setup, teardown, boolean_words, lists_are_split,
               defaults_hold_until_an_option_is_given, a_bad_value_keeps_the_old_one,
               dashes_and_underscores_are_the_same, unknown_names_are_left_to_the_caller,
               two_names_share_one_value, old_names_warn_and_set_their_successor,
               ignored_options_warn, passwords_are_not_echoed, messages_stay_on_one_short_line,
               messages_name_where, a_name_exists_once, defaults_must_be_allowed,
               values_do_not_move, rows_may_end_before_the_set, fields_are_stored,
               choices_are_counted, each_visits_rows_with_values_in_order, help_is_aligned,
               help_is_sorted_by_name, bad_options_are_refused)
