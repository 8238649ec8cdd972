/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of routes: a row for each method and path that the service answers. The requirements of
 * a row (role, body size) are checked before its handler is called.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include "service/serve/exchange.h"

/* The lane whose threads run the handler. Each lane has its own threads and queue, so that slow
 * requests do not delay the others. */
enum route_lane {
    LANE_LIGHT,
    LANE_PAGE,   /* pages of runs */
    LANE_HEAVY,  /* comparisons and the trend */
    LANE_WRITE,  /* requests that wait for the write lock of the archive */
    LANE_STREAM, /* no requests: reads parts of answers that are being sent */
    LANES
};

/* Maximum size of the body of a request. */
enum route_body {
    BODY_NONE,
    BODY_SMALL, /* at most ROUTE_SMALL_BYTES */
    BODY_REPORT /* at most the size of --upload-limit */
};

#define ROUTE_SMALL_BYTES 65536

struct route {
    const char *method; /* "GET" or "POST"; a GET route also answers HEAD */
    const char *path;   /* one segment may be '#', which stands for a whole number above 0 */
    void (*handle)(struct exchange *x);
    enum token_role role; /* lowest role that may call the route */
    enum route_lane lane;
    enum route_body body;
    bool page; /* the route is for people: errors are shown as a page instead of JSON */
};

/*
 * Returns the route of a request and sets *id to the number in its path. Returns NULL if there is
 * no such route; *allowed is then the method that this path has, or NULL if there is no such path.
 */
const struct route *route_find(const char *method, const char *path, int64_t *id,
                               const char **allowed);

/* True if the route changes something, which all methods but GET may do. */
bool route_writes(const struct route *route);

#endif
