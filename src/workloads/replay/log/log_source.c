/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/replay/log/log_stream.h"

#define BUFFER_BYTES ((size_t)256 << 10)

struct log_source {
    char **files;
    size_t count, current;   /* `current`: index of the next file to be opened */
    struct log_stream *open; /* NULL if no file is open */
    uint64_t number;
    uint64_t bytes, most; /* bytes read, and bytes that may be read, from all files together */
    bool failed, quiet;
    bool at_border;    /* the last file has ended, and the next one is not open yet */
    size_t line_bytes; /* longer lines are cut */
    bool cut;          /* the last line was longer than `line_bytes` */
    bool unended;      /* the last line had no line end */
    bool returns;      /* all lines until now ended in "\r\n" */
    char *line;        /* copy of a line that is longer than the buffer or continues past its end */
    size_t room;
    size_t at, filled;
    char buffer[BUFFER_BYTES + 1]; /* one more byte for a NUL */
};

/* Pipes are refused because a replay reads the log twice. */
static bool is_readable(const char *path)
{
    struct stat st;
    const char *why = "it is not a regular file";
    struct log_stream *stream =
        stat(path, &st) != 0 || S_ISREG(st.st_mode) ? log_stream_open(path, &why) : NULL;
    if (stream == NULL)
        log_text(LOG_FATAL, "cannot read the log %s: %s", path, why);
    log_stream_close(stream);
    return stream != NULL;
}

static void add_file(struct log_source *s, const char *name, size_t length)
{
    s->files = xrealloc(s->files, (s->count + 1) * sizeof(*s->files));
    s->files[s->count++] = checked_alloc(strndup(name, length));
}

struct log_source *log_source_open(const char *files)
{
    struct log_source *s = xcalloc(1, sizeof(*s));
    s->most = UINT64_MAX;
    s->line_bytes = LOG_LINE_BYTES;
    bool good = true;
    for (const char *at = files;; at++) {
        size_t length = strcspn(at, ",");
        add_file(s, at, length);
        at += length;
        if (*at == '\0')
            break;
    }
    for (size_t i = 0; i < s->count && good; i++)
        good = is_readable(s->files[i]);
    if (good)
        return s;
    log_source_close(s);
    return NULL;
}

struct log_source *log_source_open_to_look(const char *files)
{
    struct log_source *s = log_source_open(files);
    if (s != NULL)
        s->quiet = true;
    return s;
}

void log_source_close(struct log_source *s)
{
    if (s == NULL)
        return;
    log_stream_close(s->open);
    for (size_t i = 0; i < s->count; i++)
        free(s->files[i]);
    free(s->files);
    free(s->line);
    free(s);
}

static bool fail(struct log_source *s, const char *why)
{
    if (!s->quiet)
        log_text(LOG_WARNING, "the log %s could not be read to its end: %s", log_source_file(s),
                 why);
    s->failed = true;
    return false;
}

static bool open_next(struct log_source *s)
{
    const char *why;
    log_stream_close(s->open);
    s->open = NULL;
    if (s->current == s->count)
        return false;
    s->open = log_stream_open(s->files[s->current++], &why);
    s->number = 0;
    return s->open != NULL || fail(s, why);
}

/* Skips the byte order mark that programs of Windows write. */
static void skip_mark(struct log_source *s)
{
    if (s->number == 0 && s->filled >= 3 && memcmp(s->buffer, "\xEF\xBB\xBF", 3) == 0)
        s->at = 3;
}

/* Reads the next part of the file. Returns false at its end or after an error. */
static bool fill(struct log_source *s)
{
    const size_t room = min_u64(BUFFER_BYTES, s->most - s->bytes);
    const int n = s->open != NULL && room > 0 ? log_stream_read(s->open, s->buffer, room) : 0;
    s->at = 0;
    s->filled = n > 0 ? (size_t)n : 0;
    s->bytes += s->filled;
    skip_mark(s);
    return n < 0 ? fail(s, log_stream_error(s->open)) : n > 0;
}

/* Keeps one byte more than a line may have, to detect lines that are too long. Returns the number
 * of bytes kept now. */
static size_t keep(struct log_source *s, size_t used, size_t bytes)
{
    bytes = min_u64(bytes, s->line_bytes + 1 - used);
    if (used + bytes + 1 > s->room) {
        s->room = 2 * (used + bytes + 1);
        s->line = xrealloc(s->line, s->room);
    }
    memcpy(s->line + used, s->buffer + s->at, bytes);
    s->line[used + bytes] = '\0';
    return used + bytes;
}

/* Reads the rest of a line of which `used` bytes were kept. */
static void keep_rest(struct log_source *s, size_t used, size_t *length)
{
    for (;;) {
        const char *end = memchr(s->buffer + s->at, '\n', s->filled - s->at);
        size_t bytes = end != NULL ? (size_t)(end - s->buffer) - s->at : s->filled - s->at;
        used = keep(s, used, bytes);
        s->at += bytes + (end != NULL);
        s->unended = end == NULL && !fill(s);
        if (end != NULL || s->unended)
            break;
    }
    *length = used;
}

/* Returns true once between two files. */
static bool stop_at_border(struct log_source *s)
{
    s->at_border = !s->at_border && !s->quiet && s->current > 0 && s->current < s->count;
    return s->at_border;
}

static bool next_piece(struct log_source *s)
{
    while (s->at == s->filled)
        if (s->failed || (!fill(s) && (s->failed || stop_at_border(s) || !open_next(s))))
            return false;
    return true;
}

static void cut_line(struct log_source *s, char *line, size_t *length)
{
    s->cut = *length > s->line_bytes;
    if (!s->cut)
        return;
    *length = s->line_bytes;
    line[*length] = '\0';
}

/* Removes a '\r' at the end of the line if all lines until now ended in "\r\n"; otherwise the '\r'
 * may belong to a statement. */
static void cut_return(struct log_source *s, char *line, size_t *length)
{
    if (s->cut || s->unended)
        return;
    const bool is_first = s->current == 1 && s->number == 1;
    s->returns = (is_first || s->returns) && *length > 0 && line[*length - 1] == '\r';
    if (s->returns)
        line[--*length] = '\0';
}

bool log_source_line(struct log_source *s, char **line, size_t *length)
{
    if (!next_piece(s))
        return false;
    s->number++;
    s->unended = false;
    char *start = s->buffer + s->at;
    char *end = memchr(start, '\n', s->filled - s->at);
    if (end == NULL) {
        keep_rest(s, 0, length);
        *line = s->line;
    } else {
        *end = '\0';
        *line = start;
        *length = (size_t)(end - start);
        s->at += *length + 1;
    }
    cut_line(s, *line, length);
    cut_return(s, *line, length);
    return true;
}

bool log_source_cut(const struct log_source *s)
{
    return s->cut;
}

void log_source_line_limit(struct log_source *s, size_t bytes)
{
    s->line_bytes = bytes;
}

bool log_source_at_border(const struct log_source *s)
{
    return s->at_border;
}

bool log_source_unended(const struct log_source *s)
{
    return s->unended;
}

uint64_t log_source_bytes(const struct log_source *s)
{
    return s->bytes;
}

void log_source_limit(struct log_source *s, uint64_t bytes)
{
    s->most = bytes;
}

uint64_t log_source_most(const struct log_source *s)
{
    return s->most;
}

uint64_t log_source_number(const struct log_source *s)
{
    return s->number;
}

const char *log_source_file(const struct log_source *s)
{
    return s->files[s->current > 0 ? s->current - 1 : 0];
}

bool log_source_failed(const struct log_source *s)
{
    return s->failed;
}
