/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL's stderr log: PREFIX SEVERITY:  MESSAGE. The lines DETAIL, STATEMENT … of the same
 * session belong to the previous entry. Lines that begin with a tab continue the previous line.
 */
#include <ctype.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/pgsql_prefix.h"

struct stderr_log {
    char *prefix; /* NULL to try the usual ones */
    struct pgsql_entry entry;
    struct log_text text;
    bool is_last; /* no further entry follows, and the last line belongs to a text */
};

/* Returns the text of the entry to which a line with this severity belongs; NULL if the text is not
 * needed. */
static struct log_text *part_named(struct pgsql_entry *e, const char *severity)
{
    if (strcmp(severity, "DETAIL") == 0)
        return &e->detail;
    return strcmp(severity, "STATEMENT") == 0 ? &e->query : NULL;
}

static bool is_part(const char *severity)
{
    static const char *const parts[] = {"DETAIL",  "HINT",     "STATEMENT",
                                        "CONTEXT", "LOCATION", "QUERY"};
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strcmp(severity, parts[i]) == 0)
            return true;
    return false;
}

static bool looks_like(const char *line, const char *prefix)
{
    struct pgsql_entry e = {0};
    char severity[16];
    return pgsql_prefix_read(prefix, &line, &e, severity, sizeof(severity));
}

static void *create(const char *prefix, size_t most_bytes)
{
    struct stderr_log *s = xcalloc(1, sizeof(*s));
    pgsql_entry_init(&s->entry, most_bytes);
    s->text.most_bytes = most_bytes;
    s->prefix = prefix != NULL ? xstrdup(prefix) : NULL;
    return s;
}

static void destroy(void *state)
{
    struct stderr_log *s = state;
    pgsql_entry_fini(&s->entry);
    log_text_fini(&s->text);
    free(s->prefix);
    free(s);
}

static void begin_entry(struct pgsql_entry *e)
{
    e->database[0] = '\0';
    log_text_set(&e->message, "", 0);
    log_text_set(&e->detail, "", 0);
    log_text_set(&e->query, "", 0);
}

/* Finds the first line of an entry. */
static bool find_entry(struct stderr_log *s, struct log_lines *lines)
{
    struct pgsql_entry *e = &s->entry;
    while (log_lines_next(lines)) {
        const char *at = lines->line;
        if (pgsql_prefix_read(s->prefix, &at, e, e->severity, sizeof(e->severity)) &&
            !is_part(e->severity)) {
            log_text_set(&e->message, at, (size_t)(lines->line + lines->length - at));
            e->missing = lines->missing;
            log_lines_begin(lines);
            return true;
        }
        log_lines_skip(lines, &log_foreign_lines);
    }
    return false;
}

/* Copies the text of the current line from `at` on, as the first line of `part` or as a further
 * one. Does nothing if `part` is NULL. */
static void take_line(struct stderr_log *s, const struct log_lines *lines, const char *at,
                      struct log_text *part, bool is_first)
{
    const size_t length = (size_t)(lines->line + lines->length - at);
    if (part == NULL)
        return;
    if (is_first)
        log_text_set(part, at, length);
    else
        log_text_add_line(part, at, length);
    log_lines_note_missing(lines, &s->entry.missing);
}

/* Skips a line that neither begins with a prefix nor, with a tab, continues a text. It may be the
 * rest of a statement if a program has removed the tabs that PostgreSQL writes. */
static void skip_line(struct stderr_log *s, struct log_lines *lines, struct log_text *part)
{
    log_lines_skip(lines, &log_foreign_lines);
    if (part == NULL)
        return;
    log_lines_note_missing(lines, &s->entry.missing);
    if (s->entry.missing == NULL)
        s->entry.missing = &log_interrupted;
}

/* Reads the lines that belong to the entry. */
static void read_rest(struct stderr_log *s, struct log_lines *lines)
{
    struct log_text *part = &s->entry.message;
    while (log_lines_next(lines)) {
        struct pgsql_entry next = {0};
        char severity[16];
        const char *at = lines->line;
        if (*at == '\t') {
            take_line(s, lines, at + 1, part, false);
        } else if (lines->length == 0 && part != NULL) {
            take_line(s, lines, at, part, false);
        } else if (!pgsql_prefix_read(s->prefix, &at, &next, severity, sizeof(severity))) {
            skip_line(s, lines, part);
        } else if (is_part(severity) && next.session == s->entry.session) {
            part = part_named(&s->entry, severity);
            take_line(s, lines, at, part, true);
        } else {
            log_lines_keep(lines);
            return;
        }
    }
    log_lines_note_missing(lines, &s->entry.missing);
    s->is_last = part != NULL;
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct stderr_log *s = state;
    begin_entry(&s->entry);
    s->is_last = false;
    if (!find_entry(s, lines))
        return false;
    read_rest(s, lines);
    pgsql_entry_tell(&s->entry, &s->text, event);
    event->may_go_on = s->is_last;
    return true;
}

const struct log_format_ops pgsql_stderr_log = {.name = "PostgreSQL stderr log",
                                                .driver = "pgsql",
                                                .looks_like = looks_like,
                                                .create = create,
                                                .destroy = destroy,
                                                .next = next};
