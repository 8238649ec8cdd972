/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a MySQL or MariaDB server writes above a log that it begins. */
#ifndef MYSQL_HEADING_H
#define MYSQL_HEADING_H

#include "workloads/replay/log/log_lines.h"

/* What is left out where a statement and what it executes are both in the log. */
#define MYSQL_TOLD_TWICE "EXECUTEs whose statements the log has besides"

/* True if the line in hand is the first of the three that a MySQL or MariaDB server writes when it
 * begins a log. */
bool mysql_log_is_heading(const struct log_lines *lines);
void mysql_log_skip_heading(struct log_lines *lines);

#endif
