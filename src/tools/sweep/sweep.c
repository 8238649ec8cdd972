/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "options/labels.h"
#include "report/page/html.h"
#include "tools/out_folder.h"
#include "tools/sweep/sweep_internal.h"

static const struct option_spec rows[] = {
    {"vary", OPTION_STRING,
     .help = "NAME=VALUE,...: an option of the test and its values; repeat for all combinations "
             "of several options",
     .field = OPTION_NO_FIELD},
    {"vary-server", OPTION_STRING,
     .help = "NAME=VALUE,...: a setting of the database server and its values; "
             "needs --allow-server-changes",
     .field = OPTION_NO_FIELD},
    SERVER_SETTINGS_ROWS,
    {"out", OPTION_FILE,
     .help = "folder for the results; only runs whose result is missing are made",
     .check = out_folder_check, .field = OPTION_NO_FIELD},
    {"repeat", OPTION_INT, "1", "runs of each combination, in shuffled order", 1, 10000,
     .field = OPTION_NO_FIELD},
    {"seed", OPTION_INT,
     .help = "seed of the order (default: from the clock); given, the order is always shuffled",
     .max = 9e15, .field = OPTION_NO_FIELD},
    {"prepare", OPTION_BOOL, "off", "execute the command prepare of the test before each run",
     .field = OPTION_NO_FIELD},
    {"cleanup", OPTION_BOOL, "off", "execute the command cleanup of the test after each run",
     .field = OPTION_NO_FIELD},
    {"archive", OPTION_STRING, .help = "add each run to the archive in this folder",
     .check = out_folder_check, .field = OPTION_NO_FIELD},
    {"label", OPTION_STRING, .help = "label of each run; may be repeated", .check = label_check,
     .field = OPTION_NO_FIELD, .repeats = true},
    SUBJECT_LAUNCHER_ROW,
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate sweep --vary=NAME=VALUE,... --out=DIR [options] -- TEST [options]\n\n"
    "Runs the test with all combinations of values; a table and a page compare the results.\n\n",
    "sweep options",
    rows,
    ARRAY_SIZE(rows),
};

/* Options. */

/* Returns true if the last --vary names an option that an earlier --vary has named. */
static bool is_repeated(const struct sweep *sweep)
{
    const char *name = sweep->vary[sweep->varied - 1].name;
    for (size_t k = 0; k + 1 < sweep->varied; k++)
        if (option_name_is(sweep->vary[k].name, name))
            return true;
    return false;
}

static bool has_secret(const struct vary *vary)
{
    bool secret = option_is_secret(vary->name);
    for (size_t i = 0; i < vary->count && !secret; i++)
        secret = subject_value_is_secret(vary->name, vary->value[i]);
    return secret;
}

static int add_vary(struct sweep *sweep, const char *option, const char *text)
{
    const bool server = option_name_is(option, "vary-server");
    sweep->vary = xrealloc(sweep->vary, (sweep->varied + 1) * sizeof(*sweep->vary));
    struct vary *vary = &sweep->vary[sweep->varied++];
    const char *allowed = server ? vary_parse_server(vary, text) : vary_parse(vary, text);
    if (has_secret(vary))
        log_text(LOG_FATAL, "sweep: passwords cannot be varied");
    else if (allowed != NULL)
        log_text(LOG_FATAL, "invalid value for --%s: '%s' (allowed: %s)", option, text, allowed);
    else if (is_repeated(sweep))
        log_text(LOG_FATAL, "sweep: --%s=%s was given twice", option,
                 vary->name + (server ? strlen(SERVER_PREFIX) : 0));
    else if (server)
        return 0;
    else
        return subject_check_option(vary->name);
    return -1;
}

/* The option set keeps only the last --vary, so all are read from the command line. */
static int add_varies(struct sweep *sweep)
{
    const struct cmdline *cmd = &sweep->subject.own;
    for (unsigned i = 0; i < cmd->count; i++)
        if ((option_name_is(cmd->assignments[i].name, "vary") ||
             option_name_is(cmd->assignments[i].name, "vary-server")) &&
            add_vary(sweep, cmd->assignments[i].name, cmd->assignments[i].value) != 0)
            return -1;
    return 0;
}

static int read_settings(struct sweep *sweep)
{
    const struct options *set = sweep->subject.options;
    sweep->repeat = (unsigned)options_int(set, "repeat");
    sweep->prepare = options_bool(set, "prepare");
    sweep->cleanup = options_bool(set, "cleanup");
    sweep->folder = options_string(set, "out");
    sweep->shuffled = sweep->repeat > 1 || options_get(set, "seed")->given;
    sweep->seed =
        options_get(set, "seed")->given ? options_int(set, "seed") : clock_seed(CLOCK_SHORT_SEED);
    if (sweep->folder == NULL)
        log_text(LOG_FATAL, "sweep: --out=DIR is needed, a folder for the results");
    else if (sweep->varied == 0 && sweep->repeat == 1)
        log_text(LOG_FATAL,
                 "sweep: nothing to compare: --vary=NAME=VALUE,... or --repeat=N is needed");
    else if (sweep_varies_server(sweep) && !options_bool(set, "allow-server-changes"))
        log_text(LOG_FATAL, "sweep: --vary-server changes settings of the server, which must be "
                            "permitted by --allow-server-changes");
    else
        return 0;
    return -1;
}

/* Checks the options and values before anything is run: the test reports mistakes itself. */
static int check_test(const struct sweep *sweep)
{
    struct child *child = subject_child(&sweep->subject, "help");
    if (child == NULL)
        return -1;
    for (size_t k = 0; k < sweep->varied; k++)
        for (size_t i = 0; i < sweep->vary[k].count && !sweep->vary[k].server; i++)
            child_arg(child, "--%s=%s", sweep->vary[k].name, sweep->vary[k].value[i]);
    return subject_finish(child);
}

/* Functions that write the page. */

static int write_page(const struct sweep *sweep)
{
    struct report_document *documents = xcalloc(sweep->count, sizeof(*documents));
    struct html_run *runs = xcalloc(sweep->count, sizeof(*runs));
    size_t count = 0;
    int status = 0;
    for (size_t i = 0; i < sweep->count && status == 0; i++) {
        if (sweep->point[i].state != POINT_MEASURED)
            continue;
        status = report_document_load(&documents[count], sweep->point[i].path);
        runs[count] = (struct html_run){sweep->point[i].label, &documents[count]};
        count += status == 0;
    }
    char *path = out_folder_path(sweep->folder, "page.html");
    if (status == 0 && count > 0 && (status = html_write(path, runs, count)) == 0)
        printf("\nThe page is %s\n", path);
    free(path);
    for (size_t i = 0; i < count; i++)
        report_document_fini(&documents[i]);
    free(documents);
    free(runs);
    return status;
}

/* The complete sweep. */

static void print_plan(const struct sweep *sweep)
{
    size_t there = 0;
    for (size_t i = 0; i < sweep->count; i++)
        there += sweep->point[i].state == POINT_MEASURED;
    printf("Sweep of %s: %zu runs, %zu of them finished earlier, results in %s\n",
           sweep->subject.cmdline.test, sweep->count, there, sweep->folder);
    if (sweep->shuffled)
        printf("Order shuffled with --seed=%lld\n", (long long)sweep->seed);
    printf("\n");
    log_flush_stdout();
}

/* Returns −1 after a logged message if an injection failed, because its run did not measure what
 * was asked for. */
static int check_injections(const struct sweep *sweep)
{
    size_t failed = 0;
    for (size_t i = 0; i < sweep->count; i++)
        failed += sweep->point[i].injection_failure != NULL;
    if (failed == 0)
        return 0;
    log_text(
        LOG_ALERT,
        "sweep: an injection failed in %zu of %zu runs (see the notes in the table). To repeat "
        "them, remove their reports from %s and give the same command again",
        failed, sweep->count, sweep->folder);
    return -1;
}

static int report(const struct sweep *sweep)
{
    int status = check_injections(sweep);
    if (sweep_write_table(sweep) != 0)
        status = -1;
    if (sweep_write_csv(sweep) != 0)
        status = -1;
    if (html_available() && write_page(sweep) != 0)
        status = -1;
    return status;
}

static int execute(struct sweep *sweep, bool seed_given)
{
    if (check_test(sweep) != 0 || sweep_make_points(sweep) != 0 ||
        sweep_folder_open(sweep, seed_given) != 0 || sweep_server_begin(sweep) != 0)
        return EXIT_FAILED;
    print_plan(sweep);
    int status = sweep_run(sweep);
    if (sweep->begun && report(sweep) != 0)
        status = -1;
    if (interrupt_signal() != 0)
        return EXIT_BY_SIGNAL + interrupt_signal();
    return status == 0 && !sweep->failed ? EXIT_WELL : EXIT_FAILED;
}

/* Returns −1 if the sweep should continue, otherwise the exit code. */
static int read_options(struct sweep *sweep, int argc, char **argv)
{
    int code = subject_init(&sweep->subject, &tool, argc, argv);
    if (code < 0 && (add_varies(sweep) != 0 || read_settings(sweep) != 0))
        return EXIT_FAILED;
    return code;
}

int sweep_main(int argc, char **argv)
{
    struct sweep sweep = {.lock_fd = -1};
    int code = read_options(&sweep, argc, argv);
    if (code < 0)
        code = execute(&sweep, options_get(sweep.subject.options, "seed")->given);
    sweep_fini(&sweep);
    return code;
}
