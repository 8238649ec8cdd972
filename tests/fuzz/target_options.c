/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets for the command line (each line of an input is an argument) and for --config-file.
 * Options
 * are collected, applied, checked together, and passed to the drivers and a built-in test, as in
 * main.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fuzz.h"
#include "options/cmdline.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"
#include "report/json/report_json_value.h"
#include "sql/sql.h"
#include "workloads/builtins/builtin.h"
#include "workloads/builtins/builtin_list.h"

static void run_options(const uint8_t *data, size_t bytes);
static void run_config(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_options = {.name = "options", .run = run_options};
const struct fuzz_target fuzz_config = {.name = "config", .run = run_config};

#define ARGUMENTS 64

/* True if the text contains a path in /dev, /proc or /sys. Such inputs are skipped: some of these
 * files have no end, and their contents differ between machines. */
static bool names_file(const char *text)
{
    return strstr(text, "/dev") != NULL || strstr(text, "/proc") != NULL ||
           strstr(text, "/sys") != NULL;
}

static void try_value(void *arg, const struct option_spec *row, const struct option_value *value)
{
    (void)arg;
    json_t *json = value_option(row, value);
    FUZZ_CHECK(json != NULL);
    json_decref(json);
}

static void try_drivers(const struct options *set)
{
    const struct driver_ops *driver;
    for (unsigned i = 0; (driver = sql_driver_at(i)) != NULL; i++) {
        void *shared = NULL;
        /* Drivers in plug-ins are not tested here. */
        if (driver->whole != NULL || driver->init == NULL || driver->init(set, &shared) != 0)
            continue;
        if (driver->servers != NULL)
            FUZZ_CHECK(driver->servers(shared) > 0);
        if (driver->fini != NULL)
            driver->fini(shared);
    }
}

static void try_builtin(struct cmdline *cmd, struct options *set, struct settings *settings)
{
    const struct builtin_ops *test = cmd->test != NULL ? builtin_find(cmd->test) : NULL;
    struct builtin builtin = {0};
    if (test == NULL || builtin_add_options(test, set) != 0 || cmdline_apply(cmd, set, true) != 0)
        return;
    builtin_init(&builtin, test, set, settings);
    builtin_fini(&builtin);
}

static void try_settings(struct cmdline *cmd, struct options *set)
{
    struct settings settings;
    if (settings_load(&settings, set) == 0 && settings_take_part(&settings, cmd->command) == 0) {
        FUZZ_CHECK(settings.threads > 0 && settings.rate >= 0);
        try_drivers(set);
        try_builtin(cmd, set, &settings);
    }
    settings_fini(&settings);
}

static void try_arguments(int argc, char **argv)
{
    struct cmdline cmd = {.operand_test = "replay"};
    struct options *set = options_create();
    FUZZ_CHECK(settings_add_options(set) == 0 && sql_add_options(set) == 0);
    if (cmdline_collect(&cmd, argc, argv) == 0 && cmdline_apply(&cmd, set, false) == 0) {
        options_each(set, try_value, NULL);
        try_settings(&cmd, set);
        if (cmdline_declare_rest(&cmd, set, "rest") == 0)
            cmdline_apply(&cmd, set, true);
        cmdline_tell_ignored(&cmd);
    }
    cmdline_hint(&cmd, set);
    if (cmd.command != NULL)
        cmdline_hint_command(cmd.command);
    options_destroy(set);
    cmdline_fini(&cmd);
}

static void run_options(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), *rest = text;
    char *argv[ARGUMENTS + 2] = {"sysrate"};
    int argc = 1;
    while (!names_file(text) && argc <= ARGUMENTS && (argv[argc] = fuzz_line(&rest)) != NULL)
        if (strncmp(argv[argc], "--config", strlen("--config")) != 0)
            argc++;
    argv[argc] = NULL;
    try_arguments(argc, argv);
    free(text);
}

static void run_config(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), argument[64];
    struct fuzz_file file;
    char *argv[] = {"sysrate", argument, "cpu", "run", NULL};
    fuzz_file_init(&file, data, bytes);
    snprintf(argument, sizeof(argument), "--config-file=%s", file.path);
    if (!names_file(text))
        try_arguments(4, argv);
    fuzz_file_fini(&file);
    free(text);
}
