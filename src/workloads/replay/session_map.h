/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sessions that are currently open in a log, indexed by their name in the log. */
#ifndef SESSION_MAP_H
#define SESSION_MAP_H

#include "workloads/replay/replay_item.h"

struct log_session {
    uint64_t key;
    bool numbered; /* the session had a statement and therefore has a number */
    uint32_t number;
    int64_t last_ns;            /* start of its last statement; INT64_MIN before its first one */
    bool in_tick;               /* the current tick has statements of this session */
    struct replay_item *newest; /* its last statement if that was not returned yet, or NULL */
    /* Database at the start of the session, kept until its first statement; "" if unknown. */
    char database[LOG_EVENT_DATABASE_BYTES];
    bool nowhere;  /* since its last statement it has left its database */
    bool prepares; /* it has prepared a statement in SQL */
    struct log_session *next;
};

struct session_map {
    struct log_session **slots;
    size_t room, count;
};

/* Returns the session with this name. Creates it if necessary. The pointer stays valid until
 * session_map_remove() and the caller's free(). */
struct log_session *session_map_get(struct session_map *m, uint64_t key);
/* Removes a session that has ended, so that a later one can have its name. Returns it for the
 * caller to free, or NULL if it does not exist. */
struct log_session *session_map_remove(struct session_map *m, uint64_t key);
void session_map_fini(struct session_map *m);

#endif
