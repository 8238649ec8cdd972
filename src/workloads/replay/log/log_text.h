/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text that a reader puts together from several lines. */
#ifndef LOG_TEXT_H
#define LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/log_source.h"

/* Longer texts are cut and must not be used as statements. */
#define LOG_TEXT_BYTES LOG_LINE_BYTES

struct log_text {
    char *data; /* terminated by a NUL; NULL if nothing was added yet */
    size_t length, room;
    size_t most_bytes; /* a longer text is cut; 0 for LOG_TEXT_BYTES */
    bool cut;
};

static inline void log_text_add(struct log_text *t, const char *text, size_t length)
{
    const size_t free_bytes = (t->most_bytes > 0 ? t->most_bytes : LOG_TEXT_BYTES) - t->length;
    if (length > free_bytes) {
        t->cut = true;
        length = free_bytes;
    }
    if (t->length + length + 1 > t->room) {
        t->room = 2 * (t->length + length + 1);
        t->data = xrealloc(t->data, t->room);
    }
    memcpy(t->data + t->length, text, length);
    t->length += length;
    t->data[t->length] = '\0';
}

static inline void log_text_set(struct log_text *t, const char *text, size_t length)
{
    t->length = 0;
    t->cut = false;
    log_text_add(t, text, length);
}

/* Adds a newline and another line. */
static inline void log_text_add_line(struct log_text *t, const char *line, size_t length)
{
    log_text_add(t, "\n", 1);
    log_text_add(t, line, length);
}

/* Removes blanks and line ends at the end of the text. */
static inline void log_text_trim(struct log_text *t)
{
    while (t->length > 0 && (t->data[t->length - 1] == ' ' || t->data[t->length - 1] == '\r' ||
                             t->data[t->length - 1] == '\n'))
        t->data[--t->length] = '\0';
}

static inline void log_text_fini(struct log_text *t)
{
    free(t->data);
    *t = (struct log_text){0};
}

/* If `text` begins with `start`, moves *text past it and returns true. */
static inline bool log_skip(const char **text, const char *start)
{
    size_t length = strlen(start);
    if (strncmp(*text, start, length) != 0)
        return false;
    *text += length;
    return true;
}

/* FNV-1a; `hash` is that of the text before. */
static inline uint64_t log_hash_more(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t log_hash(const char *text, size_t length)
{
    return log_hash_more(UINT64_C(14695981039346656037), text, length);
}

#endif
