/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/statement_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "workloads/replay/sql_scan.h"

bool statement_parts_certain(const char *text, size_t length)
{
    const char *p = text, *end = text + length;
    if (memchr(text, '\\', length) != NULL)
        return false;
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_PGSQL);
        const size_t word = past == p ? sql_word_length(p, end) : 0;
        if (word == strlen("atomic") && strncasecmp(p, "atomic", word) == 0)
            return false;
        p = past != p ? past : p + (word > 0 ? word : 1);
    }
    return true;
}

size_t statement_parts_first(const char *text, size_t length)
{
    const char *p = text, *end = text + length;
    int depth = 0;
    while (p < end && (*p != ';' || depth > 0)) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_PGSQL);
        const size_t word = past == p ? sql_word_length(p, end) : 0;
        if (past == p)
            depth += *p == '(' ? 1 : *p == ')' && depth > 0 ? -1 : 0;
        p = past != p ? past : p + (word > 0 ? word : 1);
    }
    p += p < end;
    while (p < end && isspace((unsigned char)*p))
        p++;
    return (size_t)(p - text);
}
