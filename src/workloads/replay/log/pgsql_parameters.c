/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_parameters.h"

#include <ctype.h>
#include <strings.h>

#include "workloads/replay/sql_scan.h"

/* Returns the end of the literal that starts at `p`, "'…'" with doubled quotes; NULL if the literal
 * is not closed. */
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

/* Returns the end of the value that starts at `p`; NULL if there is no value. */
static const char *skip_value(const char *p)
{
    if (*p == '\'')
        return skip_literal(p);
    return strncmp(p, "NULL", 4) == 0 ? p + 4 : NULL;
}

struct parameter {
    unsigned long number;
    const char *value;
    size_t length;
};

/* Reads the parameter at *at and moves *at to the next one. Returns false at the end. */
static bool read_parameter(const char **at, struct parameter *p)
{
    char *end;
    if (**at != '$')
        return false;
    p->number = strtoul(*at + 1, &end, 10);
    const char *past = strncmp(end, " = ", 3) == 0 ? skip_value(end + 3) : NULL;
    if (past == NULL)
        return false;
    p->value = end + 3;
    p->length = (size_t)(past - p->value);
    *at = past + (strncmp(past, ", ", 2) == 0 ? 2 : 0);
    return true;
}

/* Returns the text after "parameters: ", or NULL. A few words may precede it. */
static const char *past_title(const char *line)
{
    static const char title[] = "parameters";
    const char *colon = strpbrk(line, ":\n'=(");
    const size_t length = strlen(title);
    if (colon == NULL || colon[0] != ':' || colon[1] != ' ' || (size_t)(colon - line) < length)
        return NULL;
    return strncasecmp(colon - length, title, length) == 0 ? colon + 2 : NULL;
}

const char *pgsql_find_parameters(const char *detail, const char *context)
{
    const char *found = detail != NULL ? past_title(detail) : NULL;
    /* Other lines of a context say where in a function the error was. */
    while (found == NULL && context != NULL) {
        found = past_title(context);
        const char *end = strchr(context, '\n');
        context = end != NULL ? end + 1 : NULL;
    }
    return found != NULL ? found : "";
}

/* Searches from *at on, then from the first parameter: most statements use parameters in their
 * order. */
static bool find_parameter(const char *first, const char **at, unsigned long number,
                           struct parameter *p)
{
    const char *from = *at;
    while (read_parameter(at, p))
        if (p->number == number)
            return true;
    for (*at = first; *at < from && read_parameter(at, p);)
        if (p->number == number)
            return true;
    return false;
}

/* Inserts the literal. One with a backslash becomes E'…', whose meaning does not depend on the
 * session's standard_conforming_strings. */
static void put_value(struct log_text *to, const struct parameter *p)
{
    const bool escape = memchr(p->value, '\\', p->length) != NULL;
    if (escape)
        log_text_add(to, "E", 1);
    for (size_t i = 0, n; i < p->length; i += n) {
        const char *slash = memchr(p->value + i, '\\', p->length - i);
        n = slash != NULL ? (size_t)(slash - p->value) - i + 1 : p->length - i;
        log_text_add(to, p->value + i, n);
        if (slash != NULL)
            log_text_add(to, "\\", 1);
    }
}

/* Inserts the parameter that *p names and moves *p past its name. Returns false if there is no such
 * parameter. */
static bool put_parameter(struct log_text *to, const char *first, const char **at, const char **p,
                          bool *cut)
{
    char *end;
    struct parameter found;
    if (!find_parameter(first, at, strtoul(*p + 1, &end, 10), &found))
        return false;
    *cut |= found.length >= 5 && strncmp(found.value + found.length - 4, "...'", 4) == 0;
    /* Blanks around the value keep it apart from a word or number next to it. */
    log_text_add(to, " ", 1);
    put_value(to, &found);
    if (isalnum((unsigned char)*end))
        log_text_add(to, " ", 1);
    *p = end;
    return true;
}

bool pgsql_put_parameters(struct log_text *to, const char *statement, size_t length,
                          const char *parameters, bool *cut)
{
    const char *p = statement, *end = statement + length;
    const char *first = parameters, *at = first;
    log_text_set(to, "", 0);
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_PGSQL);
        if (past == p && *p == '$' && end - p > 1 && isdigit((unsigned char)p[1])) {
            if (!put_parameter(to, first, &at, &p, cut))
                return false;
            continue;
        }
        /* A name may contain a '$'. */
        if (past == p)
            past = p + max_i64(1, (int64_t)sql_word_length(p, end));
        log_text_add(to, p, (size_t)(past - p));
        p = past;
    }
    return true;
}
