/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of a database server as a variable of a tool. The tool sets values before its runs; the
 * old values are restored at its end, and after a crash by its next start in the same folder.
 *
 * A child of the program connects with the options of the test and executes each request
 * (main/server_settings.h). Before the first change, the journal in the folder of the results gets
 * the old state; it is removed when the old state is restored. So a server differs from its old
 * state only if there is a journal. Journals have no passwords: settings that may hold a password
 * are refused.
 *
 * Order of calls: server_settings_recover(), server_settings_begin(), server_settings_arm(), then
 * server_settings_try() and server_settings_set() any number of times, server_settings_restore().
 * All calls are made by one thread.
 */
#ifndef SERVER_SETTINGS_TOOL_H
#define SERVER_SETTINGS_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/subject.h"

/* Name of the journal in the folder of the results. */
#define SERVER_SETTINGS_JOURNAL "server-settings.journal"

/* Options of tools that vary settings of a server. */
#define SERVER_SETTINGS_ROWS                                                                       \
    {"allow-server-changes", OPTION_BOOL, "off",                                                   \
     "permit changes of settings of the server; the old values are restored at the end",           \
     .field = OPTION_NO_FIELD},                                                                    \
        {"server-setting-host", OPTION_STRING,                                                     \
         .help = "HOST[:PORT] or socket of the server whose settings are changed, such as a "      \
                 "replica; default: the server of the test",                                       \
         .check = server_settings_check_host, .field = OPTION_NO_FIELD},                           \
        {"restart-command", OPTION_STRING,                                                         \
         .help = "program and options that restart the server, for settings that need it; the "    \
                 "file named by SYSRATE_SERVER_OPTIONS has the settings for MySQL and MariaDB",    \
         .check = subject_check_launcher, .field = OPTION_NO_FIELD},                               \
    {                                                                                              \
        "restart-timeout", OPTION_SECONDS, "60",                                                   \
            "seconds until the server must use the values after --restart-command", 1, 86400,      \
            .field = OPTION_NO_FIELD                                                               \
    }

struct server_settings {
    const struct subject *subject; /* the test, whose server is meant; has the rows above */
    const char *folder;            /* folder of the results */
    json_t *state;                 /* old state, as in the journal; NULL before begin */
    json_t *restart;               /* settings that need a restart: an object with their names */
    bool journaled;                /* the journal exists, so a change may have been made */
    bool said_replication;         /* that replication is restarted was printed */
    bool restoring;                /* a signal does not end waiting for the server */
};

/* Check function of the row: returns NULL or a description of allowed values. */
const char *server_settings_check_host(const char *text);

/* Returns NULL if a tool may change the setting `name`, otherwise a description of allowed names.
 */
const char *server_settings_check_name(const char *name);

/* Empties `settings`; both arguments must outlive it. */
void server_settings_init(struct server_settings *settings, const struct subject *subject,
                          const char *folder);
void server_settings_fini(struct server_settings *settings);

/*
 * Restores the old values if an earlier call has left a journal in the folder, which the caller has
 * locked. Prints a line then. Returns −1 after a logged message if the values cannot be restored,
 * or --allow-server-changes is missing.
 */
int server_settings_recover(struct server_settings *settings);

/*
 * Reads the old state of the settings that are the keys of `values` ({"NAME": ["VALUE", …], …}),
 * and prints what will be changed. Changes nothing. Returns −1 after a logged message, for example
 * about an unknown setting.
 */
int server_settings_begin(struct server_settings *settings, const json_t *values);

/* Writes the journal. Returns −1 after a logged message. */
int server_settings_arm(struct server_settings *settings);

/*
 * Sets the settings that are keys of `values` ({"NAME": "VALUE", …}) and gives the others their old
 * values. Restarts the server if that is needed. Checks in a new session that the server uses the
 * values. Returns −1 after an error and stores a line about it in *failure, which the caller frees.
 */
int server_settings_set(struct server_settings *settings, json_t *values, char **failure);
/* The same, without restarts: a value that needs one counts as set if --restart-command is given.
 */
int server_settings_try(struct server_settings *settings, json_t *values, char **failure);

/* Restores the old state, removes the journal and prints a line. Does nothing if there is no
 * journal. Returns −1 after a logged message; the journal is kept then. */
int server_settings_restore(struct server_settings *settings);

#endif
