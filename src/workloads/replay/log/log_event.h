/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event in the log of a server, in a form that does not depend on the format of the log. */
#ifndef LOG_EVENT_H
#define LOG_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/replay/log/log_reason.h"

enum log_event_kind {
    LOG_EVENT_NONE,      /* nothing that matters for a replay */
    LOG_EVENT_STATEMENT, /* a statement was executed */
    LOG_EVENT_DURATION,  /* the duration of the session's last statement */
    /* An error of the session's last statement, or of the statement `text`, which is logged only
     * because it failed. */
    LOG_EVENT_FAILURE,
    LOG_EVENT_START, /* the session has begun, in `database` */
    LOG_EVENT_END,   /* the session has ended */
    /* An event that cannot be replayed because of `reason`; the session is in `database` after the
     * event, if that is known. */
    LOG_EVENT_LEFT_OUT
};

#define LOG_EVENT_DATABASE_BYTES 65

struct log_event {
    enum log_event_kind kind;
    uint64_t session;    /* may be used again after the session has ended */
    int64_t time_ns;     /* time by the clock of the log; since 1970 if that clock is in UTC */
    int64_t tick_ns;     /* resolution of that clock */
    bool at_end;         /* the time is the end of the statement */
    bool failed;         /* the statement ended with an error */
    bool may_go_on;      /* the log may have been cut off here, between two lines of the text */
    int64_t duration_ns; /* −1 if it is not known */
    /* "" if it is not known, or if there is no database (see `nowhere`) */
    char database[LOG_EVENT_DATABASE_BYTES];
    bool nowhere;     /* the session is in no database (with LOG_EVENT_LEFT_OUT: after the event) */
    unsigned one_in;  /* N if the server logged one of N statements or sessions; 0: all */
    uint64_t hash;    /* hash of the text in the log, before parameters were inserted */
    const char *text; /* terminated by a NUL; valid until the next event */
    size_t length;
    const struct log_reason *reason;
    /* Position of the first line of the event in the log. log_reader_next() sets it unless the
     * reader has done so. */
    uint64_t line;
    const char *file; /* valid until the reader is closed */
};

static inline void log_event_leave_out(struct log_event *event, const struct log_reason *reason)
{
    event->kind = LOG_EVENT_LEFT_OUT;
    event->reason = reason;
}

#endif
