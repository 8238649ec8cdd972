/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passwords of the drivers of database servers: from an option, from a file, or from a command that
 * is executed when a connection needs a password. No function logs or shows a password. */
#ifndef PASSWORD_H
#define PASSWORD_H

#include <stdbool.h>

#include "drivers/driver.h"

/* The source of passwords of one driver. All threads use it. */
struct password;

/* Help text and check for the option of the command. */
#define PASSWORD_COMMAND_HELP                                                                      \
    "command whose first line of output is the password of new connections, executed without a "   \
    "shell unless it begins with sh:"
const char *password_check_command(const char *value);

/*
 * Reads the driver's options for a password, its file and its command; the first of them that is
 * given counts. `command` is used if none is given (NULL for none). Returns NULL after a logged
 * message.
 */
struct password *password_create(const struct options *options, const char *driver,
                                 const char *command);
void password_destroy(struct password *password);

/*
 * Opens a connection: calls `open` with the password, or with NULL if none is given. If the
 * password came from a command, was not new, and the server has refused it, executes the command
 * and calls `open` once more. `refused` returns true if an error means that the password is wrong.
 * Returns DRIVER_ERROR if the command fails or takes longer than its time limit.
 */
enum driver_status password_connect(struct driver_conn *conn, struct password *password,
                                    enum driver_status (*open)(struct driver_conn *conn,
                                                               const char *password),
                                    bool (*refused)(const struct sql_failure *error));

#endif
