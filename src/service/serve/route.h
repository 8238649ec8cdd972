/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the service answers: a table with a row for each method and path. Whatever a row asks for
 * has been checked before its handler is called.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include "service/serve/exchange.h"

/* Which threads do the work: neither what takes long nor what waits for others that write to the
 * archive keeps the rest waiting. */
enum route_lane { LANE_LIGHT, LANE_HEAVY, LANE_WRITE, LANES };

/* How large a body may be. */
enum route_body {
    BODY_NONE,
    BODY_SMALL, /* ROUTE_SMALL_BYTES */
    BODY_REPORT /* --upload-limit */
};

#define ROUTE_SMALL_BYTES 65536

struct route {
    const char *method; /* "GET" (HEAD is one too), "POST" … those but GET write */
    const char *path;   /* one segment may be #: a whole number above 0, the exchange's id */
    void (*handle)(struct exchange *x);
    enum token_role role; /* that is needed */
    enum route_lane lane;
    enum route_body body;
    bool page; /* for people: what goes wrong is told by a page */
};

/*
 * The row for a request, and the number in its path. NULL: there is none; *allowed is then the
 * method that there is at that path, or NULL where there is no such path.
 */
const struct route *route_find(const char *method, const char *path, int64_t *id,
                               const char **allowed);

/* Whether it changes anything. */
bool route_writes(const struct route *route);

#endif
