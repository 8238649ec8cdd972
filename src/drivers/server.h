/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the drivers of database servers: lists of hosts and ports. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "options/options.h"

/* Checks of option values. Return NULL if the value is valid, otherwise a description of the
 * allowed values. */
const char *server_check_hosts(const char *value);
const char *server_check_ports(const char *value);

/*
 * Checks a list of errors: "", "all", or errors separated by commas. `error` returns the length of
 * the error at the start of a text, or 0 if the text does not start with an error. Returns NULL if
 * the list is valid, otherwise `allowed`.
 */
const char *server_check_errors(const char *value, size_t (*error)(const char *text),
                                const char *allowed);

/* Number of entries in a NULL-terminated list; 0 if `list` is NULL. */
unsigned server_list_length(char *const *list);

struct server_address {
    const char *host, *port; /* owned by the options */
};

/* Address of connection `number`: connections are spread round-robin over all pairs of host and
 * port, first over the hosts, then over the ports. */
struct server_address server_address(char *const *hosts, char *const *ports, unsigned number);

/* Return the number of pairs of host and port, and the name "host:port" of one pair. */
unsigned server_count(char *const *hosts, char *const *ports);
void server_write_name(char *const *hosts, char *const *ports, unsigned server, char *name,
                       size_t bytes);

/* Splits "HOST", "HOST:PORT", "[ADDRESS]:PORT" or the path of a socket into host and port. The port
 * is "" if the text has no port. Returns false if the text is malformed. */
#define SERVER_HOST_BYTES 256
struct server_place {
    char host[SERVER_HOST_BYTES], port[64];
};
bool server_place(const char *text, struct server_place *place);

/* Finds host and port of connection `number`: those in `elsewhere` (in the format of
 * server_place()), or the result of server_address() if `elsewhere` is NULL. */
void server_find_place(char *const *hosts, char *const *ports, unsigned number,
                       const char *elsewhere, struct server_place *place);

/* True if a host is this machine: the path of a socket, "localhost", or one of its own addresses.
 * Does not look up other names. */
bool server_is_local(const char *host);

#endif
