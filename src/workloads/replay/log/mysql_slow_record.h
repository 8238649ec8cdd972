/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lines before a statement in a slow log. For mysql_slow_log.c. */
#ifndef MYSQL_SLOW_RECORD_H
#define MYSQL_SLOW_RECORD_H

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_lines.h"
#include "workloads/replay/log/log_time.h"

/* Information that is valid for further records, too. */
struct slow_context {
    struct log_time time; /* time in the last "# Time:"; tick_ns is 0 before the first one */
    bool fresh;           /* no record was returned since that line */
    char database[LOG_EVENT_DATABASE_BYTES];
    /* Log_slow_rate_limit of Percona Server, of this record only; 0 if the record has none. */
    unsigned rate_limit;
    bool by_session;     /* Log_slow_rate_type: the limit is that of sessions, not of statements */
};

struct slow_record {
    bool has_session, has_user, has_duration;
    uint64_t session, user; /* `user` is a hash of user and host */
    int64_t duration_ns;    /* −1 if it is not known */
    struct log_time stamp;  /* time in SET timestamp; tick_ns is 0 if it is missing */
    bool has_set;           /* a line with SET was read */
    bool command;           /* it has a command of the protocol instead of a statement */
    bool ended, part;       /* the command ends the session; the command belongs to a statement */
    bool nowhere;           /* the session is in no database */
    bool failed;            /* the statement ended with an error */
    bool tidb, internal;    /* TiDB wrote the record; TiDB itself executed the statement */
};

/* Reads a line before the statement. Returns false if the line is the first one of the
 * statement. */
bool slow_record_read(struct slow_context *c, const char *line, size_t length,
                      struct slow_record *r);

#endif
