/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A statement to replay. */
#ifndef REPLAY_ITEM_H
#define REPLAY_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/replay/log/log_event.h"

struct log_session;

struct replay_item {
    int64_t time_ns;     /* when it began, by the clock of the log */
    uint64_t order;      /* from 0 on, as they stand in the log */
    uint32_t session;    /* from 0 on, in the order in which sessions have their first statement */
    int64_t duration_ns; /* as logged; −1: not known */
    bool failed;         /* as logged */
    bool names_statements; /* statement_names.h: it has names of prepared statements */
    bool ended;          /* the time in the log was that of its end */
    uint64_t hash;       /* log_event.h */
    struct log_session *origin; /* whose newest statement this is, in the log; NULL: of none */
    char database[LOG_EVENT_DATABASE_BYTES]; /* where it has to be executed; "": where the session
                                                is */
    bool nowhere; /* the session has left its database for none before it */
    size_t length;
    char text[]; /* ends with a NUL */
};

#endif
