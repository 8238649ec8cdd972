/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with which drivers fill in samples of sessions (stats/wait_source.h). */
#ifndef WAIT_FIELD_H
#define WAIT_FIELD_H

#include <stdbool.h>

#include "drivers/rowset.h"
#include "stats/wait_source.h"

/* Copies a field of a result to `to`, cut to `bytes`; "" for NULL. Line ends and other control
 * characters become blanks, and a character of UTF-8 is not cut in the middle. */
void wait_field_copy(char *to, size_t bytes, const struct rowset_field *field);
/* Removes the port of HOST:PORT. */
void wait_field_cut_port(char *host);
/* Returns true if `text` contains `name` as a whole identifier: "sbtest10" does not contain
 * "sbtest1". */
bool wait_field_names(const char *text, const char *name);
/* Return a field as a whole number, or as a real number; 0 for NULL. */
uint64_t wait_field_id(const struct rowset_field *field);
double wait_field_number(const struct rowset_field *field);

#endif
