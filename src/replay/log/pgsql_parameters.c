/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/log/pgsql_parameters.h"

#include <ctype.h>
#include <strings.h>

#include "replay/sql_scan.h"

/* Past the literal that starts at `p`, "'…'" with quotes doubled; NULL: it does not end. */
static const char *skip_literal(const char *p)
{
    for (p++; *p != '\0'; p++) {
        if (*p != '\'')
            continue;
        if (p[1] != '\'')
            return p + 1;
        p++;
    }
    return NULL;
}

/* Past the value that starts at `p`; NULL: it is none. */
static const char *skip_value(const char *p)
{
    if (*p == '\'')
        return skip_literal(p);
    return strncmp(p, "NULL", 4) == 0 ? p + 4 : NULL;
}

/* The value of parameter `number`, *length long; NULL: there is none. */
static const char *find_value(const char *detail, unsigned long number, size_t *length)
{
    const char *p = detail;
    if (p == NULL || strncasecmp(p, "parameters: ", 12) != 0)
        return NULL;
    for (p += 12; *p == '$';) {
        char *end;
        const unsigned long found = strtoul(p + 1, &end, 10);
        if (strncmp(end, " = ", 3) != 0)
            return NULL;
        const char *value = end + 3, *past = skip_value(value);
        if (past == NULL)
            return NULL;
        *length = (size_t)(past - value);
        if (found == number)
            return value;
        p = past + (strncmp(past, ", ", 2) == 0 ? 2 : 0);
    }
    return NULL;
}

static bool put_parameter(struct log_text *to, const char *detail, const char **at)
{
    char *end;
    size_t length;
    const unsigned long number = strtoul(*at + 1, &end, 10);
    const char *value = find_value(detail, number, &length);
    if (value == NULL)
        return false;
    /* A word or a number may stand beside it. */
    log_text_add(to, " ", 1);
    log_text_add(to, value, length);
    if (isalnum((unsigned char)*end))
        log_text_add(to, " ", 1);
    *at = end;
    return true;
}

bool pgsql_put_parameters(struct log_text *to, const char *statement, size_t length,
                          const char *detail)
{
    const char *p = statement, *end = statement + length;
    log_text_set(to, "", 0);
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_PGSQL);
        if (past == p && *p == '$' && end - p > 1 && isdigit((unsigned char)p[1])) {
            if (!put_parameter(to, detail, &p))
                return false;
            continue;
        }
        /* A name may have a '$' in it. */
        if (past == p)
            past = p + max_i64(1, (int64_t)sql_word_length(p, end));
        log_text_add(to, p, (size_t)(past - p));
        p = past;
    }
    return true;
}
