/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/machine/metrics_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Longest text of a number. */
#define NUMBER_BYTES 64

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == ':'))
        at++;
    return at;
}

/* Returns the position after the quote that ends a value, or NULL if there is none. */
static const char *skip_value(const char *at, const char *end)
{
    for (; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : NULL;
}

/* One label: NAME="VALUE". */
struct label {
    const char *name, *value;
    size_t name_bytes, value_bytes;
};

/* Reads the label at *at and moves *at to the next one, or to the end of the labels. Returns false
 * if there is no label, or a malformed one. */
static bool next_label(const char **at, const char *end, struct label *label)
{
    const char *name = skip_blanks(*at, end), *p = skip_name(name, end);
    label->name = name;
    label->name_bytes = (size_t)(p - name);
    p = skip_blanks(p, end);
    if (label->name_bytes == 0 || p == end || *p != '=')
        return false;
    p = skip_blanks(p + 1, end);
    if (p == end || *p != '"')
        return false;
    label->value = p + 1;
    p = skip_value(p + 1, end);
    if (p == NULL)
        return false;
    label->value_bytes = (size_t)(p - 1 - label->value);
    p = skip_blanks(p, end);
    *at = p < end && *p == ',' ? p + 1 : p;
    return true;
}

/* Returns the position of the brace that ends the labels, or NULL if they are malformed. */
static const char *end_of_labels(const char *at, const char *end)
{
    struct label label;
    while (next_label(&at, end, &label))
        ;
    at = skip_blanks(at, end);
    return at < end && *at == '}' ? at : NULL;
}

/* Reads a number, which may be followed by a time stamp. */
static bool read_number(const char *at, const char *end, double *value)
{
    char text[NUMBER_BYTES], *rest;
    const char *stop = at;
    while (stop < end && !is_blank(*stop))
        stop++;
    const size_t bytes = (size_t)(stop - at);
    if (bytes == 0 || bytes >= sizeof(text))
        return false;
    memcpy(text, at, bytes);
    text[bytes] = '\0';
    *value = strtod(text, &rest);
    return *rest == '\0' && rest > text;
}

static bool read_line(const char *at, const char *end, struct metric *metric)
{
    const char *name = skip_blanks(at, end), *p = skip_name(name, end);
    *metric = (struct metric){.name = name, .name_bytes = (size_t)(p - name)};
    if (metric->name_bytes == 0)
        return false;
    p = skip_blanks(p, end);
    if (p < end && *p == '{') {
        metric->labels = p + 1;
        p = end_of_labels(p + 1, end);
        if (p == NULL)
            return false;
        metric->labels_bytes = (size_t)(p - metric->labels);
        p = skip_blanks(p + 1, end);
    }
    return read_number(p, end, &metric->value);
}

bool metrics_next(const char **text, const char *end, struct metric *metric)
{
    while (*text < end) {
        const char *line = *text;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop == NULL)
            stop = end;
        *text = stop < end ? stop + 1 : end;
        if (read_line(line, stop, metric))
            return true;
    }
    return false;
}

bool metric_is(const struct metric *metric, const char *name)
{
    return metric->name_bytes == strlen(name) &&
           memcmp(metric->name, name, metric->name_bytes) == 0;
}

/* Compares the value of a label with a text. A backslash makes the next character literal, and \n
 * is a newline. */
static bool value_matches(const struct label *label, const char *text, bool whole)
{
    const char *at = label->value, *end = at + label->value_bytes;
    for (; *text != '\0'; text++) {
        if (at == end)
            return false;
        const bool escaped = *at == '\\' && at + 1 < end;
        at += escaped;
        const char c = escaped && *at == 'n' ? '\n' : *at;
        at++;
        if (c != *text)
            return false;
    }
    return !whole || at == end;
}

bool metric_has(const struct metric *metric, const char *label, const char *value, bool whole)
{
    const char *at = metric->labels;
    const char *end = at != NULL ? at + metric->labels_bytes : NULL;
    struct label found;
    while (at != NULL && next_label(&at, end, &found))
        if (found.name_bytes == strlen(label) && memcmp(found.name, label, found.name_bytes) == 0)
            return value_matches(&found, value, whole);
    return false;
}
