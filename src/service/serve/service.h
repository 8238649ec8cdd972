/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings and counters of `sysrate serve`. The settings do not change after the start; the
 * counters are atomic. Any thread may read both. */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdatomic.h>
#include <stdint.h>

#include "service/serve/sessions.h"

/* Name of the cookie that holds the id of a browser session. */
#define SERVICE_COOKIE "sysrate_session"

/* Seconds after which a browser session expires. */
#define SERVICE_SESSION_SECONDS (12 * 3600)

/* Answers are counted by HTTP status; all statuses are below this number. */
#define SERVICE_STATUSES 600

struct job_desk;

struct service {
    const char *folder;          /* folder of the archive */
    char *const *host;           /* allowed names in the Host header; NULL-terminated */
    const struct tokens *tokens; /* NULL if every client may do everything */
    struct sessions *sessions;   /* browser sessions; used only if there are tokens */
    int64_t body_bytes_max;      /* maximum size of an uploaded report */
    int64_t request_ns;          /* time limit for receiving a request */
    struct job_desk *jobs;       /* NULL if the service takes no jobs */
    const char *head;            /* start of each of its own pages, with the style sheet */
    const char *tail;            /* end of each of its own pages, with the script */

    /* Values of the header Content-Security-Policy. */
    const char *site_policy;   /* own pages without charts */
    const char *report_policy; /* pages of runs, as `sysrate report` writes them */
    const char *trend_policy;  /* own pages with charts of the trend or of a capacity search */
    const char *search_policy; /* page of a capacity search, as `sysrate capacity` writes it */

    _Atomic uint64_t answers[SERVICE_STATUSES];
    _Atomic uint64_t turned_away; /* connections closed because too many were open */
    _Atomic uint64_t too_slow;    /* connections closed after a time limit */
};

#endif
