/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands before each message of PostgreSQL's stderr log: log_line_prefix. */
#ifndef PGSQL_PREFIX_H
#define PGSQL_PREFIX_H

#include "workloads/replay/log/pgsql_entry.h"

/*
 * Reads the prefix and the severity of a line into *e, and moves *line to the message. `prefix` as
 * in postgresql.conf, which must have a time (%m, %t or %n) and %p or %c; NULL: one of the usual
 * ones. False: the line does not begin so. `severity` gets "LOG", "DETAIL", "STATEMENT" ….
 */
bool pgsql_prefix_read(const char *prefix, const char **line, struct pgsql_entry *e, char *severity,
                       size_t bytes);

/* The check of --log-line-prefix: NULL, or what is allowed. */
const char *pgsql_prefix_check(const char *prefix);

#endif
