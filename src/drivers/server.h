/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the drivers of database servers share: lists of hosts and ports, passwords from files. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "options/options.h"

/* Checks for rows of options: NULL, or what is allowed. */
const char *server_check_hosts(const char *value);
const char *server_check_ports(const char *value);

/*
 * The check of a list of errors: "", "all", or errors with commas between. `error` tells how long
 * the one is that a text begins with, 0: it does not begin with one.
 */
const char *server_check_errors(const char *value, size_t (*error)(const char *text),
                                const char *allowed);

/* How many members a list of an option has; NULL has none. */
unsigned server_list_length(char *const *list);

struct server_address {
    const char *host, *port; /* owned by the options */
};

/* Where connection `number` goes, round-robin over all pairs of host and port: the host changes
 * fastest. */
struct server_address server_address(char *const *hosts, char *const *ports, unsigned number);

/* How many pairs of host and port there are, and "host:port" of one of them. */
unsigned server_count(char *const *hosts, char *const *ports);
void server_write_name(char *const *hosts, char *const *ports, unsigned server, char *name,
                       size_t bytes);

/* "HOST", "HOST:PORT", "[ADDRESS]:PORT" or a path taken apart; port "" where there is none. False:
 * malformed. */
#define SERVER_HOST_BYTES 256
struct server_place {
    char host[SERVER_HOST_BYTES], port[6];
};
bool server_place(const char *text, struct server_place *place);

/* Where connection `number` goes, as a place; `elsewhere`, which server_place() takes, unless it is
 * NULL. */
void server_find_place(char *const *hosts, char *const *ports, unsigned number,
                       const char *elsewhere, struct server_place *place);

/* Whether a host is this machine: the path of a socket, "localhost", or one of its addresses. No
 * name is looked up. */
bool server_is_local(const char *host);

/*
 * The password that was given: by `option`, else the first line of the file that `file_option`
 * names. *password is NULL when there is neither, else the caller's to free. −1 after a logged
 * message.
 */
int server_password(const struct options *options, const char *option, const char *file_option,
                    char **password);

#endif
