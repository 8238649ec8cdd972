/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inserts the parameters of prepared statements, which PostgreSQL logs separately from the text. */
#ifndef PGSQL_PARAMETERS_H
#define PGSQL_PARAMETERS_H

#include <stdbool.h>

#include "workloads/replay/log/log_text.h"

/*
 * Writes the statement to *to, with the literals of `detail` ("parameters: $1 = '5', $2 = NULL") in
 * place of $1, $2 … outside of literals and comments. Returns false if `detail` does not have a
 * parameter that the statement uses.
 */
bool pgsql_put_parameters(struct log_text *to, const char *statement, size_t length,
                          const char *detail);

#endif
