/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a service of ours is to listen: "PORT" (on the loopback address), "ADDRESS:PORT" or
 * "[ADDRESS]:PORT"; port 0: any free one. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdbool.h>

struct listen_address {
    char *host; /* without brackets; the loopback address where none was given */
    char *port; /* digits, at most 65535 */
};

/* The check of an option's row: NULL when `text` is such an address, else what is allowed. */
const char *listen_address_check(const char *text);

/* False: `text` is no such address, and *address is as it was. After true,
 * listen_address_fini() must follow. */
bool listen_address_parse(struct listen_address *address, const char *text);
void listen_address_fini(struct listen_address *address);

#endif
