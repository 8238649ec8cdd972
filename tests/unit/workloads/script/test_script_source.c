/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where tests are searched, and how their text is read. */
#include "workloads/script/script_source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../capture.h"
#include "../../suite.h"
#include "base/log.h"
#include "base/util.h"

static char folder[PATH_MAX];
static struct script_source source;

/* The tests run in an empty folder. */
static void setup(void)
{
    strcpy(folder, "test_script_source.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    unsetenv("LUA_PATH");
    source = (struct script_source){0};
}

static void teardown(void)
{
    script_source_fini(&source);
    unlink("a.lua");
    unlink("b");
    unlink("sub/c.lua");
    rmdir("sub");
    ck_assert_int_eq(chdir(".."), 0);
    rmdir(folder);
}

static void write_file(const char *path, const char *text, size_t bytes)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, bytes, out), bytes);
    fclose(out);
}

static void assert_found(const char *test, const char *path, const char *text)
{
    ck_assert_int_eq(script_source_init(&source, test), 0);
    ck_assert_str_eq(source.test, test);
    ck_assert_str_eq(source.path, path);
    ck_assert_uint_eq(source.text_bytes, strlen(text));
    ck_assert_mem_eq(source.text, text, strlen(text));
    script_source_fini(&source);
    source = (struct script_source){0};
}

START_TEST(a_file_comes_before_a_module)
{
    write_file("b", "file", 4);
    write_file("a.lua", "module", 6);
    assert_found("b", "b", "file");
    assert_found("./b", "./b", "file");
    assert_found("a", "./a.lua", "module");
    assert_found("a.lua", "a.lua", "module");
}
END_TEST

START_TEST(modules_are_found_in_lua_path)
{
    ck_assert_int_eq(mkdir("sub", 0700), 0);
    write_file("sub/c.lua", "return", 6);
    ck_assert_int_eq(setenv("LUA_PATH", "sub/?.lua", 1), 0);
    assert_found("c", "sub/c.lua", "return");
}
END_TEST

START_TEST(a_folder_is_no_test)
{
    struct capture capture;
    ck_assert_int_eq(mkdir("sub", 0700), 0);
    log_flush();
    capture_start(&capture, 0);
    int status = script_source_init(&source, "sub");
    char *message = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(
        message,
        "FATAL: Cannot find benchmark 'sub': no such built-in test, file or module\n");
    free(message);
}
END_TEST

START_TEST(the_first_line_may_name_a_program)
{
    write_file("a.lua", "#!/usr/bin/env sysrate\nevent = 1\n", 33);
    assert_found("a.lua", "a.lua", "                      \nevent = 1\n");
    write_file("a.lua", "#", 1);
    assert_found("a.lua", "a.lua", " ");
    write_file("a.lua", "", 0);
    assert_found("a.lua", "a.lua", "");
}
END_TEST

/* Lengths: larger than one read, and a multiple of it. The text contains all byte values. */
START_TEST(text_of_any_length_is_read)
{
    static const size_t lengths[] = {65535, 65536, 65537, 131072, 200000};
    char *text = xcalloc(1, 200001);
    for (size_t i = 0; i < 200000; i++)
        text[i] = (char)(i % 251);
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        write_file("b", text, lengths[i]);
        ck_assert_int_eq(script_source_init(&source, "b"), 0);
        ck_assert_uint_eq(source.text_bytes, lengths[i]);
        ck_assert_mem_eq(source.text, text, lengths[i]);
        script_source_fini(&source);
        source = (struct script_source){0};
    }
    free(text);
}
END_TEST

START_TEST(standard_input_is_read_where_no_test_is_named)
{
    static const char *const names[] = {NULL, "-"};
    write_file("b", "event = 1", 9);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        ck_assert_ptr_nonnull(freopen("b", "r", stdin));
        ck_assert_int_eq(script_source_init(&source, names[i]), 0);
        ck_assert_str_eq(source.test, "-");
        ck_assert_ptr_null(source.path);
        ck_assert_uint_eq(source.text_bytes, 9);
        script_source_fini(&source);
        source = (struct script_source){0};
    }
}
END_TEST

RUN_SUITE_WITH("script_source", 30, setup, teardown, a_file_comes_before_a_module,
               modules_are_found_in_lua_path, a_folder_is_no_test,
               the_first_line_may_name_a_program, text_of_any_length_is_read,
               standard_input_is_read_where_no_test_is_named)
