/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the command line, executes the command and returns the exit code. */
#include <limits.h>
#include <luajit.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/secret.h"
#include "drivers/language.h"
#include "main/server_settings.h"
#include "main/tools.h"
#include "main/topics.h"
#include "main/usage.h"
#include "options/cmdline.h"
#include "options/exit_codes.h"
#include "options/options.h"
#include "options/script_only.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"
#include "ranks/launch/crew_steps.h"
#include "ranks/launch/follower.h"
#include "ranks/launch/launcher.h"
#include "ranks/run_node.h"
#include "ranks/team/run_crew.h"
#include "ranks/team/team_ops.h"
#include "report/live/outputs.h"
#include "run/run.h"
#include "sql/sql.h"
#include "sql/sql_watch.h"
#include "workloads/builtins/builtin.h"
#include "workloads/builtins/builtin_list.h"
#include "workloads/replay/replay.h"
#include "workloads/script/command.h"
#include "workloads/script/script_legacy.h"
#include "workloads/script/script_options.h"
#include "workloads/script/script_report.h"
#include "workloads/script/script_workload.h"

/* Interval of the messages about the statement that the program waits for. */
#define WAITS_INTERVAL_NS (5 * NS_PER_SEC)

struct program {
    struct usage usage; /* alias: the program was started through a link named "sysbench" */
    struct cmdline cmdline;
    struct options *options;
    struct options *claimed; /* NULL if the test is no script */
    struct settings settings;
    struct builtin builtin; /* the test, if it is a built-in one */
    struct replay replay;   /* the test, if it is a replay */
    struct script_source source;
    struct sql *sql;
    struct rand rand;
    struct script *script;
    struct script_workload workload; /* interface of the script for the engine */
    char prepare_advice[PATH_MAX + 128];
    struct run_crew rc;
    struct follower follower; /* used until this process has joined the other ranks */
    bool began;               /* the command line was parsed successfully */
    bool abandoned;           /* threads are stuck and may still use this struct: see run.h */
};

static bool is_alias(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    return strcmp(slash != NULL ? slash + 1 : argv0, "sysbench") == 0;
}

static void set_identity(struct program *p, const char *argv0)
{
    p->usage.alias = is_alias(argv0);
    p->usage.name = p->usage.alias ? "sysbench" : "sysrate";
    p->usage.version = p->usage.alias ? SYSBENCH_ALIAS_VERSION : VERSION;
}

/* Under its alias, the program prints reports in the format of the sysbench release that it names,
 * unless --report is given. */
static int load_settings(struct program *p)
{
    bool old = strncmp(p->usage.version, "1.0.", strlen("1.0.")) == 0;
    if (settings_load(&p->settings, p->options) != 0)
        return -1;
    if (p->usage.alias && !p->settings.layout_asked)
        p->settings.layout = old ? LAYOUT_SYSBENCH_1_0 : LAYOUT_SYSBENCH_1_1;
    return settings_take_part(&p->settings, p->cmdline.command);
}

/* Returns true if the test is the replay of a server's log. */
static bool is_replay(const struct program *p)
{
    return p->cmdline.operand_test != NULL && p->cmdline.test != NULL &&
           strcmp(p->cmdline.test, p->cmdline.operand_test) == 0;
}

static int read_options(struct program *p, int argc, char **argv)
{
    if (settings_add_options(p->options) != 0 || sql_add_options(p->options) != 0 ||
        cmdline_collect(&p->cmdline, argc, argv) != 0)
        return -1;
    /* Without a command, the script is a program and may connect before it has declared options.
     * Ranks of a launcher compare their options before they load the script. */
    p->cmdline.may_claim = !is_replay(p) && p->cmdline.command != NULL &&
                           launcher_look(getenv).variable == NULL &&
                           (p->cmdline.test == NULL || builtin_find(p->cmdline.test) == NULL);
    if (p->cmdline.may_claim)
        p->claimed = options_create();
    if (cmdline_apply(&p->cmdline, p->options, false) != 0)
        return -1;
    if (is_replay(p) && replay_claim_options(p->options) != 0)
        return -1;
    return load_settings(p);
}

static int check_driver(const struct program *p)
{
    if (sql_chosen_driver(p->sql) != NULL)
        return 0;
    const char *meant = sql_driver_meant(options_string(p->options, "db-driver"));
    if (!p->usage.alias && meant != NULL)
        log_bare("Did you mean %s?", meant);
    return -1;
}

static void make_sql(struct program *p)
{
    p->sql = sql_create(p->options, p->settings.rand.seed, (unsigned)p->settings.threads,
                        (unsigned)settings_all_threads(&p->settings));
    sql_divide_pool(p->sql, &p->settings.rank);
    if (!p->usage.alias)
        sql_give_advice(p->sql);
    if (p->settings.slowest > 0)
        sql_time_statements(p->sql);
    sql_thread_enter(p->sql, NULL, 0);
    sql_report_waits(p->sql, p->settings.thread_init_timeout_ns, WAITS_INTERVAL_NS);
    sql_thread_report_waits();
}

/*
 * Gives the script the values of options that it declares although the program has options with the
 * same names. The settings of the program then have their defaults. Parts of the program were
 * already created for the number of threads in the settings, so the number of threads must not
 * depend on an option that the script has claimed.
 */
static int claim_options(struct program *p)
{
    const struct settings before = p->settings;
    bool changed;
    if (cmdline_claim(&p->cmdline, p->options, p->claimed, &changed) != 0)
        return -1;
    if (!changed)
        return 0;
    settings_fini(&p->settings);
    if (load_settings(p) != 0)
        return -1;
    p->settings.rand.seed = before.rand.seed;
    /* --json=-: outputs_make_room() has already replaced the path. */
    if (p->settings.json_path != NULL && strcmp(p->settings.json_path, "-") == 0)
        p->settings.json_path = before.json_path;
    p->rc.whole = p->settings;
    if (p->settings.threads == before.threads &&
        settings_all_threads(&p->settings) == settings_all_threads(&before))
        return 0;
    log_text(LOG_FATAL,
             "an option of %s has the name of an option of %s that sets the number of "
             "threads: give it another name",
             p->source.test, p->usage.name);
    return -1;
}

/* Loads the script of the test into the Lua state of the main thread; this makes the options of the
 * script known. */
static int load_test(struct program *p, int argc, char **argv)
{
    const bool alone = crew_is_one(&p->rc.crew);
    p->source = (struct script_source){.options = p->options,
                                       .claimed = alone ? p->claimed : NULL,
                                       .command = p->cmdline.command,
                                       .argc = argc,
                                       .argv = argv,
                                       .luajit_cmd = p->settings.luajit_cmd,
                                       .tool_name = p->usage.name,
                                       .tool_version = p->usage.version,
                                       .gives_advice = !p->usage.alias};
    if (script_source_init(&p->source, p->cmdline.test) != 0) {
        p->cmdline.misread = p->cmdline.test == p->cmdline.detached_value;
        usage_suggest(&p->usage, p->cmdline.test, p->source.folder);
        return -1;
    }
    make_sql(p);
    if (check_driver(p) != 0)
        return -1;
    rand_init(&p->rand, &p->settings.rand, 0);
    p->script = script_create(&p->source, SCRIPT_MAIN, &p->rand);
    if (p->script == NULL)
        return -1;
    script_export_options(p->script);
    if (script_load(p->script) != 0 || script_add_options(p->script, p->options) != 0) {
        script_source_tell_hidden(&p->source);
        return -1;
    }
    p->source.legacy = script_is_legacy(p->script);
    if (script_takes_any_option(p->script) &&
        cmdline_declare_rest(&p->cmdline, p->options, "legacy options") != 0)
        return -1;
    const bool takes_any = !script_has_options(p->script);
    if (p->source.claimed != NULL && claim_options(p) != 0)
        return -1;
    p->cmdline.may_claim = false; /* the script has claimed all that it declares */
    if (cmdline_apply(&p->cmdline, p->options, !takes_any) != 0)
        return -1;
    if (takes_any && !p->usage.alias)
        cmdline_tell_ignored(&p->cmdline);
    settings_warn(&p->settings);
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

/* Connects to the other ranks if the run has several processes. */
static int greet(struct program *p)
{
    return run_crew_hello(&p->rc, &p->settings, p->options, p->usage.version, p->source.text,
                          p->source.text_bytes);
}

/* Returns the role of this process in a run on several ranks. */
static struct run_ranks ranks_of(struct program *p)
{
    struct crew *crew = &p->rc.crew;
    if (!crew_is_one(crew))
        return (struct run_ranks){.ops = &team_ops, .arg = crew, .silent = !crew_leads(crew)};
    return (struct run_ranks){.ops = p->settings.node.count > 0 ? &node_ops : NULL};
}

static int execute_run(struct program *p, struct workload workload)
{
    const bool alone = crew_is_one(&p->rc.crew);
    struct run_setup setup = {.settings = &p->settings,
                              .whole = alone ? &p->settings : &p->rc.whole,
                              .ranks = ranks_of(p),
                              .options = p->options,
                              .version = p->usage.version,
                              .test = p->cmdline.test != NULL ? p->cmdline.test : "-",
                              .command = p->cmdline.command,
                              .workload = workload};
    return run_execute(&setup, &p->abandoned);
}

/* Makes the message that is logged if tables are missing. */
static void advise_to_prepare(struct program *p)
{
    if (p->usage.alias || script_find_command(p->script, "prepare") == SCRIPT_COMMAND_NONE)
        return;
    snprintf(p->prepare_advice, sizeof(p->prepare_advice),
             "Prepare first: %s %s prepare (with the same options)", p->usage.name, p->source.test);
    sql_set_prepare_advice(p->sql, p->prepare_advice);
}

/* Rank 0 opens the outputs of the whole run, other ranks only their own. */
static int check_outputs(const struct program *p)
{
    const struct settings *settings = crew_leads(&p->rc.crew) ? &p->rc.whole : &p->settings;
    if (settings->archive_path != NULL)
        archive_protect(settings->archive_path);
    if (outputs_check(settings, p->options) != 0)
        return -1;
    return settings->archive_path != NULL ? archive_check(settings->archive_path) : 0;
}

static int run_script(struct program *p)
{
    if (!script_has_function(p->script, "event") && !script_has_function(p->script, "thread_run")) {
        log_text(LOG_FATAL, "cannot find the event() function in %s", p->source.test);
        script_source_tell_hidden(&p->source);
        return EXIT_FAILED;
    }
    advise_to_prepare(p);
    if (check_outputs(p) != 0 || script_call(p->script, "init") != 0 ||
        script_take_rate(p->script, &p->settings, p->options) != 0)
        return EXIT_FAILED;
    p->workload = (struct script_workload){
        .source = &p->source, .settings = &p->settings, .sql = p->sql, .script = p->script};
    int code = execute_run(p, script_workload(&p->workload));
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

/* Returns the exit code of a command; `known` is false if the test does not have the command. */
static int end_command(const struct program *p, bool known, int status)
{
    if (!known && !p->usage.alias)
        cmdline_hint_command(p->cmdline.command);
    if (!known)
        script_source_tell_hidden(&p->source);
    return status == 0 ? EXIT_WELL : EXIT_FAILED;
}

static int execute_builtin(struct program *p, const struct builtin_ops *test)
{
    const char *command = p->cmdline.command;
    if (command == NULL) {
        log_bare("The '%s' test requires a command argument. See '%s %s help'", test->name,
                 p->usage.name, test->name);
        return EXIT_FAILED;
    }
    if (builtin_add_options(test, p->options) != 0 ||
        cmdline_apply(&p->cmdline, p->options, true) != 0 ||
        script_only_refuse(p->options, test->name) != 0)
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

/* Returns the file of a request of a tool, or NULL if the command is another one. */
static const char *settings_request(const char *command)
{
    const size_t length = strlen(SERVER_SETTINGS_COMMAND);
    return strncmp(command, SERVER_SETTINGS_COMMAND, length) == 0 ? command + length : NULL;
}

static bool is_run(const struct program *p)
{
    return p->cmdline.command != NULL && strcmp(p->cmdline.command, "run") == 0;
}

/* Returns the file to which a tool wants the load of the log written, or NULL if the command is
 * another one. */
static const char *load_request(const char *command)
{
    const size_t length = strlen(REPLAY_LOAD_COMMAND);
    return strncmp(command, REPLAY_LOAD_COMMAND, length) == 0 ? command + length : NULL;
}

static int run_replay(struct program *p)
{
    int code = EXIT_FAILED;
    if (replay_begin(&p->replay, p->sql, &p->settings) == 0)
        code = execute_run(p, replay_workload(&p->replay));
    if (!p->abandoned)
        replay_end(&p->replay);
    return code;
}

static int execute_replay(struct program *p)
{
    const char *command = p->cmdline.command, *files = p->cmdline.operand;
    if (replay_add_options(p->options) != 0 || cmdline_apply(&p->cmdline, p->options, true) != 0)
        return EXIT_FAILED;
    if (files != NULL && strcmp(command != NULL ? command : files, "help") == 0) {
        replay_print_help(p->options, stdout);
        return EXIT_WELL;
    }
    if (files != NULL && replay_asks_for_law(p->options) && (command == NULL || is_run(p)))
        return replay_print_law(files, p->options, p->settings.json_path) == 0 ? EXIT_WELL
                                                                               : EXIT_FAILED;
    if (command == NULL) {
        log_bare("replay needs a log and a command: %s replay LOG run. See '%s replay help'",
                 p->usage.name, p->usage.name);
        return EXIT_FAILED;
    }
    p->began = true;
    if (settings_request(command) != NULL) {
        make_sql(p);
        return server_settings_execute(settings_request(command));
    }
    const char *load_path = load_request(command);
    if (strcmp(command, "run") != 0 && load_path == NULL) {
        cmdline_refuse_command(REPLAY_NAME, command);
        return EXIT_FAILED;
    }
    if (!crew_is_one(&p->rc.crew)) {
        log_text(LOG_FATAL, "replay must run in one process, because that has all sessions");
        return EXIT_FAILED;
    }
    if (replay_init(&p->replay, p->cmdline.operand, p->options, &p->settings) != 0)
        return EXIT_FAILED;
    if (load_path != NULL)
        return replay_write_load(&p->replay, load_path) == 0 ? EXIT_WELL : EXIT_FAILED;
    limits_allow_files(p->settings.threads);
    make_sql(p);
    if (check_driver(p) != 0 || greet(p) != 0 || check_outputs(p) != 0)
        return EXIT_FAILED;
    return run_replay(p);
}

static bool meet_crew(void *crew)
{
    return crew_meet(crew);
}

static int run_command(struct program *p, const char *command)
{
    struct crew *crew = &p->rc.crew;
    const bool alone = crew_is_one(crew) || rank_is_alone(&p->settings.rank);
    const struct command_peers peers = {crew->world.rank, crew->world.ranks, meet_crew, crew};
    return command_run(command, &p->settings, &p->source, p->sql, p->script, alone ? NULL : &peers);
}

static int execute_command(struct program *p)
{
    const char *command = p->cmdline.command;
    if (command == NULL)
        return EXIT_WELL;
    p->began = true;
    if (strcmp(command, "help") == 0)
        return help_on_test(p);
    if (settings_request(command) != NULL)
        return server_settings_execute(settings_request(command));
    if (greet(p) != 0)
        return EXIT_FAILED;
    if (strcmp(command, "run") == 0)
        return run_script(p);
    if (settings_leave_command(&p->settings, command)) {
        log_text(LOG_NOTICE, "'%s' is executed by rank 0 alone", command);
        return EXIT_WELL;
    }
    const bool known = script_find_command(p->script, command) != SCRIPT_COMMAND_NONE;
    return end_command(p, known, run_command(p, command));
}

static int print_help(struct program *p)
{
    if (!is_replay(p)) {
        usage_help(&p->usage, p->cmdline.test);
        return EXIT_WELL;
    }
    if (replay_add_options(p->options) != 0)
        return EXIT_FAILED;
    replay_print_help(p->options, stdout);
    return EXIT_WELL;
}

/* Handles "help OPTION". Returns true if it has printed the meaning of an option. */
static bool explain_option(struct program *p)
{
    const char *test = p->cmdline.test, *command = p->cmdline.command;
    if (p->usage.alias || test == NULL || command == NULL || strcmp(command, "help") != 0 ||
        script_source_exists(test))
        return false;
    char *folder = script_source_bundled();
    const bool found = usage_option(&p->usage, test, folder, stdout);
    free(folder);
    return found;
}

static int execute(struct program *p, int argc, char **argv)
{
    if (read_options(p, argc, argv) != 0)
        return EXIT_FAILED;
    if (options_bool(p->options, "version")) {
        usage_version(&p->usage);
        return EXIT_WELL;
    }
    if (options_bool(p->options, "help"))
        return print_help(p);
    if ((is_run(p) || is_replay(p)) && outputs_make_room(&p->settings) != 0)
        return EXIT_FAILED;
    follower_speak(&p->follower);
    const enum run_crew_part part = run_crew_join(&p->rc, &p->settings, &p->cmdline);
    if (part != RUN_CREW_FAILED || !crew_is_one(&p->rc.crew))
        follower_go_on(&p->follower);
    if (part != RUN_CREW_PART)
        return part == RUN_CREW_NONE ? EXIT_WELL : EXIT_FAILED;
    limits_allow_files(p->settings.threads);
    log_text(LOG_NOTICE, "%s %s (using %s%s)\n", p->usage.name, p->usage.version,
             p->usage.alias ? "system " : "", LUAJIT_VERSION);
    if (!p->cmdline.may_claim)
        settings_warn(&p->settings);
    if (is_replay(p))
        return execute_replay(p);
    const struct builtin_ops *builtin =
        p->cmdline.test != NULL ? builtin_find(p->cmdline.test) : NULL;
    if (builtin != NULL)
        return execute_builtin(p, builtin);
    if (explain_option(p))
        return EXIT_WELL;
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
    replay_fini(&p->replay);
    settings_fini(&p->settings);
    options_destroy(p->options);
    options_destroy(p->claimed);
    cmdline_fini(&p->cmdline);
}

/* Fails if standard output could not be written, for example because a disk is full. */
static int flush_output(int code)
{
    return log_end() || code != EXIT_WELL ? code : EXIT_FAILED;
}

/* Handles what sysbench does not have (the help at a terminal, `list`), then executes the
 * command. */
static int execute_all(struct program *p, int argc, char **argv)
{
    if (!p->usage.alias && argc == 1 && isatty(STDIN_FILENO))
        return usage_beginning(&p->usage), EXIT_WELL;
    if (!p->usage.alias && argc == 2 && strcmp(argv[1], "list") == 0)
        return usage_list(&p->usage), EXIT_WELL;
    int code = execute(p, argc, argv);
    if (code == EXIT_FAILED && !p->usage.alias && !p->began)
        cmdline_hint(&p->cmdline, p->options);
    if (code == EXIT_WELL)
        follower_go_on(&p->follower);
    else
        follower_fail(&p->follower);
    return code;
}

static int fail_as_follower(void)
{
    struct follower follower;
    follower_begin(&follower);
    follower_fail(&follower);
    return EXIT_FAILED;
}

/* Not a part of main(), because its variables may be larger than the stack. */
__attribute__((noinline)) static int run_program(int argc, char **argv)
{
    char *instead[TOPICS_WORDS + 1];
    secret_learn(&sql_secret_words);
    if (!is_alias(argv[0]))
        argv = topics_turn(&argc, argv, instead);
    const struct tool *tool = argc > 1 ? tool_find(argv[1]) : NULL;
    if (tool != NULL && crew_refuses_tool(tool->name))
        return flush_output(fail_as_follower());
    if (tool != NULL)
        return flush_output(tool->main(argc - 1, argv + 1));
    struct program p = {.options = options_create()};
    p.usage.options = p.options;
    follower_begin(&p.follower);
    set_identity(&p, argv[0]);
    p.cmdline.as_sysbench = p.usage.alias;
    p.cmdline.operand_test = p.usage.alias ? NULL : REPLAY_NAME;
    int code = run_crew_leave(&p.rc, flush_output(execute_all(&p, argc, argv)));
    if (p.abandoned)
        _exit(code);
    program_fini(&p);
    return code;
}

int main(int argc, char **argv)
{
    return limits_begin() == 0 ? run_program(argc, argv) : EXIT_FAILED;
}
