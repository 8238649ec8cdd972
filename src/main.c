/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands and exit codes; wires everything together. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <luajit.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/open_files.h"
#include "base/outfile.h"
#include "builtins/builtin.h"
#include "builtins/builtin_list.h"
#include "document/html.h"
#include "options/cmdline.h"
#include "options/exit_codes.h"
#include "options/options.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"
#include "run/run.h"
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
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        printf("  %s %s - %s\n", p->name, tool->name, tool->description);
    printf("See '%s <testname> help' for a list of options for each test.\n\n", p->name);
}

/* An alias prints the report of the release that it names, unless it is told otherwise. */
static int set_layout(struct program *p)
{
    bool old = strncmp(p->version, "1.0.", strlen("1.0.")) == 0;
    return p->alias ? options_set(p->options, "report", old ? "sysbench-1.0" : "sysbench-1.1") : 0;
}

static int read_options(struct program *p, int argc, char **argv)
{
    if (cmdline_collect(&p->cmdline, argc, argv) != 0 || settings_add_options(p->options) != 0 ||
        sql_add_options(p->options) != 0 || set_layout(p) != 0 ||
        cmdline_apply(&p->cmdline, p->options, false) != 0)
        return -1;
    return settings_load(&p->settings, p->options);
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
                                       .tool_version = p->version};
    if (script_source_init(&p->source, p->cmdline.test) != 0)
        return -1;
    p->sql = sql_create(p->options, p->settings.rand.seed, (unsigned)p->settings.threads);
    if (sql_check_driver(p->sql) != 0)
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

/* Better now than after an hour. */
static int check_outputs(const struct settings *settings)
{
    const struct outfile_option options[] = {
        {"json", settings->json_path},
        {"html", settings->html_path},
        {"csv", settings->csv_path},
        {"hlog", settings->hlog_path},
        {"hgrm", settings->hgrm_path},
        {"prom-file", settings->prom_file_path},
        {"request-log", settings->request_log_path},
    };
    if (outfile_check_all(options, ARRAY_SIZE(options)) != 0)
        return -1;
    return settings->html_path != NULL ? html_check() : 0;
}

static int execute_run(struct program *p, struct workload workload)
{
    struct run_setup setup = {.settings = &p->settings,
                              .options = p->options,
                              .version = p->version,
                              .test = p->cmdline.test != NULL ? p->cmdline.test : "-",
                              .command = p->cmdline.command,
                              .workload = workload};
    return run_execute(&setup, &p->abandoned);
}

static int run_script(struct program *p)
{
    if (!script_has_function(p->script, "event") && !script_has_function(p->script, "thread_run")) {
        log_text(LOG_FATAL, "cannot find the event() function in %s", p->source.test);
        return EXIT_FAILED;
    }
    if (check_outputs(&p->settings) != 0 || script_call(p->script, "init") != 0)
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
    if (check_outputs(&p->settings) != 0)
        return code;
    sql_watch_nothing(p->options);
    if (builtin_begin(&p->builtin) == 0)
        code = execute_run(p, builtin_workload(&p->builtin));
    if (!p->abandoned && builtin_end(&p->builtin) != 0 && code == EXIT_WELL)
        code = EXIT_FAILED;
    return code;
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
    if (strcmp(command, "run") == 0)
        return run_builtin(p);
    return builtin_command(&p->builtin, command) == 0 ? EXIT_WELL : EXIT_FAILED;
}

static int execute_command(struct program *p)
{
    const char *command = p->cmdline.command;
    if (command == NULL)
        return EXIT_WELL;
    if (strcmp(command, "help") == 0)
        return help_on_test(p);
    if (strcmp(command, "run") == 0)
        return run_script(p);
    return command_run(command, &p->settings, &p->source, p->sql, p->script) == 0 ? EXIT_WELL
                                                                                  : EXIT_FAILED;
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

/* A closed standard stream must not become the number of the next file: reports would be written
 * into it. */
static void keep_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY); /* writing there is still an error */
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    const struct tool *tool = argc > 1 ? tool_find(argv[1]) : NULL;
    if (tool != NULL)
        return flush_output(tool->main(argc - 1, argv + 1));
    struct program p = {.options = options_create()};
    set_identity(&p, argv[0]);
    int code = execute(&p, argc, argv);
    if (p.abandoned)
        _exit(flush_output(code));
    program_fini(&p);
    return flush_output(code);
}
