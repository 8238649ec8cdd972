/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a connection is used before it is closed and opened again, as written in
 * --connection-lifetime: a time, and optionally by how much each lifetime may differ from it, such
 * as 30s±20%. "+-" may be written for "±".
 */
#ifndef LIFETIME_H
#define LIFETIME_H

#include <stdint.h>

struct lifetime {
    int64_t ns;    /* 0 if connections are used as long as the run lasts */
    double spread; /* share of `ns` by which a lifetime may be shorter or longer, from 0 to 1 */
};

/* Check function for option rows: returns NULL if `text` is a lifetime, otherwise what is allowed.
 */
const char *lifetime_check(const char *text);
/* Parses a text that lifetime_check() accepts. NULL results in {0}. */
void lifetime_parse(struct lifetime *lifetime, const char *text);

#endif
