/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the prefix of each message in PostgreSQL's stderr log: log_line_prefix. */
#ifndef PGSQL_PREFIX_H
#define PGSQL_PREFIX_H

#include "workloads/replay/log/pgsql_entry.h"

/*
 * Reads the prefix and the severity of a line into *e and moves *line to the message. `prefix` is
 * as in postgresql.conf and must have a time (%m, %t or %n) and %p or %c; if it is NULL, the usual
 * ones are tried. `severity` gets "LOG", "DETAIL", "STATEMENT" …. Returns false if the line does
 * not begin with the prefix.
 */
bool pgsql_prefix_read(const char *prefix, const char **line, struct pgsql_entry *e, char *severity,
                       size_t bytes);

/* Check of the option --log-line-prefix: returns NULL or a description of allowed values. */
const char *pgsql_prefix_check(const char *prefix);

#endif
