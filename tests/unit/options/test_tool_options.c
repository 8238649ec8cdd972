/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/tool_options.h"

#include <string.h>

#include "../capture.h"
#include "../suite.h"

static const char *check_colour(const char *value)
{
    return strcmp(value, "red") == 0 ? NULL : "red";
}

static const struct option_spec rows[] = {
    {"colour", OPTION_STRING, .help = "of all", .check = check_colour, .field = OPTION_NO_FIELD,
     .argument = "=COLOUR"},
    {"help", OPTION_BOOL, "off", "this", .field = OPTION_NO_FIELD, .argument = ""},
};

static const struct tool_options tool = {"Usage:\n  paint FILE...\n\n", "paint options", rows,
                                         ARRAY_SIZE(rows)};

struct outcome {
    struct tool_call call;
    int code;
    char *said;
};

/* Splits a line, which must be writable, into arguments. */
static struct outcome call(char *line)
{
    static char *argv[16];
    struct outcome o;
    struct capture capture;
    int argc = 0;
    for (char *word; (word = strsep(&line, " ")) != NULL;)
        argv[argc++] = word;
    capture_start(&capture, 1);
    o.code = tool_call_init(&o.call, &tool, argc, argv);
    o.said = capture_end(&capture);
    return o;
}

static void outcome_fini(struct outcome *o)
{
    tool_call_fini(&o->call);
    free(o->said);
}

static void check_refused(const char *line, const char *message)
{
    char *copy = xstrdup(line);
    struct outcome o = call(copy);
    ck_assert_int_eq(o.code, 1);
    ck_assert_str_eq(o.said, message);
    outcome_fini(&o);
    free(copy);
}

START_TEST(files_and_options_mix)
{
    char line[] = "paint a --colour=red - b";
    struct outcome o = call(line);
    ck_assert_int_eq(o.code, -1);
    ck_assert_uint_eq(o.call.files, 3);
    ck_assert_str_eq(o.call.file[0], "a");
    ck_assert_str_eq(o.call.file[1], "-");
    ck_assert_str_eq(o.call.file[2], "b");
    ck_assert_str_eq(options_string(o.call.options, "colour"), "red");
    ck_assert_str_eq(o.said, "");
    outcome_fini(&o);
}
END_TEST

START_TEST(an_empty_command_line_is_valid)
{
    char line[] = "paint";
    struct outcome o = call(line);
    ck_assert_int_eq(o.code, -1);
    ck_assert_uint_eq(o.call.files, 0);
    ck_assert_ptr_null(options_string(o.call.options, "colour"));
    outcome_fini(&o);
}
END_TEST

static void check_help(const char *line)
{
    char *copy = xstrdup(line);
    struct outcome o = call(copy);
    ck_assert_msg(o.code == 0, "%s", line);
    ck_assert_str_eq(o.said, "Usage:\n  paint FILE...\n\n"
                             "paint options:\n"
                             "  --colour=COLOUR of all\n"
                             "  --help          this [off]\n");
    outcome_fini(&o);
    free(copy);
}

/* The current folder has no file with the name "help". */
START_TEST(help_ends_the_tool)
{
    check_help("paint --help a");
    check_help("paint -h");
    check_help("paint a -?");
    check_help("paint -help");
    check_help("paint help");
}
END_TEST

START_TEST(help_after_a_file_is_a_file)
{
    char line[] = "paint a help";
    struct outcome o = call(line);
    ck_assert_int_eq(o.code, -1);
    ck_assert_uint_eq(o.call.files, 2);
    outcome_fini(&o);
}
END_TEST

START_TEST(unknown_options_are_named_with_the_allowed_ones)
{
    check_refused("paint --color=red",
                  "FATAL: paint: invalid option: --color=red (allowed: --colour=COLOUR, --help)\n"
                  "Did you mean --colour?\n");
    check_refused("paint --colour red", "FATAL: --colour needs a value (allowed: a text)\n"
                                        "Options are written with '=': --colour=red\n");
    check_refused("paint a --wet",
                  "FATAL: paint: invalid option: --wet (allowed: --colour=COLOUR, --help)\n");
    check_refused("paint --colour=blue",
                  "FATAL: invalid value for --colour: 'blue' (allowed: red)\n");
}
END_TEST

START_TEST(a_password_is_not_shown)
{
    check_refused("paint --password=x",
                  "FATAL: paint: invalid option: --password (allowed: --colour=COLOUR, --help)\n");
}
END_TEST

/*
 * --test names the test of a run on other command lines; here it is unknown, as any other option.
 */
START_TEST(a_tool_has_no_test)
{
    char line[] = "paint --test=x";
    struct outcome o = call(line);
    ck_assert_int_eq(o.code, 1);
    ck_assert_ptr_nonnull(strstr(o.said, "FATAL: paint: invalid option: --test=x (allowed: "));
    outcome_fini(&o);
}
END_TEST

RUN_SUITE("tool_options", 60, files_and_options_mix, an_empty_command_line_is_valid,
          help_ends_the_tool, help_after_a_file_is_a_file,
          unknown_options_are_named_with_the_allowed_ones, a_password_is_not_shown,
          a_tool_has_no_test)
