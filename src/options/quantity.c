/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads a number that consists only of `characters`, because strtod() accepts more than is allowed.
 */
static bool read_number(const char **text, const char *characters, double *value)
{
    if (!isdigit((unsigned char)**text) && **text != '.')
        return false;
    char *end;
    errno = 0;
    double number = strtod(*text, &end);
    /* errno is also set if the number is too small for a double. Such a number is not taken as
     * 0, because 0 often disables an option. */
    if (errno != 0 || end == *text || (size_t)(end - *text) > strspn(*text, characters))
        return false;
    *value = number;
    *text = end;
    return true;
}

bool quantity_read(const char **text, double *value)
{
    return read_number(text, "0123456789.eE+-", value);
}

bool quantity_read_plain(const char **text, double *value)
{
    return read_number(text, "0123456789.", value);
}

static bool parse_signed(const char *text, bool (*read)(const char **text, double *value),
                         double *value)
{
    bool minus = *text == '-';
    double number;
    text += minus;
    if (!read(&text, &number) || *text != '\0')
        return false;
    *value = minus && number > 0 ? -number : number;
    return true;
}

bool quantity_parse(const char *text, double *value)
{
    return parse_signed(text, quantity_read, value);
}

bool quantity_read_count(const char **text, double *value)
{
    static const struct {
        char suffix;
        double factor;
    } suffixes[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
    if (!quantity_read(text, value))
        return false;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (**text == suffixes[i].suffix) {
            *value *= suffixes[i].factor;
            (*text)++;
            break;
        }
    return true;
}

bool quantity_parse_count(const char *text, double *value)
{
    return parse_signed(text, quantity_read_count, value);
}

bool quantity_read_unit(const char **text, enum time_unit least, enum time_unit most,
                        double *unit_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        [UNIT_NS] = {"ns", 1}, [UNIT_US] = {"us", 1e3},     [UNIT_MS] = {"ms", 1e6},
        [UNIT_S] = {"s", 1e9}, [UNIT_MINUTE] = {"m", 60e9}, [UNIT_HOUR] = {"h", 3600e9},
    };
    for (unsigned i = least; i <= (unsigned)most; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*text, units[i].name, length) == 0) {
            *text += length;
            *unit_ns = units[i].ns;
            return true;
        }
    }
    return false;
}

bool quantity_read_time(const char **text, double *seconds)
{
    const char *at = *text;
    double value, unit_ns = 1e9;
    if (!quantity_read(&at, &value))
        return false;
    quantity_read_unit(&at, UNIT_MS, UNIT_HOUR, &unit_ns);
    value *= unit_ns / 1e9;
    if (value > TIME_MAX_S)
        return false;
    *seconds = value;
    *text = at;
    return true;
}

bool quantity_parse_time(const char *text, double *seconds)
{
    double value;
    if (!quantity_read_time(&text, &value) || *text != '\0')
        return false;
    *seconds = value;
    return true;
}
