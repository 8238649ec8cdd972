/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inserts the parameters of prepared statements, which PostgreSQL logs separately from the text. */
#ifndef PGSQL_PARAMETERS_H
#define PGSQL_PARAMETERS_H

#include <stdbool.h>

#include "workloads/replay/log/log_text.h"

/* Returns the text after "parameters: " in the detail of a message or, if it is not there, in its
 * context: "unnamed portal with parameters: $1 = '5'". Returns "" if neither has parameters. Each
 * may be NULL. */
const char *pgsql_find_parameters(const char *detail, const char *context);

/*
 * Writes the statement to *to, with the literals of `parameters` ("$1 = '5', $2 = NULL") in place
 * of $1, $2 … outside of literals and comments. Returns false if `parameters` does not have a
 * parameter that the statement uses. Sets *cut if a value ends in "...", as those do that the
 * server has cut; other values that end so cannot be distinguished from these.
 */
bool pgsql_put_parameters(struct log_text *to, const char *statement, size_t length,
                          const char *parameters, bool *cut);

#endif
