/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The web server: one thread moves bytes, those of two lanes (lanes.h) do what requests ask for.
 * While that is done a connection is suspended, so that nobody waits for somebody else's request.
 */
#ifndef SERVER_H
#define SERVER_H

#include "service/serve/service.h"

struct server;

/* The web server's library and its version, such as "libmicrohttpd 0.9.75". */
const char *server_library(void);

/* Answers at the socket `fd`, which is the server's from now on. `service` must stay. NULL after a
 * logged message. */
struct server *server_start(int fd, struct service *service);

/* Returns when a signal has come to end the program; one thread, after interrupt_init(). */
void server_wait(struct server *server);

/* Lets what is being done end, refuses what has not begun. NULL is ignored. */
void server_stop(struct server *server);

#endif
