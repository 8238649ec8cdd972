/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the addresses at which sysrate listens: "PORT" (on the loopback address),
 * "ADDRESS:PORT" or "[ADDRESS]:PORT". Port 0 means any free port. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdbool.h>

struct listen_address {
    char *host; /* without brackets; the loopback address by default */
    char *port; /* digits, at most 65535 */
};

/* Check function for option rows: returns NULL if `text` is such an address, otherwise a static
 * string that says what is allowed. */
const char *listen_address_check(const char *text);

/* Parses `text`. Returns false and leaves *address unchanged if `text` is no valid address.
 * After success the caller must call listen_address_fini(). */
bool listen_address_parse(struct listen_address *address, const char *text);
void listen_address_fini(struct listen_address *address);

#endif
