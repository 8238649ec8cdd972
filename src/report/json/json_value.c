/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/json_value.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

void value_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, checked_alloc(value)) != 0)
        checked_alloc(NULL);
}

void value_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, checked_alloc(value)) != 0)
        checked_alloc(NULL);
}

json_t *value_object(void)
{
    return checked_alloc(json_object());
}

json_t *value_array(void)
{
    return checked_alloc(json_array());
}

json_t *value_count(uint64_t count)
{
    return json_integer((json_int_t)count);
}

json_t *value_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* Converts Latin-1 to UTF-8: each byte from 128 on becomes two bytes. */
static json_t *latin1(const char *text)
{
    char *utf8 = xcalloc(strlen(text) * 2 + 1, 1), *out = utf8;
    for (const unsigned char *in = (const unsigned char *)text; *in != '\0'; in++) {
        if (*in < 0x80) {
            *out++ = (char)*in;
        } else {
            *out++ = (char)(0xc0 | *in >> 6);
            *out++ = (char)(0x80 | (*in & 0x3f));
        }
    }
    json_t *value = json_string(utf8);
    free(utf8);
    return value;
}

json_t *value_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    return value != NULL ? value : latin1(text);
}
