/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How large what others send may be in its parts, found before it is parsed. */
#ifndef JSON_LIMITS_H
#define JSON_LIMITS_H

#include <stddef.h>

/* Levels of brackets, values in one object and in all, bytes of one string. What sysrate writes has
 * less than half of each. */
#define JSON_LIMIT_DEPTH 32
#define JSON_LIMIT_MEMBERS 2000
#define JSON_LIMIT_VALUES 2000000
#define JSON_LIMIT_STRING 16384

/* NULL, or what is allowed. What it lets through need not be JSON. */
const char *json_limits_check(const char *text, size_t bytes);

#endif
