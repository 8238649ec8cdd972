/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/html_text.h"

#include <stddef.h>

/* Returns the HTML entity for a character that has a meaning in HTML; NULL for other characters. */
static const char *entity_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void html_text_print(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = entity_of(*text);
        if (entity != NULL)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}
