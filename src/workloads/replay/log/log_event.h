/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log of a server tells, whichever it is. */
#ifndef LOG_EVENT_H
#define LOG_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_event_kind {
    LOG_EVENT_NONE,      /* nothing that matters here */
    LOG_EVENT_STATEMENT, /* was executed */
    LOG_EVENT_DURATION,  /* of the session's last statement */
    LOG_EVENT_FAILURE,   /* of the session's last statement, or of `text`, which stands nowhere else
                          */
    LOG_EVENT_START,     /* the session has begun, on `database` */
    LOG_EVENT_END,       /* the session has ended */
    LOG_EVENT_LEFT_OUT   /* something that cannot be replayed: `text` names what, in the plural;
                            the session is on `database` behind it, if that is known */
};

#define LOG_EVENT_DATABASE_BYTES 65

struct log_event {
    enum log_event_kind kind;
    uint64_t session;    /* may be used again when the session has ended */
    int64_t time_ns;     /* by the log's clock, since 1970 where that were in UTC */
    int64_t tick_ns;     /* how coarse that clock is */
    bool at_end;         /* the time is that of the statement's end */
    bool failed;         /* the statement ended with an error */
    int64_t duration_ns; /* −1: not known */
    char database[LOG_EVENT_DATABASE_BYTES]; /* "": not known, or none: */
    bool nowhere;     /* the session is in no database, with LOG_EVENT_LEFT_OUT: behind it */
    uint64_t hash;    /* of the text as it stands in the log, before parameters were put in */
    const char *text; /* ends with a NUL; good until the next event */
    size_t length;
};

#endif
