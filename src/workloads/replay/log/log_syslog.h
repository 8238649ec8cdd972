/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a line of syslog. */
#ifndef LOG_SYSLOG_H
#define LOG_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads/replay/log/log_time.h"

struct log_syslog {
    bool timed;
    struct log_time time; /* in the year 2000 if the line has no year */
    uint64_t source;      /* hash of the host's, program's and database's names */
    uint64_t process;     /* hash of the program's name or number */
    uint64_t message;     /* PostgreSQL's number of the message: 5 in "[5-2]" */
    uint64_t piece;       /* number of the piece: 2 in "[5-2]"; 0 if pieces have no numbers */
    bool may_be_cut;      /* a daemon may have cut the message */
    char *text;
    size_t length;
};

/*
 * Reads "Nov 24 03:37:01 host postgres[71]: [5-1] TEXT", the same with a time in ISO 8601, with
 * "<134>" before it, of RFC 5424, and "TIME app[postgres.71]: [NAME] [5-1] TEXT" of Heroku.
 * Replaces "#011" and other octal numbers that rsyslog writes for control characters, in place.
 * Returns false if the line is none of syslog, or says that messages were lost or repeated; it is
 * unchanged then.
 */
bool log_syslog_read(char *line, size_t length, struct log_syslog *s);

/* Reads "[5-2] ", with the name of a database in brackets before it on Heroku, and moves *text past
 * it. Sets message, piece and source. */
void log_syslog_piece(const char **text, struct log_syslog *s);

#endif
