/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A web server with one page, /metrics, which answers in a thread of its own with what was
 * published last.
 */
#ifndef PROM_SERVER_H
#define PROM_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct prom_server;

/* The library that serves the page, with its version, such as "libmicrohttpd 0.9.75". Returns NULL
 * if the program was built without it. */
const char *prom_server_library(void);
/* Returns −1 after a logged message if the program was built without that library. */
int prom_server_check(void);

/* `address` is one that listen_address_check() has let pass. Tells the page's address, on standard
 * error when standard output is not for `text`. NULL after a logged message. */
struct prom_server *prom_server_start(const char *address, bool text);
/* Returns when no request is being answered. NULL is ignored. */
void prom_server_stop(struct prom_server *server);

/* From here on /metrics is `page`, which belongs to the server now. Waits for nobody but an answer
 * that is just being copied. */
void prom_server_publish(struct prom_server *server, char *page, size_t bytes);

#endif
