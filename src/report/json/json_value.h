/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that create JSON values. They never fail: if jansson cannot allocate memory, the
 * process ends. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

/* Adds a value to an object or an array, which takes ownership of the value. */
void value_set(json_t *object, const char *key, json_t *value);
void value_append(json_t *array, json_t *value);

json_t *value_object(void);
json_t *value_array(void);
json_t *value_count(uint64_t count);
/* Returns null if the number is infinite or not a number, which JSON cannot express. */
json_t *value_real(double x);
/* Returns null for NULL. If the bytes are not UTF-8, they are interpreted as Latin-1, so that
 * any text can be written. */
json_t *value_text(const char *text);

#endif
