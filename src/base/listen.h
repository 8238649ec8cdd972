/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listening TCP sockets. */
#ifndef LISTEN_H
#define LISTEN_H

#include <stddef.h>

/* size of "http://[ADDRESS]:PORT" with its NUL */
#define LISTEN_URL_BYTES 96

/* Opens a socket that listens on `host` and `port`. Returns the descriptor, or −1 after a logged
 * message that begins with `option`, such as "--prom=9464". */
int listen_at(const char *option, const char *host, const char *port);

/* Writes the address at which the socket listens, such as "http://127.0.0.1:9464", or "" if it
 * is unknown. */
void listen_url(int fd, char url[LISTEN_URL_BYTES]);

#endif
