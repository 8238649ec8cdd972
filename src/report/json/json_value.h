/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values. If jansson cannot get memory, the process ends. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

/* Adds a value, which it takes over, to an object or an array. */
void value_set(json_t *object, const char *key, json_t *value);
void value_append(json_t *array, json_t *value);

json_t *value_object(void);
json_t *value_array(void);
json_t *value_count(uint64_t count);
/* null when it is not finite: JSON has no word for that. */
json_t *value_real(double x);
/* null for NULL. Bytes that are no UTF-8 are taken for Latin-1, so that any text can be written. */
json_t *value_text(const char *text);

#endif
