/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open connections with their limits, so that idle or slow clients cannot occupy all of them,
 * nor the memory. Each stage of a request has a time limit, even if bytes keep trickling in. If
 * there are too many connections, or if they hold too much memory, one of them is closed: the
 * oldest one of the client address that has the most. Connections whose handler runs or waits are
 * never closed, so requests that are complete are answered. A connection is closed by shutting down
 * its socket; the thread that reads from it then finds it closed. Any thread may call these
 * functions.
 */
#ifndef VISITORS_H
#define VISITORS_H

#include <stdint.h>
#include <sys/socket.h>

#include "service/serve/service.h"

/* Connections that one client address may have (for IPv6 one network of 64 bits), and that all may
 * have together. */
#define VISITORS_PER_ADDRESS 64
#define VISITORS_MANY 200
/* More connections are not accepted until some have been closed. */
#define VISITORS_MAX 512
/* Memory that connections may hold while the service waits for their clients. */
#define VISITORS_BYTES_MAX (64 << 20)

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
/* Closes the connections that are left. NULL is ignored. */
void visitors_destroy(struct visitors *visitors);

/* Adds a new connection, whose stage is VISITOR_SILENT. `fd` must stay open until visitor_leave().
 * Returns NULL if there are VISITORS_MAX connections. */
struct visitor *visitor_enter(struct visitors *visitors, int fd, const struct sockaddr *address);
void visitor_leave(struct visitors *visitors, struct visitor *visitor);
/* Returns the connection with this socket, which must be in the list. */
struct visitor *visitor_find(struct visitors *visitors, int fd);
int visitor_fd(const struct visitor *visitor);

/* Sets the stage, and the memory that the connection holds while the service waits for its client.
 */
void visitor_set(struct visitors *visitors, struct visitor *visitor, enum visitor_stage stage,
                 int64_t bytes);

/* Closes connections whose time limit is exceeded. Returns the time (CLOCK_MONOTONIC) of the next
 * call that is needed, INT64_MAX if no connection is open. */
int64_t visitors_expire(struct visitors *visitors, int64_t now_ns);

#endif
