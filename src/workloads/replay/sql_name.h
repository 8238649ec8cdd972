/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unicode escapes in quoted names of PostgreSQL: U&"set\005fconfig". */
#ifndef SQL_NAME_H
#define SQL_NAME_H

#include <stddef.h>

/* Copies the name in [p, end), which is between the quotes, with its escapes resolved. Copies at
 * most `bytes` characters without a NUL; those outside of ASCII become '?'. Returns the number of
 * characters, or 0 if an escape is malformed. */
size_t sql_name_resolve(const char *p, const char *end, char *name, size_t bytes);

#endif
