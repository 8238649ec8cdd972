/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies, functions and commands of scripts, and their errors. */
#include "workloads/script/script.h"

#include "../../script_fixture.h"
#include "../../suite.h"

START_TEST(errors_name_script_and_line)
{
    struct capture capture;
    create("local a = 1\nerror('no good')");
    start_messages(&capture);
    assert_failure(&capture, script_load(script), "FATAL: ./t.lua:2: no good\n");
}
END_TEST

START_TEST(invalid_lua_is_refused)
{
    struct capture capture;
    create("function event(\n");
    start_messages(&capture);
    int status = script_load(script);
    char *message = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_ptr_eq(strstr(message, "FATAL: ./t.lua:"), message);
    free(message);
}
END_TEST

/* Scripts may raise any value as an error. */
START_TEST(any_error_value_is_shown)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"error('text', 0)", "FATAL: `fail' function failed: text\n"},
        {"error()", "FATAL: `fail' function failed: (error value of type nil)\n"},
        {"error({})", "FATAL: `fail' function failed: (error value of type table)\n"},
        {"error(setmetatable({}, {__tostring = function() return 'me' end}))",
         "FATAL: `fail' function failed: me\n"},
        {"error(setmetatable({}, {__tostring = function() error('again') end}))",
         "FATAL: `fail' function failed: (error value of type table)\n"},
        {"error(setmetatable({}, {__tostring = 7}))",
         "FATAL: `fail' function failed: (error value of type table)\n"},
    };
    char text[256];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct capture capture;
        snprintf(text, sizeof(text), "function fail() %s end", cases[i].text);
        load(text);
        start_messages(&capture);
        assert_failure(&capture, script_call(script, "fail"), cases[i].message);
        teardown();
        setup();
    }
}
END_TEST

START_TEST(existing_functions_are_called)
{
    load("function init(...) assert(select('#', ...) == 0) called = true end\n"
         "function done() assert(called) end\n"
         "number = 7");
    ck_assert(script_has_function(script, "init"));
    ck_assert(!script_has_function(script, "number"));
    ck_assert(!script_has_function(script, "thread_init"));
    ck_assert_int_eq(script_call(script, "thread_init"), 0);
    call("init");
    call("done");
}
END_TEST

START_TEST(a_worker_hands_over_its_number)
{
    static const char text[] = "function thread_init(id) assert(id == 3 and sysbench.tid == 3) end";
    source.text = xstrdup(text);
    source.text_bytes = strlen(text);
    script = script_create(&source, 3, &random_numbers);
    ck_assert_int_eq(script_load(script), 0);
    call("thread_init");
}
END_TEST

/* A metatable of _G may raise errors for undefined names. */
START_TEST(strict_globals_are_no_error)
{
    load("setmetatable(_G, {__index = function(_, name) error('undeclared ' .. name) end})");
    ck_assert(!script_has_function(script, "thread_init"));
    ck_assert_int_eq(script_call(script, "thread_init"), 0);
    ck_assert_int_eq(script_find_command(script, "prepare"), SCRIPT_COMMAND_NONE);
}
END_TEST

START_TEST(commands_are_declared_or_functions)
{
    load("function cleanup() end\n"
         "sysbench.cmdline.commands = {\n"
         "   warmup = {function() warm = true end},\n"
         "   prepare = {function() end, sysbench.cmdline.PARALLEL_COMMAND}}\n"
         "function check() assert(warm) end");
    ck_assert_int_eq(script_find_command(script, "cleanup"), SCRIPT_COMMAND_SERIAL);
    ck_assert_int_eq(script_find_command(script, "warmup"), SCRIPT_COMMAND_SERIAL);
    ck_assert_int_eq(script_find_command(script, "prepare"), SCRIPT_COMMAND_PARALLEL);
    ck_assert_int_eq(script_find_command(script, "other"), SCRIPT_COMMAND_NONE);
    ck_assert_int_eq(script_run_command(script, "warmup"), 0);
    call("check");
}
END_TEST

START_TEST(a_command_that_fails_is_named)
{
    struct capture capture;
    load("function cleanup() error('not today', 0) end");
    start_messages(&capture);
    assert_failure(&capture, script_run_command(script, "cleanup"),
                   "FATAL: `cleanup' function failed: not today\n");
}
END_TEST

RUN_SUITE_WITH("script", 30, setup, teardown, errors_name_script_and_line,
               invalid_lua_is_refused, any_error_value_is_shown,
               existing_functions_are_called, a_worker_hands_over_its_number,
               strict_globals_are_no_error, commands_are_declared_or_functions,
               a_command_that_fails_is_named)
