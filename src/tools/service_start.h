/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sysrate serve`: replaces this process by the program sysrate-serve. The service is a separate
 * program, so that its sessions, tokens and webhooks are not in a process that loads scripts of
 * users and has passwords of databases.
 */
#ifndef SERVICE_START_H
#define SERVICE_START_H

#define SERVICE_PROGRAM "sysrate-serve"

/* Does not return if the program exists. Otherwise returns EXIT_FAILED after a logged message that
 * names the package to install. */
int service_start_main(int argc, char **argv);

#endif
