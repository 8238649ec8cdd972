/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_prefix.h"

#include <ctype.h>

/* Defaults of Debian and Fedora, of PostgreSQL itself, of its manual and of cloud services. */
static const char *const usual[] = {"%m [%p] %q%u@%d ",
                                    "%m [%p] ",
                                    "%t [%p] ",
                                    "%t [%p]: ",
                                    "%m [%p]: ",
                                    "%t:%r:%u@%d:[%p]:",
                                    "%t [%p]: %u@%d ",
                                    "%t %u@%d [%p] ",
                                    "%m %u@%d [%p] ",
                                    "%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
                                    "%t [%p]: [%l] user=%u,db=%d,app=%a,client=%h "};

static const char *const severities[] = {"LOG",    "ERROR",   "FATAL",    "PANIC", "WARNING",
                                         "NOTICE", "INFO",    "DETAIL",   "HINT",  "STATEMENT",
                                         "QUERY",  "CONTEXT", "LOCATION", "DEBUG", "DEBUG1",
                                         "DEBUG2", "DEBUG3",  "DEBUG4",   "DEBUG5"};

const char *pgsql_prefix_check(const char *prefix)
{
    const bool timed = strstr(prefix, "%m") != NULL || strstr(prefix, "%t") != NULL ||
                       strstr(prefix, "%n") != NULL;
    const bool named = strstr(prefix, "%p") != NULL || strstr(prefix, "%c") != NULL;
    return timed && named ? NULL : "a log_line_prefix with %m, %t or %n, and with %p or %c";
}

static bool read_severity(const char **line, char *severity, size_t bytes)
{
    const char *colon = *line + strcspn(*line, ": ");
    for (size_t i = 0; i < ARRAY_SIZE(severities); i++) {
        const size_t length = strlen(severities[i]);
        if ((size_t)(colon - *line) != length || strncmp(*line, severities[i], length) != 0 ||
            strncmp(colon, ":  ", 3) != 0)
            continue;
        snprintf(severity, bytes, "%s", severities[i]);
        *line = colon + 3;
        return true;
    }
    return false;
}

static bool skip_while(const char **line, const char *set)
{
    const size_t length = strspn(*line, set);
    *line += length;
    return length > 0;
}

/* Skips and copies any text without blanks up to the character `until`, which follows in the
 * prefix. */
static void skip_name(const char **line, char until, char *name, size_t bytes)
{
    const char stop[] = {until, ' ', '\0'};
    const size_t length = strcspn(*line, until == '%' || until == '\0' ? " " : stop);
    if (name != NULL)
        snprintf(name, bytes, "%.*s", (int)length, *line);
    *line += length;
}

/* Reads one escape of the prefix. `until` is the character after the escape. */
static bool read_escape(char escape, char until, const char **line, struct pgsql_entry *e)
{
    const char *from = *line;
    switch (escape) {
    case 'm':
    case 't':
        return log_time_iso(line, &e->time);
    case 'n':
        return log_time_epoch(line, &e->time);
    case 'p':
    case 'c':
        if (!skip_while(line, escape == 'p' ? "0123456789" : "0123456789abcdef."))
            return false;
        e->session = log_hash(from, (size_t)(*line - from));
        return true;
    case 's': {
        struct log_time begun;
        return log_time_iso(line, &begun);
    }
    case 'd':
        skip_name(line, until, e->database, sizeof(e->database));
        return true;
    case '%':
        return log_skip(line, "%");
    default:
        skip_name(line, until, NULL, 0);
        return true;
    }
}

/* Reads from `prefix` on, and the severity after it. */
static bool read_from(const char *prefix, const char **line, struct pgsql_entry *e, char *severity,
                      size_t bytes)
{
    const char *at = *line;
    for (; *prefix != '\0'; prefix++) {
        if (*prefix != '%') {
            if (*at++ != *prefix)
                return false;
            continue;
        }
        prefix++;
        prefix += strspn(prefix, "-0123456789"); /* width of the field */
        if (*prefix == '\0')
            return false;
        if (*prefix == 'q') {
            /* Only messages of sessions have the rest of the prefix. */
            const char *rest = at;
            if (read_from(prefix + 1, &rest, e, severity, bytes)) {
                *line = rest;
                return true;
            }
            e->database[0] = '\0';
            break;
        }
        if (!read_escape(*prefix, prefix[1], &at, e))
            return false;
    }
    if (!read_severity(&at, severity, bytes))
        return false;
    *line = at;
    return true;
}

bool pgsql_prefix_read(const char *prefix, const char **line, struct pgsql_entry *e, char *severity,
                       size_t bytes)
{
    if (prefix != NULL)
        return read_from(prefix, line, e, severity, bytes);
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
        if (read_from(usual[i], line, e, severity, bytes))
            return true;
    return false;
}
