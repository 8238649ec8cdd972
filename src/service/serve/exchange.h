/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request and its answer, as handlers see them. The security rules (guard.h) have been checked
 * before a handler is called, but the texts of the request are still untrusted input.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "archive/archive.h"
#include "service/serve/service.h"

#define EXCHANGE_QUERIES 32

struct route; /* defined in route.h */

/* A NAME=VALUE pair of the query string (the part of the address after the '?'). */
struct exchange_pair {
    char *name, *value;
    char *copy; /* copy of the value, which a handler may split; NULL if none was needed */
};

struct exchange {
    struct service *service;
    const struct route *route;
    bool page;               /* errors without a route are answered by a page */
    struct archive *archive; /* opened by the thread that runs the handler */
    int64_t id;              /* number in the path, if the route has one */
    struct exchange_pair query[EXCHANGE_QUERIES];
    size_t queries;
    char *body; /* zero-terminated; "" if the request has no body */
    size_t body_bytes;
    enum token_role role; /* permissions of the client */
    const char *who;      /* name of the client's token; "-" if the service has no tokens */
    const char *session;  /* session id from the browser's cookie; NULL if there is no cookie */
    bool https;           /* the request was sent by a page that was loaded with TLS */

    FILE *out;          /* handlers write the body of the answer to this stream */
    unsigned status;    /* HTTP status of the answer; 200 unless a handler sets another */
    const char *type;   /* Content-Type of the answer; application/json by default */
    const char *policy; /* Content-Security-Policy of the answer; by default it forbids all */
    char *location;     /* header Location, or NULL; exchange_fini() frees it */
    char *cookie;       /* header Set-Cookie, or NULL; exchange_fini() frees it */
    const char *allow;  /* header Allow of an answer with status 405, otherwise NULL */
    char *error;        /* sentence of exchange_fail(), or NULL */

    char *text; /* text that was written to `out` */
    size_t bytes;
    struct archive_stream *report; /* sent instead of `text`, or NULL */
    int64_t report_bytes;
};

void exchange_init(struct exchange *x, struct service *service);
void exchange_fini(struct exchange *x);

/* Returns the value of the first pair with this name, or NULL if there is no such pair. */
const char *exchange_query(const struct exchange *x, const char *name);

/* Answers with this status and sentence, as a page if the route is one for people, otherwise as
 * JSON. Text that was written to `out` is dropped. Only the first call for an exchange has an
 * effect. */
void exchange_fail(struct exchange *x, unsigned status, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Like exchange_fail(), but the sentence is the first error that was logged since log_capture(). */
void exchange_fail_heard(struct exchange *x, unsigned status);

/* Parses the body, which must be a JSON object, and returns a new reference. Returns NULL after
 * exchange_fail() if the body is no JSON object. */
json_t *exchange_json(struct exchange *x);

/* Writes the value to `out` and drops the caller's reference. */
void exchange_print_json(struct exchange *x, json_t *value);

/* Drops all text that was written to `out`. */
void exchange_restart(struct exchange *x);

#endif
