/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample of the sessions of a server. It gives each worker's session a label, and finds the
 * blocking session. Used by one thread at a time.
 */
#ifndef WAIT_SESSIONS_H
#define WAIT_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/waits/wait_names.h"
#include "result/waits/wait_record.h"
#include "stats/wait_source.h"
#include "stats/waits.h"
#include "stats/waits/wait_list.h"

/* A session of a worker of this run. */
struct wait_own {
    uint64_t session;
    unsigned worker;
};

struct wait_sessions {
    struct wait_list list; /* sessions that the server has reported, sorted by their numbers */
    struct wait_own *own;  /* sorted by the numbers of the sessions */
    size_t own_count, own_room;
    /* Set by the caller: the number of the server, and where sessions that block others are noted;
     * NULL if they are not. */
    unsigned host;
    struct wait_record *record;
    bool hide_texts; /* statements of sessions are not kept */
};

void wait_sessions_fini(struct wait_sessions *sessions);
void wait_sessions_clear(struct wait_sessions *sessions);
/* Adds a session that the server has reported; `sessions` is a struct wait_sessions. */
void wait_sessions_add(void *sessions, const struct wait_session *session);
/* Adds a session of a worker. */
void wait_sessions_own(struct wait_sessions *sessions, uint64_t session, unsigned worker);
/* Call it after all sessions have been added. */
void wait_sessions_sort(struct wait_sessions *sessions);

/* Returns the session with this number, or NULL if it has nothing to do. */
const struct wait_session *wait_sessions_find(const struct wait_sessions *sessions, uint64_t id);
/* Sets the label, the group and the detail of a sample. `session` is NULL if the session has
 * nothing to do. */
void wait_sessions_label(const struct wait_sessions *sessions, const struct wait_session *session,
                         struct wait_names *names, struct wait_sample *sample);

#endif
