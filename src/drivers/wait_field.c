/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/wait_field.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the longest part of `text` that has at most `bytes` bytes and does not end
 * within a character of UTF-8. */
static size_t whole_characters(const char *text, size_t length, size_t bytes)
{
    if (length <= bytes)
        return length;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}

void wait_field_copy(char *to, size_t bytes, const struct rowset_field *field)
{
    const size_t length =
        field->text != NULL ? whole_characters(field->text, field->length, bytes - 1) : 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)field->text[i];
        to[i] = c < ' ' || c == 0x7f ? ' ' : (char)c;
    }
    to[length] = '\0';
}

void wait_field_cut_port(char *host)
{
    char *port = strrchr(host, ':');
    if (port != NULL && port[1] != '\0' && port[1 + strspn(port + 1, "0123456789")] == '\0')
        *port = '\0';
}

static bool is_in_identifier(char c)
{
    const unsigned char byte = (unsigned char)c;
    return isalnum(byte) || byte == '_' || byte == '$' || byte >= 0x80;
}

bool wait_field_names(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *at = text;
    while (length > 0 && (at = strstr(at, name)) != NULL) {
        if ((at == text || !is_in_identifier(at[-1])) && !is_in_identifier(at[length]))
            return true;
        at++;
    }
    return false;
}

static void copy_number(char to[32], const struct rowset_field *field)
{
    wait_field_copy(to, 32, field);
}

uint64_t wait_field_id(const struct rowset_field *field)
{
    char text[32];
    copy_number(text, field);
    return strtoull(text, NULL, 10);
}

double wait_field_number(const struct rowset_field *field)
{
    char text[32];
    copy_number(text, field);
    return strtod(text, NULL);
}
