/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `sysrate serve` is told when it starts, and what it counts. Constant afterwards, but for the
 * counters; any thread may look. */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdatomic.h>
#include <stdint.h>

#include "service/serve/sessions.h"

/* The cookie that has the id of a session. */
#define SERVICE_COOKIE "sysrate_session"

/* How long that is good. */
#define SERVICE_SESSION_SECONDS (12 * 3600)

/* Answers are counted by their status. */
#define SERVICE_STATUSES 600

struct job_desk;

struct service {
    const char *folder;          /* of the archive */
    char *const *host;           /* names by which it may be called; NULL-terminated */
    const struct tokens *tokens; /* NULL: whoever can connect may do everything */
    struct sessions *sessions;   /* of browsers, where there are tokens */
    int64_t body_bytes_max;      /* of a report that is given */
    int64_t request_ns;          /* in which a request must have come */
    struct job_desk *jobs;       /* takes and executes them; NULL: there are none */
    const char *head;            /* of its own pages: up to the end of the style sheet */
    const char *tail;            /* … and their script, up to the end */
    const char *site_policy;     /* Content-Security-Policy of its own pages, … */
    const char *report_policy;   /* … of those of runs … */
    const char *trend_policy;    /* … of those with charts of the trend or of a search … */
    const char *search_policy;   /* … and of the page of a search that needs nothing else */
    _Atomic uint64_t answers[SERVICE_STATUSES];
    _Atomic uint64_t turned_away; /* connections that were closed because there were too many */
    _Atomic uint64_t too_slow;    /* connections that were closed because nothing came of them */
};

#endif
