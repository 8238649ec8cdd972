/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PostgreSQL's csvlog: one CSV record for each entry. Its texts may have line ends. */
#include <ctype.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/pgsql_entry.h"

enum {
    TIME,
    USER,
    DATABASE,
    PID,
    FROM,
    SESSION,
    SEVERITY = 11,
    MESSAGE = 13,
    DETAIL,
    CONTEXT = 18,
    QUERY,
    FIELDS = 20
};

struct csv {
    struct pgsql_entry entry;
    struct log_text record, text;
    bool doubtful; /* the record may consist of two */
};

/* Skips a field and the comma after it. */
static bool skip_field(const char **line)
{
    const char *p = *line;
    if (*p == '"') {
        p += 1 + strcspn(p + 1, "\"");
        p += *p == '"';
    } else {
        p += strcspn(p, ",");
    }
    if (*p != ',')
        return false;
    *line = p + 1;
    return true;
}

/* Returns true if the line begins with "2026-11-24 03:38:27.386 UTC,"user","database",31950,"; the
 * names may be missing, and all fields may have quotes. No line of a statement looks like this. */
static bool is_start(const char *line)
{
    struct log_time time;
    const char *at = line + (*line == '"');
    if (!isdigit((unsigned char)*at) || !log_time_iso(&at, &time) ||
        (*line == '"' && *at++ != '"') || *at++ != ',')
        return false;
    for (int i = 0; i < 2; i++)
        if ((*at != '"' && *at != ',') || !skip_field(&at))
            return false;
    at += *at == '"';
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && (at[digits] == ',' || (at[digits] == '"' && at[digits + 1] == ','));
}

/* Returns true if the line, for which is_start() is true, cannot be in a text of a record: its
 * message has quotes, which a text would have doubled. */
static bool is_proven(const char *line)
{
    for (int i = 0; i < MESSAGE; i++)
        if (!skip_field(&line))
            return false;
    return *line == '"' && line[1] != '"';
}

static bool looks_like(const char *line, const char *prefix)
{
    (void)prefix;
    return is_start(line);
}

static void *create(const char *prefix, size_t most_bytes)
{
    (void)prefix;
    struct csv *c = xcalloc(1, sizeof(*c));
    pgsql_entry_init(&c->entry, most_bytes);
    c->record.most_bytes = c->text.most_bytes = most_bytes;
    return c;
}

static void destroy(void *state)
{
    struct csv *c = state;
    pgsql_entry_fini(&c->entry);
    log_text_fini(&c->record);
    log_text_fini(&c->text);
    free(c);
}

/* Returns true if a quoted text is open at the end of `text`: the number of quotes is odd,
 * as quotes within texts are doubled. */
static bool is_open(bool open, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        open ^= text[i] == '"';
    return open;
}

/* Drops the record of which the rest is missing, if there is one. */
static void drop(struct csv *c, struct log_lines *lines)
{
    static const struct log_reason cut = {"records of a csvlog that were cut off", NULL};
    if (c->record.length > 0)
        log_lines_skip(lines, &cut);
    c->doubtful = false;
    log_text_set(&c->record, "", 0);
}

/* Reads a whole record, or the beginning of one that is too long, whose end may be in the part of a
 * line that was cut. Returns false if there is no further record. */
static bool read_record(struct csv *c, struct log_lines *lines)
{
    bool open = false;
    while (log_lines_next(lines)) {
        if (lines->carrier.foreign) {
            drop(c, lines);
            continue;
        }
        bool starts = is_start(lines->line);
        /* A text of the record may have such a line, or the record was cut off before it. */
        if (starts && c->record.length > 0 && !is_proven(lines->line)) {
            starts = false;
            c->doubtful = true;
        }
        if (c->record.length == 0 && !starts) {
            log_lines_skip(lines, &log_foreign_lines);
            continue;
        }
        if (c->record.length > 0 && starts) {
            if (c->entry.missing != NULL) {
                log_lines_keep(lines);
                return true;
            }
            drop(c, lines);
            open = false;
        } else if (c->record.length > 0) {
            log_text_add(&c->record, "\n", 1);
        }
        if (starts)
            log_lines_begin(lines);
        log_text_add(&c->record, lines->line, lines->length);
        if (c->record.cut || lines->cut)
            c->entry.missing = &log_too_long;
        open = is_open(open, lines->line, lines->length);
        if (!open)
            return true;
    }
    if (c->entry.missing != NULL)
        return true;
    drop(c, lines);
    return false;
}

/* Cuts the next field out of the record in place and returns it. Moves *at past the comma after the
 * field, or sets it to NULL after the last field. */
static char *cut_field(char **at, size_t *length)
{
    char *from = *at, *to = from, *start = from;
    if (*from != '"') {
        *length = strcspn(from, ",");
        *at = from[*length] == ',' ? from + *length + 1 : NULL;
        from[*length] = '\0';
        return from;
    }
    for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    *at = from[0] == '"' && from[1] == ',' ? from + 2 : NULL;
    *to = '\0';
    *length = (size_t)(to - start);
    return start;
}

static void take_field(struct pgsql_entry *e, unsigned number, const char *text, size_t length)
{
    switch (number) {
    case TIME:
        log_time_iso(&text, &e->time);
        break;
    case DATABASE:
        snprintf(e->database, sizeof(e->database), "%s", text);
        break;
    case SESSION:
        e->session = log_hash(text, length);
        break;
    case SEVERITY:
        snprintf(e->severity, sizeof(e->severity), "%s", text);
        break;
    case MESSAGE:
        log_text_set(&e->message, text, length);
        break;
    case DETAIL:
        log_text_set(&e->detail, text, length);
        break;
    case CONTEXT:
        log_text_set(&e->context, text, length);
        break;
    case QUERY:
        log_text_set(&e->query, text, length);
        break;
    default:
        break;
    }
}

/* Splits the record into fields. Returns false if fields are missing. A whole record has further
 * fields after QUERY. */
static bool take_record(struct csv *c)
{
    char *at = c->record.data;
    unsigned number = 0;
    log_text_set(&c->entry.detail, "", 0);
    log_text_set(&c->entry.context, "", 0);
    log_text_set(&c->entry.query, "", 0);
    for (; at != NULL && number < FIELDS; number++) {
        size_t length;
        const char *text = cut_field(&at, &length);
        take_field(&c->entry, number, text, length);
    }
    return (number == FIELDS && at != NULL) || (c->entry.missing != NULL && number > MESSAGE);
}

static const struct log_reason doubtful = {
    "records of a csvlog with a line that looks like another record", NULL};
static const struct log_reason no_fields = {"records of a csvlog without all of its fields", NULL};

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct csv *c = state;
    log_text_set(&c->record, "", 0);
    c->entry.missing = NULL;
    c->doubtful = false;
    if (!read_record(c, lines))
        return false;
    if (c->doubtful)
        log_event_leave_out(event, &doubtful);
    else if (take_record(c))
        pgsql_entry_tell(&c->entry, &c->text, event);
    else
        log_event_leave_out(event, &no_fields);
    return true;
}

const struct log_format_ops pgsql_csv_log = {.name = "PostgreSQL csvlog",
                                             .driver = "pgsql",
                                             .looks_like = looks_like,
                                             .create = create,
                                             .destroy = destroy,
                                             .next = next};
