/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets that wait for connections by TCP. */
#ifndef LISTEN_H
#define LISTEN_H

#include <stddef.h>

/* Room for "http://[ADDRESS]:PORT" and a zero. */
#define LISTEN_URL_BYTES 96

/* −1 after a logged message that begins with `option`, "--prom=9464" and the like. */
int listen_at(const char *option, const char *host, const char *port);

/* Where it listens, as "http://127.0.0.1:9464"; "" where that cannot be told. */
void listen_url(int fd, char url[LISTEN_URL_BYTES]);

#endif
