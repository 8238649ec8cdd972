/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that scripts declare, and options that scripts read. */
#include "workloads/script/script_options.h"

#include "../../script_fixture.h"
#include "../../suite.h"

/* Options of the program that scripts know by another name or with another type. */
static const struct option_spec program_rows[] = {
    {"rate", OPTION_DOUBLE, "0", "", .field = OPTION_NO_FIELD},
    {"threads", OPTION_INT, "4", "", .field = OPTION_NO_FIELD},
    {"events", OPTION_INT, "0", "", .field = OPTION_NO_FIELD},
    {"time", OPTION_SECONDS, "10", "", .field = OPTION_NO_FIELD},
    {"percentile", OPTION_STRING, "95", "", .field = OPTION_NO_FIELD},
    {"db-debug", OPTION_BOOL, "off", "", .field = OPTION_NO_FIELD},
    {"mysql-host", OPTION_LIST, "a,b", "", .field = OPTION_NO_FIELD},
    {"pgsql-host", OPTION_LIST, "localhost", "", .field = OPTION_NO_FIELD},
    {"pgsql-port", OPTION_LIST, "5432", "", .field = OPTION_NO_FIELD},
    {"mysql-ssl", OPTION_STRING, "off", "", .field = OPTION_NO_FIELD},
    {"no-value", OPTION_STRING, NULL, "", .field = OPTION_NO_FIELD},
    {"no-file", OPTION_FILE, NULL, "", .field = OPTION_NO_FIELD},
    {"no-number", OPTION_INT, NULL, "", .field = OPTION_NO_FIELD},
};

static void set(const char *name, const char *value)
{
    ck_assert_int_eq(options_set(options, name, value), 0);
}

START_TEST(values_have_the_types_of_lua)
{
    ck_assert_int_eq(
        options_add(options, "General options", program_rows, ARRAY_SIZE(program_rows)), 0);
    load("function check()\n"
         "   local opt = sysbench.opt\n"
         "   assert(opt.threads == 4 and opt.time == 10)\n"
         "   assert(opt.db_debug == false)\n"
         "   assert(#opt.mysql_host == 2 and opt.mysql_host[2] == 'b')\n"
         "   assert(opt.no_value == '' and opt.no_file == nil and opt.no_number == 0)\n"
         "end");
    call("check");
}
END_TEST

START_TEST(servers_are_known_as_in_sysbench)
{
    ck_assert_int_eq(
        options_add(options, "General options", program_rows, ARRAY_SIZE(program_rows)), 0);
    load("local opt = sysbench.opt\n"
         "function one()\n"
         "   assert(opt.pgsql_host == 'localhost' and opt.pgsql_port == 5432)\n"
         "   assert(opt.mysql_ssl == false)\n"
         "end\n"
         "function several()\n"
         "   assert(opt.pgsql_host[2] == 'b' and opt.pgsql_port[2] == '5433')\n"
         "   assert(opt.mysql_ssl == true)\n"
         "end\n"
         "function mode() assert(opt.mysql_ssl == 'REQUIRED') end");
    call("one");
    set("pgsql-host", "a,b");
    set("pgsql-port", "5432,5433");
    set("mysql-ssl", "on");
    script_export_options(script);
    call("several");
    set("mysql-ssl", "REQUIRED");
    script_export_options(script);
    call("mode");
}
END_TEST

START_TEST(options_have_their_old_names)
{
    ck_assert_int_eq(
        options_add(options, "General options", program_rows, ARRAY_SIZE(program_rows)), 0);
    set("rate", "100");
    load("function check()\n"
         "   local opt = sysbench.opt\n"
         "   assert(opt.tx_rate == 100 and opt.num_threads == 4)\n"
         "   assert(opt.max_requests == 0 and opt.max_time == 10)\n"
         "end");
    call("check");
}
END_TEST

START_TEST(one_percentile_is_a_number)
{
    ck_assert_int_eq(
        options_add(options, "General options", program_rows, ARRAY_SIZE(program_rows)), 0);
    load("function one() assert(sysbench.opt.percentile == 95) end\n"
         "function two() assert(sysbench.opt.percentile == '50,99') end");
    call("one");
    set("percentile", "50,99");
    script_export_options(script);
    call("two");
}
END_TEST

#define DECLARATIONS                                                                               \
    "sysbench.cmdline.options = {\n"                                                               \
    "   table_size = {'Rows', 10000},\n"                                                           \
    "   skip = {'Whether to skip', false},\n"                                                      \
    "   share = {'A share', 0.5},\n"                                                               \
    "   engine = {'A name', 'innodb'},\n"                                                          \
    "   hosts = {'Names', {'a', 'b'}},\n"                                                          \
    "   room = {'Bytes', '1K', sysbench.cmdline.ARG_SIZE},\n"                                      \
    "   none = {'No default'}}\n"

START_TEST(declared_options_get_their_values)
{
    load(DECLARATIONS "function defaults()\n"
                      "   local opt = sysbench.opt\n"
                      "   assert(opt.table_size == 10000 and opt.skip == false)\n"
                      "   assert(opt.share == 0.5 and opt.engine == 'innodb')\n"
                      "   assert(table.concat(opt.hosts, '+') == 'a+b' and opt.room == 1024)\n"
                      "end\n"
                      "function given()\n"
                      "   local opt = sysbench.opt\n"
                      "   assert(opt.table_size == 5 and opt.skip == true)\n"
                      "   assert(opt.hosts[1] == 'c' and opt.room == 2097152)\n"
                      "end");
    ck_assert_int_eq(script_add_options(script, options), 0);
    script_export_options(script);
    call("defaults");
    set("table-size", "5");
    set("skip", NULL);
    set("hosts", "c");
    set("room", "2M");
    script_export_options(script);
    call("given");
    struct capture capture;
    start_messages(&capture);
    int status = options_set(options, "table_size", "many");
    free(capture_end(&capture));
    ck_assert_int_eq(status, -1);
}
END_TEST

START_TEST(values_may_be_left_out)
{
    load("local opt, cmdline = sysbench.opt, sysbench.cmdline\n"
         "cmdline.options = {\n"
         "   quick = {'No default', nil, cmdline.ARG_BOOL},\n"
         "   engine = {'A name', 'innodb'},\n"
         "   file = {'A file', 'a.csv', cmdline.ARG_FILE},\n"
         "   hosts = {'Names', {'a', 'b'}},\n"
         "   rows = {'A number', 7}}\n"
         "function defaults() assert(opt.quick == true) end\n"
         "function given()\n"
         "   assert(opt.engine == '' and opt.file == '' and #opt.hosts == 0)\n"
         "end");
    ck_assert_int_eq(script_add_options(script, options), 0);
    script_export_options(script);
    call("defaults");
    set("engine", NULL);
    set("file", NULL);
    set("hosts", NULL);
    script_export_options(script);
    call("given");
    struct capture capture;
    start_messages(&capture);
    assert_failure(&capture, options_set(options, "rows", NULL),
                   "FATAL: --rows needs a value (allowed: a whole number (also 1k, 1M, 1G))\n");
}
END_TEST

START_TEST(help_lists_them_by_name)
{
    char *text = NULL;
    size_t bytes = 0;
    load(DECLARATIONS);
    FILE *out = open_memstream(&text, &bytes);
    script_print_options(script, out);
    fflush(out);
    ck_assert_str_eq(text, ""); /* the options are not declared yet */
    ck_assert_int_eq(script_add_options(script, options), 0);
    script_print_options(script, out);
    fclose(out);
    const char *engine = strstr(text, "--engine"), *size = strstr(text, "--table");
    ck_assert(engine != NULL && size != NULL && engine < size);
    ck_assert_ptr_nonnull(strstr(text, "Rows [10000]"));
    ck_assert_ptr_null(strstr(text, "t.lua options"));
    free(text);
}
END_TEST

START_TEST(wrong_declarations_are_refused)
{
    static const struct {
        const char *options, *why;
    } cases[] = {
        {"{a = 7}", "sysbench.cmdline.options.a: {\"description\", default, type} was expected"},
        {"{a = {7}}", "sysbench.cmdline.options.a: {\"description\", default, type} was expected"},
        {"{a = {'x', 1, 'int'}}", "sysbench.cmdline.options.a: unknown type 'int'"},
        {"{a = {'x', 1, 99}}", "sysbench.cmdline.options.a: unknown type '99'"},
        {"{{'x'}}", "sysbench.cmdline.options: a name was expected, not the number 1"},
    };
    char text[256], message[256];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct capture capture;
        snprintf(text, sizeof(text), "sysbench.cmdline.options = %s", cases[i].options);
        snprintf(message, sizeof(message),
                 "FATAL: `sysbench.cmdline.options' function failed: %s\n", cases[i].why);
        load(text);
        start_messages(&capture);
        assert_failure(&capture, script_add_options(script, options), message);
        teardown();
        setup();
    }
}
END_TEST

RUN_SUITE_WITH("script_options", 30, setup, teardown, values_have_the_types_of_lua,
               servers_are_known_as_in_sysbench, options_have_their_old_names,
               one_percentile_is_a_number, declared_options_get_their_values,
               values_may_be_left_out, help_lists_them_by_name, wrong_declarations_are_refused)
