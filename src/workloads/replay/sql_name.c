/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/sql_name.h"

#include <ctype.h>
#include <stdbool.h>

/* Reads an escape of U&"…" after its backslash and moves *p past it. Returns −1 if the escape is
 * malformed. */
static int take_escape(const char **p, const char *end)
{
    if (*p < end && **p == '\\')
        return *(*p)++;
    const bool wide = *p < end && **p == '+';
    const char *digits = *p + wide;
    int code = 0;
    for (*p = digits + (wide ? 6 : 4); digits < *p; digits++) {
        if (digits >= end || !isxdigit((unsigned char)*digits))
            return -1;
        const int c = tolower((unsigned char)*digits);
        code = code * 16 + (isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return code;
}

size_t sql_name_resolve(const char *p, const char *end, char *name, size_t bytes)
{
    size_t n = 0;
    while (p < end && n < bytes) {
        int c = (unsigned char)*p++;
        if (c == '\\' && (c = take_escape(&p, end)) <= 0)
            return 0;
        name[n++] = (char)(c < 0x80 ? c : '?');
    }
    return n;
}
