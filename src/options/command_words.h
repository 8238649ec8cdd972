/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a command that the user gives as one text. */
#ifndef COMMAND_WORDS_H
#define COMMAND_WORDS_H

/* Splits a command into words like a shell: at blanks, except in quotes or after a backslash.
 * Returns a NULL-terminated list, which the caller frees with free(), or NULL if a quote is not
 * closed. */
char **command_words(const char *text);

/* Returns the words of a command that executes `text` with /bin/sh. The caller frees the list. */
char **command_shell_words(const char *text);

#endif
