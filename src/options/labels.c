/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/labels.h"

#include <ctype.h>
#include <stddef.h>

const char *label_check(const char *text)
{
    static const char allowed[] = "NAME=VALUE, a name of letters, digits, '_', '.' and '-'";
    const char *at = text;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '-')
        at++;
    if (at == text || *at != '=' || at[1] == '\0')
        return allowed;
    for (at++; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return allowed;
    return NULL;
}
