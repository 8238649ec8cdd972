/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_prefix.h"

#include <ctype.h>
#include <stdio.h>

#include "workloads/replay/log/log_text.h"

/* A longer value or prefix is not recognized. */
#define VALUE_BYTES 512
#define PREFIX_BYTES 2000
/* Bounds the time that a line takes for which many ways to read the prefix have to be tried. */
#define STEPS 5000

/* The first six belong to the message before them. */
static const char *const severities[] = {"DETAIL",  "HINT",   "STATEMENT", "CONTEXT", "LOCATION",
                                         "QUERY",   "LOG",    "ERROR",     "FATAL",   "PANIC",
                                         "WARNING", "NOTICE", "INFO",      "DEBUG",   "DEBUG1",
                                         "DEBUG2",  "DEBUG3", "DEBUG4",    "DEBUG5"};
#define PARTS 6

struct scan {
    const char *start;
    struct pgsql_head *head;
    unsigned steps;
};

bool pgsql_prefix_suffices(const char *prefix, bool timed, bool named)
{
    timed = timed || strstr(prefix, "%m") != NULL || strstr(prefix, "%t") != NULL ||
            strstr(prefix, "%n") != NULL;
    named = named || strstr(prefix, "%p") != NULL || strstr(prefix, "%c") != NULL;
    return timed && named;
}

bool pgsql_is_part(const char *severity)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(severity, severities[i]) == 0)
            return true;
    return false;
}

/* Returns the severity that ends at the colon `colon`, or NULL. */
static const char *severity_before(const char *line, const char *colon)
{
    const char *start = colon;
    while (start > line && (isupper((unsigned char)start[-1]) || isdigit((unsigned char)start[-1])))
        start--;
    /* No severity has one letter. */
    if (colon - start < 2 ||
        (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_')))
        return NULL;
    const size_t length = (size_t)(colon - start);
    for (size_t i = 0; i < ARRAY_SIZE(severities); i++)
        if (severities[i][0] == *start && strncmp(start, severities[i], length) == 0 &&
            severities[i][length] == '\0')
            return severities[i];
    return NULL;
}

const char *pgsql_find_severity(const char *line)
{
    const char *end = line + strnlen(line, PREFIX_BYTES);
    for (const char *colon = line; (colon = memchr(colon, ':', (size_t)(end - colon))) != NULL;
         colon++) {
        const char *severity = severity_before(line, colon);
        if (severity != NULL && (colon[1] == ' ' || colon[1] == '\0'))
            return colon - strlen(severity);
    }
    return NULL;
}

/* Reads "LOG:  "; programs that collect logs may have removed blanks. */
static bool read_severity(const char **line, struct pgsql_head *h)
{
    const char *p = *line + strspn(*line, " ");
    const char *colon = p + strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ12345");
    const char *severity = *colon == ':' ? severity_before(p, colon) : NULL;
    if (severity == NULL || (colon[1] != ' ' && colon[1] != '\0'))
        return false;
    snprintf(h->severity, sizeof(h->severity), "%s", severity);
    p = colon + 1;
    for (int i = 0; i < 2 && *p == ' '; i++)
        p++;
    *line = p;
    return true;
}

static bool skip_while(const char **line, const char *set)
{
    const size_t length = strspn(*line, set);
    *line += length;
    return length > 0;
}

static bool read_session(const char **line, const char *set, struct pgsql_head *h)
{
    const char *from = *line;
    if (!skip_while(line, set))
        return false;
    h->named = true;
    h->session = log_hash(from, (size_t)(*line - from));
    return true;
}

static bool read_number(const char **line, struct pgsql_head *h)
{
    const char *from = *line;
    if (!skip_while(line, "0123456789"))
        return false;
    if (h->numbers < PGSQL_HEAD_NUMBERS)
        h->number[h->numbers++] = strtoull(from, NULL, 10);
    return true;
}

/* Reads a value of a fixed form. Returns false if the line has no such value. */
static bool read_fixed(char escape, const char **line, struct pgsql_head *h)
{
    struct log_time begun;
    switch (escape) {
    case 'm':
    case 't':
        return h->timed = log_time_iso(line, &h->time);
    case 'n':
        return h->timed = log_time_epoch(line, &h->time);
    case 'p':
        return read_session(line, "0123456789", h);
    case 'c':
        return read_session(line, "0123456789abcdef.", h);
    case 's':
        return log_time_iso(line, &begun);
    case 'l':
        return read_number(line, h);
    case '%':
        return log_skip(line, "%");
    default: /* the server ignores unknown escapes */
        return true;
    }
}

static bool match(struct scan *s, const char *prefix, const char **line);

/* Tries the value of `n` bytes, and reads what follows it. */
static bool try_text(struct scan *s, char escape, const char *prefix, const char *from, size_t n,
                     const char **line)
{
    const char *at = from + n;
    if (*prefix != '\0' && *prefix != ' ' && *prefix != '%' && *prefix != *at)
        return false;
    const struct pgsql_head before = *s->head;
    if (escape == 'd')
        snprintf(s->head->database, sizeof(s->head->database), "%.*s", (int)n, from);
    if (match(s, prefix, &at)) {
        *line = at;
        return true;
    }
    *s->head = before;
    return false;
}

/* Reads a value with any text and the rest of the prefix. The shortest value is tried first. Before
 * a blank an empty value is tried last, because the blanks before it have been skipped. */
static bool read_text(struct scan *s, char escape, const char *prefix, const char *from,
                      const char **line)
{
    const size_t most = strnlen(from, VALUE_BYTES), least = *prefix == ' ' ? 1 : 0;
    for (size_t n = least; n <= most && s->steps < STEPS; n++, s->steps++)
        if (try_text(s, escape, prefix, from, n, line))
            return true;
    return least > 0 && try_text(s, escape, prefix, from, 0, line);
}

/* Only messages of sessions have the rest of the prefix. */
static bool read_optional(struct scan *s, const char *prefix, const char *from, const char **line)
{
    const struct pgsql_head before = *s->head;
    const char *rest = from;
    if (!match(s, prefix, &rest)) {
        *s->head = before;
        if (!read_severity(&from, s->head))
            return false;
        rest = from;
    }
    *line = rest;
    return true;
}

/* A run of blanks in the prefix matches a run of blanks, whose start may have been taken as the end
 * of an empty value. At the end of the prefix no blanks are needed. */
static bool skip_blanks(const struct scan *s, const char **prefix, const char **line)
{
    *prefix += strspn(*prefix, " ");
    const bool there = **line == ' ' || (*line > s->start && (*line)[-1] == ' ');
    *line += strspn(*line, " ");
    return there || **prefix == '\0';
}

/* Reads from `prefix` on, and the severity after it. */
static bool match(struct scan *s, const char *prefix, const char **line)
{
    const char *at = *line;
    while (*prefix != '\0') {
        if (*prefix == ' ') {
            if (!skip_blanks(s, &prefix, &at))
                return false;
            continue;
        }
        if (*prefix != '%') {
            if (*at++ != *prefix++)
                return false;
            continue;
        }
        const size_t width = strspn(++prefix, "-0123456789");
        const char escape = prefix[width];
        prefix += width + (escape != '\0');
        if (escape != '\0' && strchr("udarhibveLxPQ", escape) != NULL)
            return read_text(s, escape, prefix, at, line);
        if (escape == 'q')
            return read_optional(s, prefix, at, line);
        at += width > 0 ? strspn(at, " ") : 0;
        if (!read_fixed(escape, &at, s->head))
            return false;
        at += width > 0 && *prefix != ' ' ? strspn(at, " ") : 0;
    }
    if (!read_severity(&at, s->head))
        return false;
    *line = at;
    return true;
}

/* Removes the blanks with which a width pads the value. */
static void trim(char *name)
{
    const size_t lead = strspn(name, " ");
    memmove(name, name + lead, strlen(name) - lead + 1);
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
        name[n - 1] = '\0';
}

bool pgsql_prefix_read(const char *prefix, const char **line, struct pgsql_head *head)
{
    struct scan s = {.start = *line, .head = head};
    *head = (struct pgsql_head){.numbers = 0};
    if (pgsql_find_severity(*line) == NULL || !match(&s, prefix, line))
        return false;
    trim(head->database);
    return true;
}
