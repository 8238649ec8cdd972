/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a MySQL or MariaDB server writes above a log that it begins. */
#ifndef MYSQL_HEADING_H
#define MYSQL_HEADING_H

#include "workloads/replay/log/log_lines.h"

/* What is left out where a statement and what it executes are both in the log. */
#define MYSQL_TOLD_TWICE "EXECUTEs whose statements the log has besides"

/* Whether the line stands above a log that a MySQL or MariaDB server has begun; two more follow. */
bool mysql_log_is_heading(const char *line, size_t length);
void mysql_log_skip_heading(struct log_lines *lines);

#endif
