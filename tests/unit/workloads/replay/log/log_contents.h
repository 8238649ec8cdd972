/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a log for a test: counts its events and collects its statements. Also finds the sample
 * logs. */
#ifndef LOG_CONTENTS_H
#define LOG_CONTENTS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../suite.h"
#include "base/util.h"
#include "workloads/replay/log/log_reader.h"
#include "workloads/replay/log/log_text.h"

/* Contents of a log; `text` has its statements, separated by '|'. */
struct contents {
    unsigned statements, durations, failures, ends, starts, left_out;
    uint64_t skipped; /* lines */
    enum log_format format;
    char *text;
    size_t bytes;
    char reasons[500]; /* why events were left out, separated by '|' */
};

static inline void take(struct contents *c, const struct log_event *e)
{
    c->statements += e->kind == LOG_EVENT_STATEMENT;
    c->durations += e->kind == LOG_EVENT_DURATION;
    c->failures += e->kind == LOG_EVENT_FAILURE;
    c->ends += e->kind == LOG_EVENT_END;
    c->starts += e->kind == LOG_EVENT_START;
    c->left_out += e->kind == LOG_EVENT_LEFT_OUT;
    if (e->kind == LOG_EVENT_LEFT_OUT) {
        const size_t used = strlen(c->reasons);
        snprintf(c->reasons + used, sizeof(c->reasons) - used, "%s|", e->reason->what);
    }
    if (e->kind != LOG_EVENT_STATEMENT)
        return;
    ck_assert_uint_eq(e->length, strlen(e->text));
    c->text = xrealloc(c->text, c->bytes + e->length + 2);
    memcpy(c->text + c->bytes, e->text, e->length);
    c->bytes += e->length;
    c->text[c->bytes++] = '|';
    c->text[c->bytes] = '\0';
}

static inline struct contents read_log_as(const char *files, enum log_format format,
                                          size_t most_bytes)
{
    struct contents c = {.text = xstrdup("")};
    struct log_reader *r = log_reader_open(files, format, NULL, most_bytes);
    struct log_event event;
    ck_assert_ptr_nonnull(r);
    while (log_reader_next(r, &event))
        take(&c, &event);
    const struct log_tally *skipped = log_reader_skipped(r);
    for (unsigned i = 0; i < skipped->count; i++)
        c.skipped += skipped->entries[i].count;
    c.format = log_reader_format(r);
    log_reader_close(r);
    return c;
}

static inline struct contents read_log(const char *files)
{
    return read_log_as(files, LOG_FORMAT_UNKNOWN, LOG_TEXT_BYTES);
}

static inline char *sample(const char *name)
{
    char *path;
    const char *tests = getenv("TESTS_DIR");
    if (asprintf(&path, "%s/unit/workloads/replay/logs/%s", tests != NULL ? tests : "tests",
                 name) < 0)
        checked_alloc(NULL);
    return path;
}

static inline struct contents read_sample(const char *name)
{
    char *path = sample(name);
    struct contents c = read_log(path);
    free(path);
    return c;
}

static inline void save(const char *path, const char *text, size_t bytes)
{
    FILE *file = checked_alloc(fopen(path, "w"));
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

/* Reads a log with these bytes. Statements may have at most `most_bytes` bytes. */
static inline struct contents read_bytes(const char *text, size_t bytes, size_t most_bytes)
{
    char path[] = "log.XXXXXX";
    close(mkstemp(path));
    save(path, text, bytes);
    struct contents c = read_log_as(path, LOG_FORMAT_UNKNOWN, most_bytes);
    unlink(path);
    return c;
}

static inline struct contents read_text(const char *text)
{
    return read_bytes(text, strlen(text), LOG_TEXT_BYTES);
}

#endif
