/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks every request before a handler runs. A request must keep these rules:
 *
 * - It has one Host header, and at most one Content-Length.
 * - Its Host header has one of the names of the service. This protects against DNS rebinding: a
 *   foreign web page whose name resolves to this address is refused.
 * - Its address and method have a route.
 * - If the service has tokens, the token or the browser session of the client allows this route.
 * - If the request changes something, its body is JSON, it has the header X-Sysrate, which HTML
 *   forms cannot send, and its Origin header has the address of this service. Programs that are
 *   not browsers must send this Origin too.
 * - It states the length of its body, which is within the limit of the route.
 */
#ifndef GUARD_H
#define GUARD_H

#include "service/serve/route.h"

#define GUARD_HEADER "X-Sysrate"

/* Parts of a request that are checked; each is NULL if the request does not have it. */
struct guard_facts {
    const char *method, *path;
    const char *host, *origin;           /* headers Host and Origin */
    const char *authorization, *session; /* header Authorization, session cookie */
    const char *type, *length;           /* headers Content-Type and Content-Length */
    const char *transfer;                /* header Transfer-Encoding */
    const char *own;                     /* header X-Sysrate */
    unsigned hosts, lengths;             /* numbers of headers Host and Content-Length */
};

/* Checks the request and sets route, id, role and client name of the exchange. Returns false after
 * exchange_fail() if the request breaks a rule. */
bool guard_pass(struct exchange *x, const struct guard_facts *f);

#endif
