/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heading that a MySQL or MariaDB server writes at the beginning of a log. */
#ifndef MYSQL_HEADING_H
#define MYSQL_HEADING_H

#include "workloads/replay/log/log_lines.h"

/* Statements that are left out because the log also has the statement that they execute. */
extern const struct log_reason mysql_told_twice;

/* True if the line in hand is the first of the three that a MySQL or MariaDB server writes when it
 * begins a log. */
bool mysql_log_is_heading(const struct log_lines *lines);
/* True if the line in hand is like the second of them. */
bool mysql_log_is_port(const struct log_lines *lines);
/* Skips the lines of the heading that follow the line in hand, which is one of them. */
void mysql_log_skip_heading(struct log_lines *lines);
/* True if the line is no part of a record: a heading of tail or of the columns, or a line of an
 * error log. */
bool mysql_log_is_foreign(const char *line);
/* Removes blanks and carriage returns at the end of the line in hand. */
void mysql_log_trim(struct log_lines *lines);

#endif
