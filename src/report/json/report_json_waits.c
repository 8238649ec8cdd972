/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wait events of requests in the JSON report: written, and read again. */
#include <string.h>

#include "base/util.h"
#include "report/json/figures.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "report/json/waits_json.h"
#include "result/waits/wait_shares.h"

static const char *const names[WAIT_COLUMNS] = {
    [WAIT_COLUMN_ALL] = "all",
    [WAIT_COLUMN_P50] = "p50",
    [WAIT_COLUMN_P95] = "p95",
    [WAIT_COLUMN_P99] = "p99",
};

static json_t *value_percent(double share)
{
    return value_real(100 * share);
}

static json_t *value_column(const struct wait_column *c)
{
    json_t *object = value_object();
    value_set(object, "requests", value_count(c->requests));
    value_set(object, "samples", value_count(c->samples));
    value_set(object, "effective_requests", value_real(c->effective));
    value_set(object, "client_late_percent", value_percent(c->late));
    value_set(object, "waiting_percent", value_percent(c->queued));
    value_set(object, "service_percent", value_percent(c->service));
    value_set(object, "locked_percent", value_percent(c->locked));
    value_set(object, "divided", json_boolean(c->divided));
    value_set(object, "enough_s", c->divided ? json_null() : value_real(c->enough_s));
    return object;
}

static json_t *value_share(const struct wait_column *c, bool exact, struct wait_share share)
{
    if (!c->divided && !exact)
        return json_null();
    json_t *object = value_object();
    value_set(object, "percent", value_percent(share.share));
    value_set(object, "error", value_percent(share.error));
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? value_text(text) : json_null();
}

json_t *value_blocker(const struct wait_shares *s, unsigned blocker)
{
    static const char *const others[] = {[WAIT_BY_RUN] = "run", [WAIT_BY_UNKNOWN] = "unknown"};
    if (blocker < WAIT_BY_STRANGER)
        return value_text(others[blocker]);
    const struct wait_stranger *stranger = &s->names.stranger[blocker - WAIT_BY_STRANGER];
    json_t *object = value_object();
    value_set(object, "session", value_count(stranger->session));
    value_set(object, "program", text_or_null(stranger->program));
    value_set(object, "user", text_or_null(stranger->user));
    value_set(object, "state", text_or_null(stranger->state));
    value_set(object, "seconds", value_real(stranger->seconds));
    value_set(object, "text", text_or_null(stranger->text));
    return object;
}

static json_t *value_part(const struct wait_shares *s, const struct wait_part *part)
{
    json_t *object = value_object();
    value_set(object, "table", text_or_null(part->object));
    value_set(object, "blocker", value_blocker(s, part->blocker));
    value_set(object, "percent", value_percent(part->share));
    return object;
}

static json_t *value_row(const struct wait_shares *s, const struct wait_row *row)
{
    json_t *object = value_object(), *parts = value_array();
    value_set(object, "event", value_text(row->event));
    for (unsigned c = 0; c < WAIT_COLUMNS; c++)
        value_set(object, names[c], value_share(&s->column[c], row->exact, row->in[c]));
    for (unsigned i = 0; i < row->parts; i++)
        value_append(parts, value_part(s, &row->part[i]));
    value_set(object, "exact", json_boolean(row->exact));
    value_set(object, "blocked_by", parts);
    return object;
}

static json_t *value_sentence(const struct wait_shares *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = checked_alloc(open_memstream(&text, &bytes));
    report_wait_cause(stream, s);
    if (fclose(stream) != 0)
        checked_alloc(NULL);
    json_t *value = value_text(text);
    free(text);
    return value;
}

static json_t *value_cause(const struct wait_shares *s)
{
    const struct wait_cause cause = wait_shares_cause(s);
    if (cause.event == NULL)
        return json_null();
    json_t *object = value_object();
    value_set(object, "event", value_text(cause.event));
    value_set(object, "percent", value_percent(cause.share.share));
    value_set(object, "error", value_percent(cause.share.error));
    value_set(object, "sentence", value_sentence(s));
    return object;
}

static json_t *value_notes(const struct wait_shares *s)
{
    json_t *notes = value_array();
    for (unsigned i = 0; i < s->notes; i++)
        value_append(notes, value_text(s->note[i]));
    return notes;
}

void report_json_waits(struct report_json *json, const struct wait_shares *s)
{
    json_t *object = value_object(), *columns = value_object(), *rows = value_array();
    value_set(object, "asked_per_s", value_real(s->per_second));
    value_set(object, "statements", value_count(s->statements));
    value_set(object, "round_trip_ms", value_real(s->round_trip_ms));
    value_set(object, "samples", value_count(s->taken));
    value_set(object, "near_edge", value_count(s->near));
    value_set(object, "unmatched", value_count(s->unmatched));
    for (unsigned c = 0; c < WAIT_COLUMNS; c++)
        value_set(columns, names[c], value_column(&s->column[c]));
    value_set(object, "requests", columns);
    for (unsigned i = 0; i < s->rows; i++)
        value_append(rows, value_row(s, &s->row[i]));
    value_set(object, "events", rows);
    value_set(object, "locks", value_row(s, &s->locks));
    value_set(object, "blockers_of", value_text(names[s->main]));
    value_set(object, "cause", value_cause(s));
    value_set(object, "notes", value_notes(s));
    report_json_add(json, "wait_events", object);
}

/* Reading. */

static double share_at(const json_t *value, const char *name)
{
    return json_number_value(json_object_get(value, name)) / 100;
}

static uint64_t count_at(const json_t *value, const char *name)
{
    return figure_count(json_object_get(value, name));
}

static void copy_text(char *to, size_t bytes, const json_t *value, const char *name)
{
    const char *text = json_string_value(json_object_get(value, name));
    snprintf(to, bytes, "%s", text != NULL ? text : "");
}

static void read_column(struct wait_column *c, const json_t *value)
{
    c->requests = count_at(value, "requests");
    c->samples = count_at(value, "samples");
    c->effective = json_number_value(json_object_get(value, "effective_requests"));
    c->late = share_at(value, "client_late_percent");
    c->queued = share_at(value, "waiting_percent");
    c->service = share_at(value, "service_percent");
    c->locked = share_at(value, "locked_percent");
    c->divided = json_is_true(json_object_get(value, "divided"));
    c->enough_s = json_number_value(json_object_get(value, "enough_s"));
}

static unsigned read_stranger(struct wait_names *waits, const json_t *value)
{
    if (waits->strangers == WAIT_STRANGERS)
        return WAIT_BY_UNKNOWN;
    struct wait_stranger *s = &waits->stranger[waits->strangers];
    s->session = count_at(value, "session");
    s->seconds = json_number_value(json_object_get(value, "seconds"));
    copy_text(s->program, sizeof(s->program), value, "program");
    copy_text(s->user, sizeof(s->user), value, "user");
    copy_text(s->state, sizeof(s->state), value, "state");
    copy_text(s->text, sizeof(s->text), value, "text");
    return WAIT_BY_STRANGER + waits->strangers++;
}

static unsigned read_blocker(struct wait_names *waits, const json_t *value)
{
    if (json_is_object(value))
        return read_stranger(waits, value);
    const char *text = json_string_value(value);
    return text == NULL ? WAIT_BY_NOBODY : strcmp(text, "run") == 0 ? WAIT_BY_RUN : WAIT_BY_UNKNOWN;
}

static void read_row(struct wait_shares *s, struct wait_row *row, const json_t *value)
{
    size_t i;
    json_t *part;
    copy_text(row->event, sizeof(row->event), value, "event");
    row->exact = json_is_true(json_object_get(value, "exact"));
    for (unsigned c = 0; c < WAIT_COLUMNS; c++) {
        const json_t *share = json_object_get(value, names[c]);
        row->in[c] = (struct wait_share){share_at(share, "percent"), share_at(share, "error")};
    }
    json_array_foreach(json_object_get(value, "blocked_by"), i, part)
    {
        if (row->parts == WAIT_PARTS)
            break;
        struct wait_part *to = &row->part[row->parts++];
        copy_text(to->object, sizeof(to->object), part, "table");
        to->blocker = read_blocker(&s->names, json_object_get(part, "blocker"));
        to->share = share_at(part, "percent");
    }
}

static void read_rows(struct wait_shares *s, const json_t *value)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(value, "events"), i, row)
    {
        if (s->rows < WAIT_LABELS)
            read_row(s, &s->row[s->rows++], row);
    }
    read_row(s, &s->locks, json_object_get(value, "locks"));
}

static void read_notes(struct wait_shares *s, const json_t *notes)
{
    size_t i;
    json_t *note;
    json_array_foreach(notes, i, note)
    {
        if (s->notes < WAIT_NOTES && json_is_string(note))
            snprintf(s->note[s->notes++], WAIT_NOTE_BYTES, "%s", json_string_value(note));
    }
}

struct wait_shares *waits_from_json(const json_t *value)
{
    if (!json_is_object(value))
        return NULL;
    struct wait_shares *s = xcalloc(1, sizeof(*s));
    s->statements = count_at(value, "statements");
    s->taken = count_at(value, "samples");
    for (unsigned c = 0; c < WAIT_COLUMNS; c++) {
        const json_t *column = json_object_get(json_object_get(value, "requests"), names[c]);
        read_column(&s->column[c], column);
        s->column[c].percentile = wait_column_percentile(c);
    }
    read_rows(s, value);
    read_notes(s, json_object_get(value, "notes"));
    return s;
}
