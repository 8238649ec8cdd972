/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that every request must keep before anything is done for it:
 *
 * - It calls the service by one of its names (Host): a page of somebody else whose name leads here
 *   gets nothing.
 * - There is a route.
 * - Its token, or the session of a browser, allows that route, where there are tokens.
 * - If it writes: it is JSON, it has our header (X-Sysrate), which no form of a page can send, and
 *   it comes from a page of ours (Origin), or from a program that says so.
 * - It says how long its body is, and that is no more than the route takes.
 */
#ifndef GUARD_H
#define GUARD_H

#include "service/serve/route.h"

#define GUARD_HEADER "X-Sysrate"

/* What a request says; NULL where it does not. */
struct guard_facts {
    const char *method, *path;
    const char *host, *origin;           /* headers of these names */
    const char *authorization, *session; /* the header, the cookie */
    const char *type, *length;           /* of the body */
    const char *transfer;                /* Transfer-Encoding */
    const char *own;                     /* our header */
};

/* Sets route, id, role and name of the exchange. False after exchange_fail(). */
bool guard_pass(struct exchange *x, const struct guard_facts *f);

#endif
