/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/connections/lifetime.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

/* The shortest lifetime, in seconds. */
#define LEAST_S 0.001

static bool read_sign(const char **text)
{
    static const char *const signs[] = {"±", "+-"};
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (strncmp(*text, signs[i], strlen(signs[i])) == 0) {
            *text += strlen(signs[i]);
            return true;
        }
    return false;
}

static bool parse(struct lifetime *lifetime, const char *text)
{
    double seconds = 0, percent = 0;
    *lifetime = (struct lifetime){0};
    if (!quantity_read_time(&text, &seconds))
        return false;
    if (read_sign(&text) && (!quantity_read_plain(&text, &percent) || *text++ != '%'))
        return false;
    *lifetime = (struct lifetime){seconds_to_ns(seconds), percent / 100};
    return *text == '\0' && percent <= 100 &&
           (seconds >= LEAST_S || (seconds == 0 && percent == 0));
}

const char *lifetime_check(const char *text)
{
    struct lifetime lifetime;
    return parse(&lifetime, text)
               ? NULL
               : "0 for none, or a time of at least 1ms such as 30s, and optionally by how much "
                 "lifetimes differ, up to 100 %, such as 30s±20%; +- may be written for ±";
}

void lifetime_parse(struct lifetime *lifetime, const char *text)
{
    *lifetime = (struct lifetime){0};
    if (text != NULL)
        parse(lifetime, text);
}
