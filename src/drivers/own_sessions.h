/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sessions of a driver whose database is in this process (sqlite, null). The thread that serves
 * a session says what the session does, and the sampler of waits reads this at any time.
 */
#ifndef OWN_SESSIONS_H
#define OWN_SESSIONS_H

#include "stats/wait_source.h"

struct own_sessions;
struct own_session;

/* The session works and waits for nothing. */
extern const char own_session_on_cpu[];

struct own_sessions *own_sessions_create(void);
/* Call after all sessions were destroyed. */
void own_sessions_destroy(struct own_sessions *all);

/* Adds a session, which has nothing to do. Any thread may call this. */
struct own_session *own_session_create(struct own_sessions *all);
void own_session_destroy(struct own_sessions *all, struct own_session *session);

/* Returns the number of the session, which is never 0. */
uint64_t own_session_id(const struct own_session *session);

/* Sets what the session waits for, own_session_on_cpu if it works, or NULL if it has nothing to do.
 * The text must stay valid until all sessions were destroyed. */
void own_session_set(struct own_session *session, const char *event);

/* Calls `add` for each session that has something to do. Sessions cannot be added or destroyed
 * meanwhile. */
void own_sessions_sample(struct own_sessions *all, wait_session_add *add, void *arg);

#endif
