/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splits a text that PostgreSQL has executed into its statements: "ROLLBACK; DEALLOCATE ALL". */
#ifndef STATEMENT_PARTS_H
#define STATEMENT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if it is certain where the statements of the text end: the text has no body of a
 * function (BEGIN ATOMIC) and no backslash, whose meaning depends on settings of the session. */
bool statement_parts_certain(const char *text, size_t length);

/* Returns the length of the first statement, with its semicolon and the blanks after it. Semicolons
 * in literals, comments and parentheses (CREATE RULE) do not end a statement. */
size_t statement_parts_first(const char *text, size_t length);

#endif
