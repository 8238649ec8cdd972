/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has logged in with a browser: each gets an id that was drawn at random, and the browser keeps
 * that and not the token. It is good until it is closed, its time is over, or the service ends. Any
 * thread may call these.
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include <stdint.h>

#include "service/serve/tokens.h"

#define SESSION_ID_BYTES 64

/* Of one token. One more, and the oldest of these ends. */
#define SESSIONS_MAX 20

struct sessions;

struct sessions *sessions_create(int64_t length_ns);
void sessions_destroy(struct sessions *sessions);

/* For the holder of the token `name`, which must outlive it. `id`: SESSION_ID_BYTES + 1. */
void sessions_open(struct sessions *sessions, enum token_role role, const char *name, char *id);

/* What the holder of `id` may do, and in *name as whom; ROLE_NONE: there is no such session (NULL
 * is none). All ids are looked at, each to its end, as those of tokens. */
enum token_role sessions_role(struct sessions *sessions, const char *id, const char **name);

/* One that there is not is none already. */
void sessions_close(struct sessions *sessions, const char *id);

#endif
