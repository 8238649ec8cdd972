/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes a command that prints a password. */
#ifndef PASSWORD_COMMAND_H
#define PASSWORD_COMMAND_H

#include <stddef.h>
#include <stdint.h>

/*
 * Executes the command and waits until it has ended, at most `limit_ns`; then the command is ended.
 * Its error messages are discarded. Returns the first line of its output, which the caller frees;
 * or NULL, and writes a sentence without a subject to `failure`: "has ended with exit status 1".
 */
char *password_command_run(char *const argv[], int64_t limit_ns, char *failure, size_t bytes);

/* Writes the failure of a command that has not ended in time. */
void password_command_too_late(int64_t limit_ns, char *failure, size_t bytes);

#endif
