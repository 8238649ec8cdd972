/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the prefix of each message in PostgreSQL's stderr log: log_line_prefix. */
#ifndef PGSQL_PREFIX_H
#define PGSQL_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_time.h"

#define PGSQL_HEAD_NUMBERS 8

/* Values from the text before the message of a line. */
struct pgsql_head {
    bool timed, named; /* the prefix has a time, and the number or identifier of the session */
    struct log_time time;
    uint64_t session;
    char database[LOG_EVENT_DATABASE_BYTES];
    char severity[16]; /* "LOG", "DETAIL", "STATEMENT" … */
    /* Values of %l, in the order of the prefix; for pgsql_guess.c. */
    uint64_t number[PGSQL_HEAD_NUMBERS];
    unsigned numbers;
};

/*
 * Reads the prefix and the severity of a line and moves *line to the message. `prefix` is as in
 * postgresql.conf. Blanks count as equal whatever their number, and none are needed before the
 * severity. Values with any text, such as %a, may contain blanks. Returns false if the line does
 * not begin with the prefix.
 */
bool pgsql_prefix_read(const char *prefix, const char **line, struct pgsql_head *head);

/* Returns the first severity with a colon in the line, such as "LOG:", or NULL if its
 * start has no severity. */
const char *pgsql_find_severity(const char *line);

/* Returns true if lines with this severity belong to a message before them. */
bool pgsql_is_part(const char *severity);

/* Returns true if a log with this prefix can be replayed. Lines of syslog may have the time, or the
 * number of the process, in front of the prefix: `timed`, `named`. */
bool pgsql_prefix_suffices(const char *prefix, bool timed, bool named);

#endif
