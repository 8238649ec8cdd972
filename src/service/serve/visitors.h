/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connections that are open, so that none is held by who does nothing with it: a request must
 * have come within a time, however slowly its bytes drip, an answer must have been taken, and where
 * there are too many, those go that have asked for nothing. A connection is ended by shutting its
 * socket down; who serves it then finds it closed.
 */
#ifndef VISITORS_H
#define VISITORS_H

#include <stdint.h>

#include "service/serve/service.h"

/* More than that are only accepted to be told apart; beyond the second number nobody is. */
#define VISITORS_MANY 200
#define VISITORS_MAX 256

enum visitor_stage {
    VISITOR_SILENT,  /* nothing, or part of a header, has come */
    VISITOR_GIVES,   /* its header has come, not all of its body */
    VISITOR_WAITS,   /* for its answer to be made: as long as that takes */
    VISITOR_RECEIVES /* its answer */
};

struct visitors;
struct visitor;

/* `service` must stay. */
struct visitors *visitors_create(struct service *service);
void visitors_destroy(struct visitors *visitors);

/* A connection has begun; it is silent. `fd` must be open until visitor_leave(). */
struct visitor *visitor_enter(struct visitors *visitors, int fd);
void visitor_leave(struct visitors *visitors, struct visitor *visitor);
void visitor_set(struct visitors *visitors, struct visitor *visitor, enum visitor_stage stage);

/* Ends those whose time is over, and says when to come again at the latest. */
int64_t visitors_expire(struct visitors *visitors, int64_t now_ns);

#endif
