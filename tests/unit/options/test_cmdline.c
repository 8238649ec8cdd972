/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "../capture.h"
#include "../suite.h"
#include "base/log.h"
#include "options/cmdline.h"

#define NOWHERE .field = OPTION_NO_FIELD
#define MAX_ARGUMENTS 8

static const struct option_spec general_rows[] = {
    {"threads", OPTION_INT, "1", "threads", NOWHERE},
    {"histogram", OPTION_BOOL, "off", "histogram", NOWHERE},
    {"verbosity", OPTION_INT, "3", "verbosity", 0, 5, NOWHERE},
    {"text", OPTION_STRING, "", "text", NOWHERE},
    {"config-file", OPTION_FILE, .help = "file", NOWHERE},
    {"num-threads", OPTION_INT, .help = "old", .successor = "threads", NOWHERE},
};

static const struct option_spec script_rows[] = {
    {"table_size", OPTION_INT, "10", "rows", NOWHERE},
};

static struct options *set;
static struct cmdline cmd;
static struct capture captured;
static char path[] = "/tmp/sysrate-test-XXXXXX";

static void setup(void)
{
    set = options_create();
    cmd = (struct cmdline){0};
    ck_assert_int_eq(options_add(set, "general", general_rows, ARRAY_SIZE(general_rows)), 0);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    close(mkstemp(path));
    log_set_verbosity(LOG_NOTICE);
}

static void teardown(void)
{
    log_flush();
    cmdline_fini(&cmd);
    options_destroy(set);
    unlink(path);
}

static void write_file(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

/* Collects and applies "sysrate ARGUMENTS"; '@' in an argument is replaced by the configuration
 * file. */
static int run(const char *const *arguments)
{
    static char argv_text[MAX_ARGUMENTS][256];
    char *argv[MAX_ARGUMENTS + 2] = {"sysrate"};
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++) {
        const char *at = strchr(arguments[argc - 1], '@');
        char *copy = argv_text[argc - 1];
        snprintf(copy, sizeof(argv_text[0]), "%.*s%s",
                 at != NULL ? (int)(at - arguments[argc - 1]) : 200, arguments[argc - 1],
                 at != NULL ? path : "");
        argv[argc] = copy;
    }
    return cmdline_collect(&cmd, argc, argv) == 0 ? cmdline_apply(&cmd, set, false) : -1;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

/* Ends the capture; '@' in the expected text is replaced by the configuration file. */
static void assert_logged(const char *expected)
{
    char *text = capture_end(&captured);
    char *found;
    while ((found = strstr(text, path)) != NULL) {
        *found = '@';
        memmove(found + 1, found + strlen(path), strlen(found + strlen(path)) + 1);
    }
    ck_assert_str_eq(text, expected);
    free(text);
}

#define ASSERT_RUN(result, message, ...)                                                           \
    do {                                                                                           \
        capture_start(&captured, 0);                                                               \
        int got_result = RUN(__VA_ARGS__);                                                         \
        assert_logged(message);                                                                    \
        ck_assert_int_eq(got_result, result);                                                      \
    } while (0)

#define ASSERT_FILE(text, result, message, ...)                                                    \
    do {                                                                                           \
        write_file(text, sizeof(text) - 1);                                                        \
        ASSERT_RUN(result, message, __VA_ARGS__);                                                  \
    } while (0)

static void assert_words(const char *test, const char *command)
{
    ck_assert_pstr_eq(cmd.test, test);
    ck_assert_pstr_eq(cmd.command, command);
}

START_TEST(no_options_are_valid)
{
    char *argv[] = {"sysrate", NULL};
    ck_assert_int_eq(cmdline_collect(&cmd, 1, argv), 0);
    assert_words(NULL, NULL);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
}
END_TEST

START_TEST(options_may_be_anywhere)
{
    ASSERT_RUN(0, "", "--threads=4", "oltp", "--histogram", "run", "--text=a=b c");
    assert_words("oltp", "run");
    ck_assert_int_eq(options_int(set, "threads"), 4);
    ck_assert(options_bool(set, "histogram"));
    ck_assert_str_eq(options_string(set, "text"), "a=b c");
}
END_TEST

START_TEST(a_test_without_a_command)
{
    ASSERT_RUN(0, "", "e.lua");
    assert_words("e.lua", NULL);
}
END_TEST

START_TEST(a_lone_dash_is_a_test)
{
    ASSERT_RUN(0, "", "-", "run");
    assert_words("-", "run");
}
END_TEST

START_TEST(a_third_word_is_refused)
{
    ASSERT_RUN(-1, "Unrecognized command line argument: c\n", "a", "b", "c");
}
END_TEST

START_TEST(later_values_win)
{
    ASSERT_RUN(0, "", "--threads=4", "--threads=5");
    ck_assert_int_eq(options_int(set, "threads"), 5);
}
END_TEST

START_TEST(options_of_a_script_wait_for_its_rows)
{
    ASSERT_RUN(0, "", "--table-size=5", "oltp", "--threads=2", "run", "--table_size=6");
    ck_assert_int_eq(options_int(set, "threads"), 2);
    ck_assert_int_eq(options_set(set, "threads", "3"), 0);
    ck_assert_int_eq(options_add(set, "oltp options", script_rows, 1), 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
    ck_assert_int_eq(options_int(set, "table_size"), 6);
    ck_assert_int_eq(options_int(set, "threads"), 3); /* nothing is applied twice */
}
END_TEST

START_TEST(unknown_options_are_invalid_at_the_end)
{
    ASSERT_RUN(0, "", "--table_size=5");
    capture_start(&captured, 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), -1);
    assert_logged("invalid option: --table_size=5\n");
}
END_TEST

START_TEST(unknown_passwords_are_not_echoed)
{
    ASSERT_RUN(0, "", "--xsql-password=secret");
    capture_start(&captured, 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), -1);
    assert_logged("invalid option: --xsql-password\n");
}
END_TEST

START_TEST(single_dashes_are_invalid)
{
    ASSERT_RUN(-1, "invalid option: -x\n", "oltp", "-x", "run");
}
END_TEST

START_TEST(a_bad_value_is_an_error)
{
    ASSERT_RUN(-1, "FATAL: invalid value for --threads: 'x' (allowed: a whole number (also 1k, 1M, 1G))\n",
               "--threads=x");
}
END_TEST

#define TEST_WARNING                                                                               \
    "WARNING: the --test option is deprecated. You can pass a script name or path on the command " \
    "line without any options.\n"

START_TEST(old_test_option)
{
    ASSERT_RUN(0, TEST_WARNING, "--test=a/b.lua", "--threads=2", "run");
    assert_words("a/b.lua", "run");
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
}
END_TEST

START_TEST(old_test_option_without_command)
{
    ASSERT_RUN(0, TEST_WARNING, "--test=-");
    assert_words("-", NULL);
}
END_TEST

START_TEST(old_test_option_next_to_the_test)
{
    ASSERT_RUN(0, TEST_WARNING, "--test=cpu", "cpu", "run");
    assert_words("cpu", "run");
}
END_TEST

START_TEST(old_test_option_takes_one_word)
{
    ASSERT_RUN(-1, TEST_WARNING "Unrecognized command line argument: run\n", "--test=a", "b",
               "run");
}
END_TEST

START_TEST(verbosity_holds_for_warnings)
{
    ASSERT_RUN(0, "", "--test=a", "--num-threads=2", "--verbosity=1");
    ck_assert_int_eq(options_int(set, "threads"), 2);
}
END_TEST

START_TEST(old_names_warn_once)
{
    ASSERT_RUN(0, "WARNING: --num-threads is deprecated, use --threads instead\n",
               "--num-threads=2");
    capture_start(&captured, 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
    log_flush();
    assert_logged("");
}
END_TEST

/* --config-file */

START_TEST(a_file_may_be_untidy)
{
    ASSERT_FILE("\xEF\xBB\xBF# comment\r\n"
                "\r\n"
                "  threads =  4 \r\n"
                "\t# indented comment\n"
                " ; histogram=x\n"
                "--histogram\n"
                "text\t= a = b # c",
                0, "", "--config-file=@");
    ck_assert_int_eq(options_int(set, "threads"), 4);
    ck_assert(options_bool(set, "histogram"));
    ck_assert_str_eq(options_string(set, "text"), "a = b # c");
    ck_assert_str_eq(options_string(set, "config-file"), path);
}
END_TEST

START_TEST(an_empty_value_in_a_file)
{
    ASSERT_FILE("text=\n", 0, "", "--config-file=@");
    ck_assert_str_eq(options_string(set, "text"), "");
    ck_assert(options_get(set, "text")->given);
}
END_TEST

START_TEST(an_empty_file_is_fine)
{
    ASSERT_FILE("", 0, "", "--config_file=@", "oltp", "run");
    assert_words("oltp", "run");
}
END_TEST

START_TEST(the_command_line_wins_over_the_file)
{
    ASSERT_FILE("threads=4\nhistogram=on\n", 0, "", "--threads=2", "--config-file=@");
    ck_assert_int_eq(options_int(set, "threads"), 2);
    ck_assert(options_bool(set, "histogram"));
}
END_TEST

START_TEST(a_file_may_hold_options_of_scripts)
{
    ASSERT_FILE("table_size=77\n", 0, "", "--config-file=@", "oltp", "run");
    ck_assert_int_eq(options_add(set, "oltp options", script_rows, 1), 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
    ck_assert_int_eq(options_int(set, "table-size"), 77);
}
END_TEST

START_TEST(unknown_options_of_a_file_are_ignored_with_a_warning)
{
    ASSERT_FILE("\n\nthrads=77\nthreads=2\n", 0, "", "--config-file=@");
    capture_start(&captured, 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
    assert_logged("WARNING: @:3: ignored, this test has no such option: --thrads=77\n");
    ck_assert_int_eq(options_int(set, "threads"), 2);
}
END_TEST

START_TEST(bad_values_of_a_file_name_the_line)
{
    ASSERT_FILE("# c\nthreads=x\n", -1,
                "FATAL: @:2: invalid value for --threads: 'x' (allowed: a whole number (also 1k, 1M, 1G))\n",
                "--config-file=@");
}
END_TEST

START_TEST(a_name_alone_is_for_booleans)
{
    ASSERT_FILE("threads\n", -1, "FATAL: @:1: --threads needs a value (allowed: a whole number (also 1k, 1M, 1G))\n",
                "--config-file=@");
}
END_TEST

#define MALFORMED ": a line must be name=value, a name alone, or a # or ; comment\n"

START_TEST(lines_without_a_name_are_malformed)
{
    ASSERT_FILE("threads=1\n=4\n", -1, "FATAL: @:2" MALFORMED, "--config-file=@");
}
END_TEST

START_TEST(lines_with_two_names_are_malformed)
{
    ASSERT_FILE("threads 4\n", -1, "FATAL: @:1" MALFORMED, "--config-file=@");
}
END_TEST

START_TEST(lines_of_dashes_are_malformed)
{
    ASSERT_FILE("--\n", -1, "FATAL: @:1" MALFORMED, "--config-file=@");
}
END_TEST

START_TEST(binary_files_are_refused)
{
    ASSERT_FILE("threads=1\n\0\1\2\n", -1, "FATAL: @:2: not a text file\n", "--config-file=@");
}
END_TEST

START_TEST(files_do_not_nest)
{
    ASSERT_FILE("config_file=other\n", -1,
                "FATAL: @:1: --config-file cannot be used in a config file\n", "--config-file=@");
}
END_TEST

START_TEST(a_missing_file_is_an_error)
{
    ASSERT_RUN(-1, "FATAL: cannot read --config-file=/nonexistent: No such file or directory\n",
               "--threads=2", "--config-file=/nonexistent");
}
END_TEST

START_TEST(a_folder_is_no_file)
{
    ASSERT_RUN(-1, "FATAL: cannot read --config-file=/tmp: Is a directory\n", "--config-file=/tmp");
}
END_TEST

START_TEST(a_file_may_name_the_test)
{
    ASSERT_FILE("test=a.lua\n", 0, TEST_WARNING, "--config-file=@", "run");
    assert_words("a.lua", "run");
}
END_TEST

START_TEST(words_win_over_the_test_of_a_file)
{
    ASSERT_FILE("test=a.lua\n", 0, TEST_WARNING, "--config-file=@", "b.lua", "run");
    assert_words("b.lua", "run");
}
END_TEST

START_TEST(the_rest_may_be_declared)
{
    ck_assert_int_eq(RUN("--threads=2", "--a-b=1", "--bare", "--a_b=2", "test", "run"), 0);
    ck_assert_int_eq(cmdline_declare_rest(&cmd, set, "rest"), 0);
    ck_assert_int_eq(cmdline_apply(&cmd, set, true), 0);
    ck_assert_str_eq(options_string(set, "a-b"), "2");
    ck_assert_str_eq(options_string(set, "bare"), "");
    ck_assert_int_eq(options_int(set, "threads"), 2);
}
END_TEST

RUN_SUITE_WITH("cmdline", 30, setup, teardown, no_options_are_valid, options_may_be_anywhere,
               a_test_without_a_command, a_lone_dash_is_a_test, a_third_word_is_refused,
               later_values_win, options_of_a_script_wait_for_its_rows,
               unknown_options_are_invalid_at_the_end, unknown_passwords_are_not_echoed,
               single_dashes_are_invalid, a_bad_value_is_an_error, old_test_option,
               old_test_option_without_command, old_test_option_next_to_the_test,
               old_test_option_takes_one_word, verbosity_holds_for_warnings, old_names_warn_once,
               a_file_may_be_untidy, an_empty_value_in_a_file, an_empty_file_is_fine,
               the_command_line_wins_over_the_file, a_file_may_hold_options_of_scripts,
               unknown_options_of_a_file_are_ignored_with_a_warning,
               bad_values_of_a_file_name_the_line, a_name_alone_is_for_booleans,
               lines_without_a_name_are_malformed, lines_with_two_names_are_malformed,
               lines_of_dashes_are_malformed, binary_files_are_refused, files_do_not_nest,
               a_missing_file_is_an_error, a_folder_is_no_file, a_file_may_name_the_test,
               words_win_over_the_test_of_a_file, the_rest_may_be_declared)
