/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that a log has just now, by how the log names them. */
#ifndef SESSION_MAP_H
#define SESSION_MAP_H

#include "workloads/replay/replay_item.h"

struct log_session {
    uint64_t key;
    bool numbered; /* it had a statement, and so it has a number */
    uint32_t number;
    int64_t last_ns;            /* when its last statement began; INT64_MIN: none yet */
    bool in_tick;               /* statements of it are in the tick that is read */
    struct replay_item *newest; /* the last one, while it is in the window; NULL: it is not */
    char database[LOG_EVENT_DATABASE_BYTES]; /* as it began, until its first statement; "": not
                                                known */
    bool nowhere;  /* it has left its database for none since its last statement */
    bool prepares; /* it has prepared a statement in SQL */
    struct log_session *next;
};

struct session_map {
    struct log_session **slots;
    size_t room, count;
};

/* The session of that name, made when it is new; it stays where it is. */
struct log_session *session_map_get(struct session_map *m, uint64_t key);
/* The session has ended: another one may get its name. It is the caller's to free; NULL: there is
 * none. */
struct log_session *session_map_remove(struct session_map *m, uint64_t key);
void session_map_fini(struct session_map *m);

#endif
