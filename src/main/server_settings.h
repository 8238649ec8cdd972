/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command by which a tool reads, changes and restores settings of the server that a test uses:
 * `sysrate TEST [options] server-settings:FILE`. The tool writes its request to FILE, a JSON
 * object, and starts this command as a child; so the child connects exactly as the runs of the tool
 * do:
 *
 *   op           "read", "set" or "restore"
 *   host         "HOST[:PORT]" or a socket path; null: the server in the options
 *   settings     array of objects: name, wanted (for "set"); and the state from "read", which
 *                "set" and "restore" need: value, scope, kept
 *   replication  array of statements that start replication, from "read"
 *
 * The answer replaces the request: the states, the running replication, where (the server, for
 * messages), restart (names of settings that need a restart of the server), and
 * replication_restarted (replication was stopped and started).
 */
#ifndef SERVER_SETTINGS_H
#define SERVER_SETTINGS_H

/* The command without the name of the file. */
#define SERVER_SETTINGS_COMMAND "server-settings:"

/* Executes the request in the file. The calling thread is bound to a struct sql. Returns an exit
 * code, after a logged message if it is not 0. */
int server_settings_execute(const char *path);

#endif
