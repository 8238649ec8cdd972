/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands and exit codes; wires everything together. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <luajit.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/near.h"
#include "base/open_files.h"
#include "builtins/builtin.h"
#include "builtins/builtin_list.h"
#include "launch/plugin.h"
#include "options/cmdline.h"
#include "options/exit_codes.h"
#include "options/options.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"
#include "output/outputs.h"
#include "run/run.h"
#include "run/team/run_crew.h"
#include "script/bundled/bundled.h"
#include "script/command.h"
#include "script/script_legacy.h"
#include "script/script_options.h"
#include "script/script_workload.h"
#include "sql/sql.h"
#include "sql/sql_watch.h"
#include "tools/tools.h"

struct program {
    bool alias;                 /* a link named "sysbench": speaks as that */
    const char *name, *version; /* what the banner says */
    struct cmdline cmdline;
    struct options *options;
    struct settings settings;
    struct builtin builtin; /* the test, unless it is a script */
    struct script_source source;
    struct sql *sql;
    struct rand rand;
    struct script *script;
    struct run_crew rc;
    bool began;     /* the command line was understood */
    bool abandoned; /* threads are stuck in what must not be freed */
};

static void set_identity(struct program *p, const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    p->alias = strcmp(slash != NULL ? slash + 1 : argv0, "sysbench") == 0;
    p->name = p->alias ? "sysbench" : "sysrate";
    p->version = p->alias ? SYSBENCH_ALIAS_VERSION : VERSION;
}

static void print_drivers(void)
{
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++)
        printf("  %s - %s\n", driver->name, driver->description);
}

static void print_libraries(void)
{
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++)
        printf("  %s - %s%s%s%s\n", driver->name, driver->description,
               driver->library != NULL ? " (" : "",
               driver->library != NULL ? driver->library() : "",
               driver->library != NULL ? ")" : "");
    if (sql_drivers_left_out() != NULL)
        printf("Left out when it was built:%s\n", sql_drivers_left_out());
    char *plugin = plugin_find();
    printf("Plug-in for Open MPI: %s\n", plugin != NULL ? plugin : "not installed");
    free(plugin);
}

static void print_version(const struct program *p)
{
    printf("%s %s\n", p->name, p->version);
    if (p->alias)
        return;
    printf("Built with %s, SQLite %s, jansson %s. Database drivers:\n", LUAJIT_VERSION,
           SQLITE_VERSION, JANSSON_VERSION);
    print_libraries();
}

static void print_group(const struct program *p, const char *group)
{
    printf("%s:\n", group);
    options_help(p->options, group, false, stdout);
    printf("\n");
}

static void print_test(void *arg, const char *name, const char *sentence)
{
    (void)arg;
    printf("  %-22s %s\n", name, sentence);
}

static void print_bundled(void)
{
    char *folder = script_source_bundled();
    printf("Bundled scripts:\n");
    bundled_each(folder, print_test, NULL);
    printf("\n");
    free(folder);
}

/* `sysrate list` */
static int print_list(const struct program *p)
{
    printf("Tests of the program:\n");
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        print_test(NULL, (*test)->name, (*test)->description);
    printf("\n");
    print_bundled();
    printf("Tools:\n");
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        print_test(NULL, tool->name, tool->description);
    printf("\nA Lua script of your own is a test, too: %s ./my.lua run\n"
           "See '%s NAME help' for the options of a test.\n",
           p->name, p->name);
    return EXIT_WELL;
}

/* Who types the bare name at a terminal wants to know what to type. */
static int print_beginning(const struct program *p)
{
    printf("%s %s: a sysbench-compatible database benchmark with a fixed arrival rate\n\n"
           "  %s list                          the tests that there are\n"
           "  %s oltp_read_write help          the options of one of them\n"
           "  %s --db-driver=sqlite --sqlite-db=test.db oltp_read_write prepare\n"
           "  %s --db-driver=sqlite --sqlite-db=test.db --tx-rate=100 oltp_read_write run\n"
           "  %s --help                        all options\n"
           "  %s -                             takes a script from standard input\n",
           p->name, p->version, p->name, p->name, p->name, p->name, p->name, p->name);
    return EXIT_WELL;
}

static void print_help(const struct program *p)
{
    printf("Usage:\n  %s [options]... [testname] [command]\n\n"
           "Commands implemented by most tests: prepare run cleanup help\n\n",
           p->name);
    print_group(p, "General options");
    print_group(p, "Pseudo-Random Numbers Generator options");
    print_group(p, "Log options");
    print_group(p, "General database options");
    printf("Compiled-in database drivers:\n");
    print_drivers();
    printf("\n");
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++) {
        char group[64];
        snprintf(group, sizeof(group), "%s options", driver->name);
        print_group(p, group);
    }
    printf("Compiled-in tests:\n");
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        printf("  %s - %s\n", (*test)->name, (*test)->description);
    printf("\n");
    if (!p->alias)
        print_bundled();
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        printf("  %s %s - %s\n", p->name, tool->name, tool->description);
    printf("See '%s <testname> help' for a list of options for each test.\n\n", p->name);
}

/* An alias prints the report of the release that it names, unless it is told otherwise. */
static int load_settings(struct program *p)
{
    bool old = strncmp(p->version, "1.0.", strlen("1.0.")) == 0;
    if (settings_load(&p->settings, p->options) != 0)
        return -1;
    if (p->alias && !p->settings.layout_asked)
        p->settings.layout = old ? LAYOUT_SYSBENCH_1_0 : LAYOUT_SYSBENCH_1_1;
    return settings_take_part(&p->settings, p->cmdline.command);
}

static int read_options(struct program *p, int argc, char **argv)
{
    if (settings_add_options(p->options) != 0 || sql_add_options(p->options) != 0 ||
        cmdline_collect(&p->cmdline, argc, argv) != 0 ||
        cmdline_apply(&p->cmdline, p->options, false) != 0)
        return -1;
    return load_settings(p);
}

static void offer_test(void *arg, const char *name, const char *sentence)
{
    (void)sentence;
    struct near *near = arg;
    const char *before = near->best;
    near_offer(near, name);
    /* The name is gone when the visit is over; the program ends soon. */
    if (near->best != before)
        near->best = xstrdup(name);
}

/* There is no such test. */
static void suggest_test(const struct program *p)
{
    if (p->alias || p->cmdline.test == NULL)
        return;
    struct near near = near_to(p->cmdline.test);
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        offer_test(&near, (*test)->name, NULL);
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        offer_test(&near, tool->name, NULL);
    bundled_each(p->source.folder, offer_test, &near);
    if (near.best != NULL)
        log_bare("Did you mean %s? See '%s list'.", near.best, p->name);
}

static int check_driver(const struct program *p)
{
    if (sql_chosen_driver(p->sql) != NULL)
        return 0;
    const char *meant = sql_driver_meant(options_string(p->options, "db-driver"));
    if (!p->alias && meant != NULL)
        log_bare("Did you mean %s?", meant);
    return -1;
}

/* Loads the test's script into the main thread's state; its own options become known by that. */
static int load_test(struct program *p, int argc, char **argv)
{
    p->source = (struct script_source){.options = p->options,
                                       .command = p->cmdline.command,
                                       .argc = argc,
                                       .argv = argv,
                                       .luajit_cmd = p->settings.luajit_cmd,
                                       .tool_name = p->name,
                                       .tool_version = p->version,
                                       .gives_advice = !p->alias};
    if (script_source_init(&p->source, p->cmdline.test) != 0) {
        p->cmdline.misread = p->cmdline.test == p->cmdline.detached_value;
        suggest_test(p);
        return -1;
    }
    p->sql = sql_create(p->options, p->settings.rand.seed, (unsigned)p->settings.threads,
                        (unsigned)settings_all_threads(&p->settings));
    if (!p->alias)
        sql_give_advice(p->sql);
    if (check_driver(p) != 0)
        return -1;
    sql_thread_enter(p->sql, NULL, 0);
    rand_init(&p->rand, &p->settings.rand, 0);
    p->script = script_create(&p->source, SCRIPT_MAIN, &p->rand);
    if (p->script == NULL)
        return -1;
    script_export_options(p->script);
    if (script_load(p->script) != 0 || script_add_options(p->script, p->options) != 0)
        return -1;
    p->source.legacy = script_is_legacy(p->script);
    if (script_takes_any_option(p->script) &&
        cmdline_declare_rest(&p->cmdline, p->options, "legacy options") != 0)
        return -1;
    const bool takes_any = !script_has_options(p->script);
    if (cmdline_apply(&p->cmdline, p->options, !takes_any) != 0)
        return -1;
    if (takes_any && !p->alias)
        cmdline_tell_ignored(&p->cmdline);
    script_export_options(p->script);
    return 0;
}

static int help_on_test(struct program *p)
{
    if (script_has_function(p->script, "help"))
        return script_call(p->script, "help") == 0 ? EXIT_WELL : EXIT_FAILED;
    if (!script_has_options(p->script)) {
        cmdline_refuse_command(p->source.test, "help");
        return EXIT_FAILED;
    }
    printf("%s options:\n", p->source.test);
    script_print_options(p->script, stdout);
    printf("\n");
    return EXIT_WELL;
}

/* Where several processes are about to do this. */
static int greet(struct program *p)
{
    return run_crew_hello(&p->rc, &p->settings, p->options, p->version, p->source.text,
                          p->source.text_bytes);
}

static int execute_run(struct program *p, struct workload workload)
{
    const bool alone = crew_is_one(&p->rc.crew);
    struct run_setup setup = {.settings = &p->settings,
                              .whole = alone ? &p->settings : &p->rc.whole,
                              .crew = alone ? NULL : &p->rc.crew,
                              .options = p->options,
                              .version = p->version,
                              .test = p->cmdline.test != NULL ? p->cmdline.test : "-",
                              .command = p->cmdline.command,
                              .workload = workload};
    return run_execute(&setup, &p->abandoned);
}

/* Writes what to do when tables are missing; `advice` must stay while the run lasts. */
static void advise_to_prepare(struct program *p, char *advice, size_t bytes)
{
    if (p->alias || script_find_command(p->script, "prepare") == SCRIPT_COMMAND_NONE)
        return;
    snprintf(advice, bytes, "Prepare first: %s %s prepare (with the same options)", p->name,
             p->source.test);
    sql_set_prepare_advice(p->sql, advice);
}

/* Rank 0 opens what is asked for; others have their own part of it. */
static int check_outputs(const struct program *p)
{
    return outputs_check(crew_leads(&p->rc.crew) ? &p->rc.whole : &p->settings);
}

static int run_script(struct program *p)
{
    if (!script_has_function(p->script, "event") && !script_has_function(p->script, "thread_run")) {
        log_text(LOG_FATAL, "cannot find the event() function in %s", p->source.test);
        return EXIT_FAILED;
    }
    char advice[PATH_MAX + 128];
    advise_to_prepare(p, advice, sizeof(advice));
    if (check_outputs(p) != 0 || script_call(p->script, "init") != 0)
        return EXIT_FAILED;
    struct script_workload workload = {
        .source = &p->source, .settings = &p->settings, .sql = p->sql, .script = p->script};
    int code = execute_run(p, script_workload(&workload));
    if (script_call(p->script, "done") != 0 && code == EXIT_WELL)
        code = EXIT_FAILED;
    return code;
}

static int run_builtin(struct program *p)
{
    int code = EXIT_FAILED;
    if (check_outputs(p) != 0)
        return code;
    sql_watch_nothing(p->options);
    if (builtin_begin(&p->builtin) == 0)
        code = execute_run(p, builtin_workload(&p->builtin));
    if (!p->abandoned && builtin_end(&p->builtin) != 0 && code == EXIT_WELL)
        code = EXIT_FAILED;
    return code;
}

/* The exit code of a command that was executed, or that the test has not. */
static int end_command(const struct program *p, bool known, int status)
{
    if (!known && !p->alias)
        cmdline_hint_command(p->cmdline.command);
    return status == 0 ? EXIT_WELL : EXIT_FAILED;
}

static int execute_builtin(struct program *p, const struct builtin_ops *test)
{
    const char *command = p->cmdline.command;
    if (command == NULL) {
        log_bare("The '%s' test requires a command argument. See '%s %s help'", test->name, p->name,
                 test->name);
        return EXIT_FAILED;
    }
    if (builtin_add_options(test, p->options) != 0 ||
        cmdline_apply(&p->cmdline, p->options, true) != 0)
        return EXIT_FAILED;
    if (strcmp(command, "help") == 0) {
        builtin_print_help(test, p->options, stdout);
        return EXIT_WELL;
    }
    if (builtin_init(&p->builtin, test, p->options, &p->settings) != 0)
        return EXIT_FAILED;
    p->began = true;
    if (greet(p) != 0)
        return EXIT_FAILED;
    if (strcmp(command, "run") == 0)
        return run_builtin(p);
    int status = builtin_command(&p->builtin, command);
    return end_command(p, status == 0, status);
}

static int execute_command(struct program *p)
{
    const char *command = p->cmdline.command;
    if (command == NULL)
        return EXIT_WELL;
    p->began = true;
    if (strcmp(command, "help") == 0)
        return help_on_test(p);
    if (greet(p) != 0)
        return EXIT_FAILED;
    if (strcmp(command, "run") == 0)
        return run_script(p);
    if (settings_leave_command(&p->settings, command)) {
        log_text(LOG_NOTICE, "'%s' is executed by rank 0 alone", command);
        return EXIT_WELL;
    }
    bool known = script_find_command(p->script, command) != SCRIPT_COMMAND_NONE;
    return end_command(p, known, command_run(command, &p->settings, &p->source, p->sql, p->script));
}

static bool is_run(const struct program *p)
{
    return p->cmdline.command != NULL && strcmp(p->cmdline.command, "run") == 0;
}

static int execute(struct program *p, int argc, char **argv)
{
    if (read_options(p, argc, argv) != 0)
        return EXIT_FAILED;
    if (options_bool(p->options, "version")) {
        print_version(p);
        return EXIT_WELL;
    }
    if (options_bool(p->options, "help")) {
        print_help(p);
        return EXIT_WELL;
    }
    if (is_run(p) && outputs_make_room(&p->settings) != 0)
        return EXIT_FAILED;
    const enum run_crew_part part = run_crew_join(&p->rc, &p->settings, &p->cmdline);
    if (part != RUN_CREW_PART)
        return part == RUN_CREW_NONE ? EXIT_WELL : EXIT_FAILED;
    open_files_allow(p->settings.threads);
    log_text(LOG_NOTICE, "%s %s (using %s%s)\n", p->name, p->version, p->alias ? "system " : "",
             LUAJIT_VERSION);
    const struct builtin_ops *builtin =
        p->cmdline.test != NULL ? builtin_find(p->cmdline.test) : NULL;
    if (builtin != NULL)
        return execute_builtin(p, builtin);
    if (load_test(p, argc, argv) != 0)
        return EXIT_FAILED;
    return execute_command(p);
}

static void program_fini(struct program *p)
{
    if (p->script != NULL)
        script_destroy(p->script);
    if (p->sql != NULL)
        sql_destroy(p->sql);
    script_source_fini(&p->source);
    builtin_fini(&p->builtin);
    settings_fini(&p->settings);
    options_destroy(p->options);
    cmdline_fini(&p->cmdline);
}

/* What was printed must have arrived: a full disk is an error, too. */
static int flush_output(int code)
{
    log_flush();
    log_flush_stdout();
    errno = log_stdout_error();
    if (errno == 0)
        return code;
    log_errno(LOG_FATAL, "cannot write to standard output");
    return code == EXIT_WELL ? EXIT_FAILED : code;
}

/* What sysbench has not, or the rest. */
static int execute_all(struct program *p, int argc, char **argv)
{
    if (!p->alias && argc == 1 && isatty(STDIN_FILENO))
        return print_beginning(p);
    if (!p->alias && argc == 2 && strcmp(argv[1], "list") == 0)
        return print_list(p);
    int code = execute(p, argc, argv);
    if (code == EXIT_FAILED && !p->alias && !p->began)
        cmdline_hint(&p->cmdline, p->options);
    return code;
}

int main(int argc, char **argv)
{
    open_files_keep_standard();
    const struct tool *tool = argc > 1 ? tool_find(argv[1]) : NULL;
    if (tool != NULL && crew_refuses_tool(tool->name))
        return flush_output(EXIT_FAILED);
    if (tool != NULL)
        return flush_output(tool->main(argc - 1, argv + 1));
    struct program p = {.options = options_create()};
    set_identity(&p, argv[0]);
    int code = run_crew_leave(&p.rc, flush_output(execute_all(&p, argc, argv)));
    if (p.abandoned)
        _exit(code);
    program_fini(&p);
    return code;
}
