/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open connections and their time limits, so that idle or slow clients cannot occupy all of
 * them. A request must arrive completely within a time limit, even if its bytes keep trickling in,
 * and its answer must be received within a time limit. If too many connections are open, the one
 * that has been silent for longest is closed. A connection is closed by shutting down its socket;
 * the web server then finds it closed. Any thread may call these functions.
 */
#ifndef VISITORS_H
#define VISITORS_H

#include <stdint.h>

#include "service/serve/service.h"

/* If more than VISITORS_MANY connections are open, each new one closes the oldest silent one. More
 * than VISITORS_MAX connections are not accepted. */
#define VISITORS_MANY 200
#define VISITORS_MAX 256

enum visitor_stage {
    VISITOR_SILENT,  /* nothing or only a part of a request header has been received */
    VISITOR_GIVES,   /* the header has been received, but not all of the body */
    VISITOR_WAITS,   /* the handler runs or waits in its lane; there is no time limit */
    VISITOR_RECEIVES /* the answer is being sent */
};

struct visitors;
struct visitor;

/* `service` must outlive the result. */
struct visitors *visitors_create(struct service *service);
void visitors_destroy(struct visitors *visitors);

/* Adds a new connection, whose stage is VISITOR_SILENT. `fd` must stay open until visitor_leave().
 * */
struct visitor *visitor_enter(struct visitors *visitors, int fd);
void visitor_leave(struct visitors *visitors, struct visitor *visitor);
void visitor_set(struct visitors *visitors, struct visitor *visitor, enum visitor_stage stage);

/* Closes connections whose time limit is exceeded. Returns the time (CLOCK_MONOTONIC) of the next
 * call that is needed, INT64_MAX if no connection is open. */
int64_t visitors_expire(struct visitors *visitors, int64_t now_ns);

#endif
