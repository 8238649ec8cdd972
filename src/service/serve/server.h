/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The web server. One thread receives requests and sends answers; the threads of three lanes
 * (lanes.h) run the handlers. The connection is suspended while the handler of its request runs, so
 * that requests of other connections are not delayed.
 */
#ifndef SERVER_H
#define SERVER_H

#include "service/serve/service.h"

struct server;

/* Returns name and version of the web server's library, such as "libmicrohttpd 0.9.75". */
const char *server_library(void);

/* Starts to answer requests at the listening socket `fd`, which then belongs to the server.
 * `service` must outlive the server. Returns NULL after a logged message. */
struct server *server_start(int fd, struct service *service);

/* Waits for a signal that ends the program. Only one thread may call this, after interrupt_init().
 * */
void server_wait(struct server *server);

/* Stops the server and frees it. Handlers that run are completed; requests that wait are refused.
 * NULL is ignored. */
void server_stop(struct server *server);

#endif
