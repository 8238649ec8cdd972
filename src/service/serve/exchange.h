/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request and its answer, as handlers see them. The rules of security have been looked at
 * before (guard.h); what a handler reads here is still what somebody else has written.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "archive/archive.h"
#include "service/serve/service.h"

#define EXCHANGE_QUERIES 32

struct route; /* route.h */

/* NAME=VALUE behind the ? of the address. */
struct exchange_pair {
    char *name, *value;
    char *copy; /* of the value, for who takes it apart; NULL: nobody has */
};

struct exchange {
    struct service *service;
    const struct route *route;
    struct archive *archive; /* the thread's */
    int64_t id;              /* the number in the path, where the route has one */
    struct exchange_pair query[EXCHANGE_QUERIES];
    size_t queries;
    char *body; /* with a zero behind it; "" where none was sent */
    size_t body_bytes;
    enum token_role role; /* what the client may do … */
    const char *who;      /* … and the name of its token; "-" without tokens */
    const char *session;  /* what the browser's cookie says; NULL: nothing */
    bool https;           /* the client is a page that came by TLS */

    /* The answer: what a handler writes to `out`, with 200 unless it sets another status. */
    FILE *out;
    unsigned status;
    const char *type;   /* Content-Type; that of JSON unless set */
    const char *policy; /* Content-Security-Policy; nothing is allowed unless set */
    char *location;     /* of what was made, or where to go on; NULL: none. Freed with the rest */
    char *cookie;       /* the same for Set-Cookie */
    const char *allow;  /* the methods that there are, where that is what is wrong */
    char *error;        /* of exchange_fail() */

    char *text; /* what was written to `out` */
    size_t bytes;
};

void exchange_init(struct exchange *x, struct service *service);
void exchange_fini(struct exchange *x);

/* Of the first pair of that name, or NULL. */
const char *exchange_query(const struct exchange *x, const char *name);

/* The answer is that status with this sentence, as JSON or as a page, by the route; what was
 * written before is dropped. The first call counts. */
void exchange_fail(struct exchange *x, unsigned status, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same with what was logged since log_capture(). */
void exchange_fail_heard(struct exchange *x, unsigned status);

/* The body as JSON, an object; a new reference. NULL after exchange_fail(). */
json_t *exchange_json(struct exchange *x);

/* Drops what was written. */
void exchange_restart(struct exchange *x);

#endif
