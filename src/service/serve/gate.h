/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that accepts connections and keeps each of them until the header of a request has been
 * received completely, so that incomplete headers occupy nothing in the web server. It refuses
 * headers that are too long or contain a zero byte, which the web server's library would take for
 * the end of a value. The bytes are only looked at; the web server reads them. Each connection is
 * used for one request, so the gate sees every header.
 */
#ifndef GATE_H
#define GATE_H

#include "service/serve/visitors.h"

struct gate;

/* Starts the thread. `fd` is the listening socket, which gets non-blocking. Calls `pass` for each
 * connection whose header is complete; the connection then belongs to the called function. Returns
 * NULL after a logged message. */
struct gate *gate_start(int fd, struct service *service, struct visitors *visitors,
                        void (*pass)(void *arg, struct visitor *visitor), void *arg);
/* Ends the thread. visitors_destroy() closes the connections that it has. NULL is ignored. */
void gate_stop(struct gate *gate);

#endif
