/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sysrate serve`: executes the program sysrate-serve in place of this one. The service is a
 * program of its own, so that sessions, tokens and webhooks are not in the process that loads
 * scripts of users and has passwords of databases.
 */
#ifndef SERVICE_START_H
#define SERVICE_START_H

#define SERVICE_PROGRAM "sysrate-serve"

/* Does not return if the program is there. Otherwise returns EXIT_FAILED after a logged message that
 * names its package. */
int service_start_main(int argc, char **argv);

#endif
