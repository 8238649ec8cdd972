/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL's jsonlog: a JSON object for each message, in a line. CloudNativePG writes the fields
 * of a csvlog in this way, within the object "record".
 */
#include <jansson.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/pgsql_entry.h"

static const struct log_reason cut = {"records of a jsonlog that were cut off", NULL};

struct json_log {
    struct pgsql_entry entry;
    struct log_text text;
};

static bool looks_like(const char *line, const char *prefix)
{
    (void)prefix;
    return *line == '{' && strstr(line, "\"error_severity\"") != NULL;
}

static void *create(const char *prefix, size_t most_bytes)
{
    (void)prefix;
    struct json_log *j = xcalloc(1, sizeof(*j));
    pgsql_entry_init(&j->entry, most_bytes);
    j->text.most_bytes = most_bytes;
    return j;
}

static void destroy(void *state)
{
    struct json_log *j = state;
    pgsql_entry_fini(&j->entry);
    log_text_fini(&j->text);
    free(j);
}

/* Returns the record of the server in the object, or NULL. */
static json_t *record_of(json_t *object)
{
    json_t *inner = json_object_get(object, "jsonPayload");
    if (inner == NULL)
        inner = object;
    json_t *record = json_object_get(inner, "record");
    record = record != NULL ? record : inner;
    return json_is_string(json_object_get(record, "error_severity")) ? record : NULL;
}

/* Returns a text of the record, which has one of two names. */
static json_t *text_of(const json_t *record, const char *name, const char *other)
{
    json_t *text = json_object_get(record, name);
    return text != NULL ? text : json_object_get(record, other);
}

static void take_text(struct log_text *to, const json_t *record, const char *name,
                      const char *other)
{
    const json_t *text = text_of(record, name, other);
    if (json_is_string(text))
        log_text_set(to, json_string_value(text), json_string_length(text));
    else
        log_text_set(to, "", 0);
}

static bool take_session(struct pgsql_entry *e, const json_t *record)
{
    const json_t *process = text_of(record, "pid", "process_id");
    const char *name = json_string_value(json_object_get(record, "session_id"));
    char number[32];
    if (name == NULL)
        name = json_string_value(process);
    if (name == NULL && json_is_integer(process)) {
        snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(process));
        name = number;
    }
    if (name == NULL)
        return false;
    e->session = log_hash(name, strlen(name));
    return true;
}

static bool take_record(struct pgsql_entry *e, const json_t *record)
{
    const char *time = json_string_value(text_of(record, "timestamp", "log_time"));
    const char *database = json_string_value(text_of(record, "dbname", "database_name"));
    if (time == NULL || !log_time_iso(&time, &e->time) || !take_session(e, record))
        return false;
    snprintf(e->database, sizeof(e->database), "%s", database != NULL ? database : "");
    snprintf(e->severity, sizeof(e->severity), "%s",
             json_string_value(json_object_get(record, "error_severity")));
    take_text(&e->message, record, "message", "message");
    take_text(&e->detail, record, "detail", "detail");
    take_text(&e->context, record, "context", "context");
    take_text(&e->query, record, "statement", "query");
    return true;
}

static void tell(struct json_log *j, const struct log_lines *lines, struct log_event *event)
{
    j->entry.session ^= lines->carrier.source;
    pgsql_entry_tell(&j->entry, &j->text, event);
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct json_log *j = state;
    if (!log_lines_next(lines))
        return false;
    log_lines_begin(lines);
    if (lines->cut) {
        log_event_leave_out(event, &log_too_long);
        return true;
    }
    json_t *object = json_loadb(lines->line, lines->length, JSON_ALLOW_NUL, NULL);
    json_t *record = object != NULL ? record_of(object) : NULL;
    if (lines->carrier.foreign)
        ; /* counted already */
    else if (object == NULL)
        log_lines_skip(lines, *lines->line == '{' ? &cut : &log_foreign_lines);
    else if (record == NULL || !take_record(&j->entry, record))
        log_lines_skip(lines, &log_foreign_lines);
    else
        tell(j, lines, event);
    json_decref(object);
    return true;
}

const struct log_format_ops pgsql_json_log = {.name = "PostgreSQL jsonlog",
                                              .driver = "pgsql",
                                              .looks_like = looks_like,
                                              .create = create,
                                              .destroy = destroy,
                                              .next = next};
