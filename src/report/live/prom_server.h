/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A web server with one page, /metrics. A thread of the server answers with the text that was
 * published last.
 */
#ifndef PROM_SERVER_H
#define PROM_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct prom_server;

/* Returns the name and version of the library that serves the page, such as "libmicrohttpd
 * 0.9.75", or NULL if the program was built without this library. */
const char *prom_server_library(void);
/* Returns −1 after a logged message if the program was built without that library. */
int prom_server_check(void);

/* Starts the server. `address` must have passed listen_address_check(). Prints the address of
 * the page: on standard output if `text` is true, else on standard error. Returns NULL after a
 * logged message if the server cannot be started. */
struct prom_server *prom_server_start(const char *address, bool text);
/* Stops the server and waits until no request is being answered. NULL is ignored. */
void prom_server_stop(struct prom_server *server);

/* Replaces the text of /metrics by `page`, of which the server takes ownership. Waits at most
 * while an answer copies the old text. */
void prom_server_publish(struct prom_server *server, char *page, size_t bytes);

#endif
