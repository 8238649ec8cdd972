/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes the command that restarts a server (--restart-command). */
#ifndef SERVER_RESTART_H
#define SERVER_RESTART_H

#include <jansson.h>
#include <stdint.h>

/*
 * Writes an option file for MySQL and MariaDB with `settings` ({"NAME": "VALUE", …}) to the folder,
 * executes the words of `command` with the variable SYSRATE_SERVER_OPTIONS set to the path of this
 * file, and waits for the end of the command until `limit_ns` (CLOCK_MONOTONIC). The output of the
 * command is appended to "restart.log" in the folder. Returns −1 after an error and stores a line
 * about it in *failure, which the caller frees.
 */
int server_restart(const char *command, const json_t *settings, const char *folder,
                   int64_t limit_ns, char **failure);

#endif
