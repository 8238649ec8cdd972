/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wait events of requests in the JSON report. */
#include "base/util.h"
#include "options/percentiles.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
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
    value_set(object, "divided", json_boolean(c->divided));
    value_set(object, "enough_s", c->divided ? json_null() : value_real(c->enough_s));
    return object;
}

static json_t *value_share(const struct wait_column *c, struct wait_share share)
{
    if (!c->divided)
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

static json_t *value_blocker(const struct wait_shares *s, unsigned blocker)
{
    if (blocker < WAIT_BY_STRANGER)
        return blocker == WAIT_BY_RUN ? value_text("run") : json_null();
    const struct wait_stranger *stranger = &s->names.stranger[blocker - WAIT_BY_STRANGER];
    json_t *object = value_object();
    value_set(object, "session", value_count(stranger->session));
    value_set(object, "program", text_or_null(stranger->program));
    value_set(object, "user", text_or_null(stranger->user));
    value_set(object, "state", text_or_null(stranger->state));
    value_set(object, "seconds", value_real(stranger->seconds));
    value_set(object, "text", s->text ? text_or_null(stranger->text) : json_null());
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
        value_set(object, names[c], value_share(&s->column[c], row->in[c]));
    for (unsigned i = 0; i < row->parts; i++)
        value_append(parts, value_part(s, &row->part[i]));
    value_set(object, "blocked_by", parts);
    return object;
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
    return object;
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
    report_json_add(json, "wait_events", object);
}
