/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/usage.h"

#include <jansson.h>
#include <luajit.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/installed.h"
#include "base/log.h"
#include "base/near.h"
#include "main/tools.h"
#include "main/topics.h"
#include "ranks/launch/plugin.h"
#include "report/live/prom_server.h"
#include "sql/sql.h"
#include "stats/machine/exporter.h"
#include "tools/service_start.h"
#include "workloads/builtins/builtin_list.h"
#include "workloads/replay/log/log_stream.h"
#include "workloads/replay/replay.h"
#include "workloads/script/bundled/bundled.h"
#include "workloads/script/script_source.h"

static void print_drivers(bool libraries)
{
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++) {
        printf("  %s - %s", driver->name, driver->description);
        if (libraries && driver->library != NULL)
            printf(" (%s)", driver->library());
        printf("\n");
    }
}

static void print_libraries(void)
{
    print_drivers(true);
    if (sql_drivers_left_out() != NULL)
        printf("Left out of this build:%s\n", sql_drivers_left_out());
    char *plugin = plugin_find();
    printf("Plug-in for Open MPI: %s\n", plugin != NULL ? plugin : "not installed");
    free(plugin);
    const char *prom = prom_server_library();
    printf("Metrics over HTTP (--prom): %s\n", prom != NULL ? prom : "left out of this build");
    const char *archive = log_stream_library();
    printf("Logs in bzip2, xz and zstd (sysrate replay): %s\n",
           archive != NULL ? archive : "left out of this build");
    const char *curl = exporter_library();
    printf("Metrics of other machines (--machine-metrics): %s\n",
           curl != NULL ? curl : "left out of this build");
    char *service = installed_program(SERVICE_PROGRAM);
    printf("Service (sysrate serve): %s\n", service != NULL ? service : "not installed");
    free(service);
}

void usage_version(const struct usage *u)
{
    printf("%s %s\n", u->name, u->version);
    if (u->alias)
        return;
    printf("Built with %s, SQLite %s, jansson %s. Database drivers:\n", LUAJIT_VERSION,
           SQLITE_VERSION, JANSSON_VERSION);
    print_libraries();
}

static void print_group(const struct usage *u, const char *group)
{
    printf("%s:\n", group);
    options_help(u->options, group, false, stdout);
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

void usage_list(const struct usage *u)
{
    printf("Built-in tests:\n");
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        print_test(NULL, (*test)->name, (*test)->description);
    print_test(NULL, REPLAY_NAME, REPLAY_DESCRIPTION);
    printf("\n");
    print_bundled();
    printf("Tools:\n");
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        print_test(NULL, tool->name, tool->description);
    printf("\nA Lua script of your own is a test, too: %s ./my.lua run\n"
           "See '%s NAME help' for the options of a test.\n",
           u->name, u->name);
}

void usage_beginning(const struct usage *u)
{
    printf("%s %s: a sysbench-compatible database benchmark with a fixed arrival rate\n\n"
           "  %s list                          list of tests and tools\n"
           "  %s oltp_read_write help          options of a test\n"
           "  %s --db-driver=sqlite --sqlite-db=test.db oltp_read_write prepare\n"
           "  %s --db-driver=sqlite --sqlite-db=test.db --tx-rate=100 oltp_read_write run\n"
           "  %s --help                        all options\n"
           "  %s -                             reads a script from standard input\n",
           u->name, u->version, u->name, u->name, u->name, u->name, u->name, u->name);
}

/* Prints the options of the database drivers, and the built-in tests. */
static void print_drivers_and_tests(const struct usage *u)
{
    printf("Compiled-in database drivers:\n");
    print_drivers(false);
    printf("\n");
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++) {
        char group[64];
        snprintf(group, sizeof(group), "%s options", driver->name);
        print_group(u, group);
    }
    printf("Compiled-in tests:\n");
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        printf("  %s - %s\n", (*test)->name, (*test)->description);
    if (!u->alias)
        printf("  %s - %s\n", REPLAY_NAME, REPLAY_DESCRIPTION);
    printf("\n");
}

/* Prints the page under the name sysbench, with its headings. */
static void print_help_of_sysbench(const struct usage *u)
{
    print_group(u, "General options");
    print_group(u, "Pseudo-Random Numbers Generator options");
    print_group(u, "Log options");
    print_group(u, "General database options");
    print_drivers_and_tests(u);
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        printf("  %s %s - %s\n", u->name, tool->name, tool->description);
    printf("See '%s <testname> help' for a list of options for each test.\n\n", u->name);
}

void usage_help(const struct usage *u, const char *test)
{
    printf("Usage:\n  %s [options]... [testname] [command]\n\n"
           "Commands implemented by most tests: prepare run cleanup help\n\n",
           u->name);
    if (u->alias) {
        print_help_of_sysbench(u);
        return;
    }
    topics_print_options(u->options);
    printf("Reach a database:\n");
    options_help(u->options, "General database options", false, stdout);
    printf("\n");
    print_drivers_and_tests(u);
    print_bundled();
    topics_print_tools(u->name);
    printf("See '%s %s help' for a list of options for %s test.\n"
           "See '%s help TOOL' for a tool, such as '%s help sweep'.\n\n",
           u->name, test != NULL ? test : "<testname>", test != NULL ? "this" : "each", u->name,
           u->name);
}

static void offer_test(void *arg, const char *name, const char *sentence)
{
    (void)sentence;
    struct near *near = arg;
    const char *before = near->best;
    near_offer(near, name);
    /* Copy the name, which becomes invalid after the visit. The copy is not freed because the
     * program ends soon. */
    if (near->best != before)
        near->best = xstrdup(name);
}

/* Tests that have the option `option`, separated by commas. */
struct having {
    const char *folder, *option;
    FILE *names;
};

static void note_test(void *arg, const char *name, const char *sentence)
{
    (void)sentence;
    const struct having *having = arg;
    if (bundled_declares(having->folder, name, having->option))
        fprintf(having->names, "%s%s", ftell(having->names) > 0 ? ", " : "", name);
}

/* Names the tests that have this option. Returns false if there is no such test. */
static bool name_tests(const struct usage *u, const char *option, const char *folder, FILE *out)
{
    char *names = NULL;
    size_t bytes = 0;
    struct having having = {folder, option, checked_alloc(open_memstream(&names, &bytes))};
    for (const struct builtin_ops *const *test = builtin_tests; *test != NULL; test++)
        for (size_t i = 0; i < (*test)->row_count; i++)
            if (option_name_is(option, (*test)->rows[i].name))
                fprintf(having.names, "%s%s", ftell(having.names) > 0 ? ", " : "", (*test)->name);
    bundled_each(folder, note_test, &having);
    if (fclose(having.names) != 0)
        checked_alloc(NULL);
    if (names[0] != '\0')
        fprintf(out, "'%s' is an option of %s. '%s help %.*s' prints its meaning.\n", option, names,
                u->name, (int)strcspn(names, ","), names);
    free(names);
    return bytes > 0;
}

bool usage_option(const struct usage *u, const char *name, const char *folder, FILE *out)
{
    const struct option_spec *option = options_find(u->options, name);
    if (option == NULL || option->help == NULL)
        return name_tests(u, name, folder, out);
    fprintf(out, "'%s' is an option:\n", name);
    options_help_rows(&option, 1, out);
    return true;
}

/* Prints a suggestion after an unknown test. */
void usage_suggest(const struct usage *u, const char *test, const char *folder)
{
    if (u->alias || test == NULL)
        return;
    if (strcmp(test, "help") == 0) {
        log_bare("See '%s --help' for all options, '%s list' for the tests.", u->name, u->name);
        return;
    }
    if (strcmp(test, "run") == 0 || strcmp(test, "prepare") == 0 || strcmp(test, "cleanup") == 0) {
        log_bare("The name of a test comes before the command: %s TEST %s. See '%s list'.", u->name,
                 test, u->name);
        return;
    }
    if (usage_option(u, test, folder, stderr))
        return;
    struct near near = near_to(test);
    for (const struct builtin_ops *const *own = builtin_tests; *own != NULL; own++)
        offer_test(&near, (*own)->name, NULL);
    offer_test(&near, REPLAY_NAME, NULL);
    for (const struct tool *tool = tools; tool->name != NULL; tool++)
        offer_test(&near, tool->name, NULL);
    bundled_each(folder, offer_test, &near);
    if (near.best != NULL)
        log_bare("Did you mean %s? See '%s list'.", near.best, u->name);
}
