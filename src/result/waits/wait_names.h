/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meaning of the labels and details in the matrix of waits (stats/waits.h). A label is a wait
 * event. Its details are the table that a lock is on, and the holder of the lock. Labels and
 * details are numbered in the order in which they were first seen; the first labels are fixed.
 */
#ifndef WAIT_NAMES_H
#define WAIT_NAMES_H

#include <stdint.h>

#include "stats/wait_source.h"
#include "stats/waits.h"

enum {
    WAIT_LABEL_CLIENT,        /* the server waited for the client */
    WAIT_LABEL_CPU,           /* the session worked */
    WAIT_LABEL_ABSENT,        /* the client did not run */
    WAIT_LABEL_SILENT,        /* the server did not answer */
    WAIT_LABEL_NOT_CONNECTED, /* the worker had no session */
    WAIT_LABEL_OTHER,         /* too many different labels, or a session that is not sampled */
    WAIT_LABEL_LOCKS,         /* the group of all waits for locks */
    WAIT_LABELS_FIXED
};

/* The blocker of a session. Numbers from WAIT_BY_STRANGER on are WAIT_BY_STRANGER + the index of a
 * stranger. */
enum { WAIT_BY_NOBODY, WAIT_BY_RUN, WAIT_BY_UNKNOWN, WAIT_BY_STRANGER };

#define WAIT_STRANGERS 32

struct wait_detail {
    unsigned label;
    char object[64]; /* "" if not known */
    unsigned blocker;
};

/* A session that is not one of the run's workers and blocked them. Sessions of one program and user
 * are one stranger, described by the session that was seen to block for the longest time. State and
 * text are those when this session was first seen: at the end of a transaction it may be executing
 * ROLLBACK. */
struct wait_stranger {
    uint64_t session;
    char program[64], user[64]; /* "" if not known */
    char state[32];
    double seconds;             /* how long its transaction or state had lasted */
    char text[WAIT_TEXT_BYTES]; /* its statement without passwords */
};

struct wait_names {
    char event[WAIT_LABELS][WAIT_EVENT_BYTES];
    struct wait_detail detail[WAIT_DETAILS];
    struct wait_stranger stranger[WAIT_STRANGERS];
    unsigned labels, details, strangers;
};

void wait_names_init(struct wait_names *names);
/* Returns the label of an event, or WAIT_LABEL_OTHER if there is no room for another. */
unsigned wait_names_label(struct wait_names *names, const char *event);
/* Returns the group of an event: WAIT_LABEL_LOCKS or WAIT_NO_GROUP. */
unsigned wait_names_group(const char *event);
/* Returns the number of a detail. If there is no room for another, it returns that of the detail
 * without the table, or 0, which stands for no detail. */
unsigned wait_names_detail(struct wait_names *names, const struct wait_detail *detail);
/* Returns the number of a blocking session that does not belong to the run, or WAIT_BY_UNKNOWN if
 * there is no room for another. Only the `id` of the session may be known. */
unsigned wait_names_stranger(struct wait_names *names, const struct wait_session *session);

#endif
