/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions of people who have logged in with a browser. The browser stores the random id of its
 * session instead of the token. A session ends when it is closed, when its time is over, or when
 * the service ends. Any thread may call these functions.
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include <stdint.h>

#include "service/serve/tokens.h"

#define SESSION_ID_BYTES 64

/* Sessions that one token may have. A further login ends the oldest of them. */
#define SESSIONS_MAX 20

struct sessions;

/* Sessions expire `length_ns` nanoseconds after the login. */
struct sessions *sessions_create(int64_t length_ns);
void sessions_destroy(struct sessions *sessions);

/* Opens a session for the holder of the token named `name` and writes its id to `id`, which has
 * SESSION_ID_BYTES + 1 bytes. The text `name` must outlive the session. */
void sessions_open(struct sessions *sessions, enum token_role role, const char *name, char *id);

/* Returns the role of the session `id` and sets *name to the name of its token. Returns ROLE_NONE
 * if there is no such session or if `id` is NULL. As with tokens_role(), the time this takes does
 * not reveal how much of a guessed id was right. */
enum token_role sessions_role(struct sessions *sessions, const char *id, const char **name);

/* Ends the session `id`. An unknown id, or NULL, is ignored. */
void sessions_close(struct sessions *sessions, const char *id);

#endif
