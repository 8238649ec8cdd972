/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL's stderr log: PREFIX SEVERITY:  MESSAGE. The lines DETAIL, STATEMENT … of the same
 * session belong to the entry before; lines that begin with a tab continue the one before.
 */
#include <ctype.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/pgsql_prefix.h"

struct stderr_log {
    char *prefix; /* NULL: one of the usual ones */
    struct pgsql_entry entry;
    struct log_text text;
    bool in_part; /* the entry was cut off with its log */
};

/* Which text of the entry a line is; NULL: none that matters. */
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

static void *create(const char *prefix)
{
    struct stderr_log *s = xcalloc(1, sizeof(*s));
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
            s->in_part = lines->unended;
            return true;
        }
        log_lines_malformed(lines);
    }
    return false;
}

/* The lines that belong to it. */
static void read_rest(struct stderr_log *s, struct log_lines *lines)
{
    struct log_text *part = &s->entry.message;
    while (log_lines_next(lines)) {
        struct pgsql_entry next = {0};
        char severity[16];
        const char *at = lines->line;
        if (*at == '\t') {
            if (part != NULL)
                log_text_add_line(part, at + 1, lines->length - 1);
            s->in_part = s->in_part || (part != NULL && lines->unended);
        } else if (!pgsql_prefix_read(s->prefix, &at, &next, severity, sizeof(severity))) {
            /* Not of the server, or an empty line of it. */
            if (part != NULL && lines->length == 0)
                log_text_add_line(part, "", 0);
            else
                log_lines_malformed(lines);
        } else if (is_part(severity) && next.session == s->entry.session) {
            part = part_named(&s->entry, severity);
            if (part != NULL)
                log_text_set(part, at, (size_t)(lines->line + lines->length - at));
            s->in_part = s->in_part || (part != NULL && lines->unended);
        } else {
            log_lines_keep(lines);
            return;
        }
    }
}

/* Half a text would be another statement. */
static void leave_out(struct log_event *event)
{
    if (event->kind != LOG_EVENT_STATEMENT && event->kind != LOG_EVENT_FAILURE)
        return;
    event->kind = LOG_EVENT_LEFT_OUT;
    event->text = LOG_IN_PART;
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct stderr_log *s = state;
    begin_entry(&s->entry);
    if (!find_entry(s, lines))
        return false;
    read_rest(s, lines);
    pgsql_entry_tell(&s->entry, &s->text, event);
    if (s->in_part)
        leave_out(event);
    return true;
}

const struct log_format_ops pgsql_stderr_log = {.name = "PostgreSQL stderr log",
                                                .driver = "pgsql",
                                                .looks_like = looks_like,
                                                .create = create,
                                                .destroy = destroy,
                                                .next = next};
