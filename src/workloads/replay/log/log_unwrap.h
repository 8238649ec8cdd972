/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the lines of a log out of what other programs have put around them: syslog, container
 * engines (Docker, CRI), docker compose, tools that print a time before each line, and services
 * that write a JSON object for each line. Several of them may be around each other.
 */
#ifndef LOG_UNWRAP_H
#define LOG_UNWRAP_H

#include <stdbool.h>

#include "workloads/replay/log/log_source.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"

/* Properties of a line that the text around it has. */
struct log_carrier {
    bool timed, named; /* it has a time, and the process that wrote the line */
    struct log_time time;
    uint64_t session;
    /* Hash of the names of the host, program, container and stream; 0 without names. */
    uint64_t source;
    /* In syslog: number of the message, and of this piece of it from 1 on; 0 if it has no number.
     */
    uint64_t message;
    uint64_t piece;
    /* The line is not wrapped as the others: another program has written it, or a part of it is
     * missing. */
    bool foreign;
    bool may_be_cut; /* a syslog daemon may have cut the line */
    bool inner;      /* not the first line of the text in the same record */
};

enum log_wrap {
    LOG_WRAP_CRI,    /* "2026-11-24T03:37:01.125Z stderr F TEXT" */
    LOG_WRAP_SYSLOG, /* "Nov 24 03:37:01 host postgres[71]: [5-1] TEXT" */
    LOG_WRAP_TIME,   /* "2026-11-24T03:37:01.125Z TEXT" */
    LOG_WRAP_NAME,   /* "db-1  | TEXT" or "[pod/db-1/postgres] TEXT" */
    LOG_WRAP_JSON    /* {"textPayload":"TEXT", …} */
};

#define LOG_WRAPS 3

struct log_unwrap {
    enum log_wrap wraps[LOG_WRAPS]; /* the outermost first */
    unsigned count;
    struct log_text text;   /* the text of the current record */
    struct log_text joined; /* the beginning of a line that continues in the next record */
    char *rest;             /* further lines in `text`, or NULL */
    struct log_text kept;   /* a record that is returned next, if `has_kept` */
    bool has_kept;
    /* Sources of which the rest of a line may follow that belongs to nothing. */
    uint64_t broken[2];
    bool unended; /* the log ends within the current record */
};

/* Finds out from the first lines of the log what is around its lines. */
void log_unwrap_look(struct log_unwrap *u, struct log_source *source);
void log_unwrap_fini(struct log_unwrap *u);

/*
 * Reads the next line, like log_source_line(). A line of which more follows in another record is
 * joined with it. Lines that are not wrapped as the others are returned as empty ones, with
 * carrier->foreign, unless they are records of PostgreSQL in JSON. Sets *cut if the
 * line is longer than the source allows, and *unended if the last record of the log has only a part
 * of it.
 */
bool log_unwrap_line(struct log_unwrap *u, struct log_source *source, char **line, size_t *length,
                     struct log_carrier *carrier, bool *cut, bool *unended);

#endif
