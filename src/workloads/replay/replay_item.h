/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A statement to be replayed. */
#ifndef REPLAY_ITEM_H
#define REPLAY_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/replay/log/log_event.h"

struct log_session;

struct replay_item {
    int64_t time_ns;  /* start, by the clock of the log */
    uint64_t order;   /* position in the log, from 0 on */
    uint32_t session; /* sessions are numbered from 0 on, in the order of their first statements */
    int64_t duration_ns;   /* as logged; −1 if the log does not have it */
    bool failed;           /* the statement failed according to the log */
    bool names_statements; /* the text contains names of prepared statements (statement_names.h) */
    bool ended;            /* the time in the log was the end of the statement */
    unsigned one_in; /* N if the server logged one of N statements or sessions; at least 1 */
    unsigned copy;   /* for session_copies.c */
    uint64_t hash;         /* hash of the text in the log (log_event.h) */
    /* Session of which this is the newest statement that was read; NULL if it is not the newest. */
    struct log_session *origin;
    /* Database in which to execute it; "" if the session stays where it is. */
    char database[LOG_EVENT_DATABASE_BYTES];
    bool nowhere; /* before this statement the session has left its database and is in none */
    size_t length;
    char text[]; /* terminated by a NUL */
};

#endif
