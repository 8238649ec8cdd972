/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outages in the JSON report. */
#include "options/percentiles.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

static json_t *value_seconds(int64_t ns)
{
    return ns >= 0 ? value_real(ns_to_seconds(ns)) : json_null();
}

static json_t *value_outage(const struct outage *o)
{
    json_t *object = value_object();
    value_set(object, "host", o->host[0] != '\0' ? value_text(o->host) : json_null());
    value_set(object, "from_s", value_seconds(o->from_ns));
    value_set(object, "to_s", value_seconds(o->to_ns));
    value_set(object, "ended", json_boolean(o->ended));
    value_set(object, "lost", value_count(o->lost));
    value_set(object, "level_ms",
              o->level_ns >= 0 ? value_real(ns_to_ms(o->level_ns)) : json_null());
    value_set(object, "back_after_s", value_seconds(o->back_after_ns));
    value_set(object, "disconnected", json_integer(o->disconnected));
    value_set(object, "connected_after_s", value_seconds(o->connected_after_ns));
    if (o->waits.names != NULL)
        value_set(object, "wait_events", value_wait_span(&o->waits));
    return object;
}

static void add_mark(struct report_json *json, const struct outage *o)
{
    char text[sizeof("outage: ") + sizeof(o->host)];
    snprintf(text, sizeof(text), "outage%s%s", o->host[0] != '\0' ? ": " : "", o->host);
    report_json_mark(json, o->from_ns, o->to_ns, text);
}

json_t *value_outages(const struct outages *outages)
{
    json_t *object = value_object(), *array = value_array();
    for (unsigned i = 0; i < outages->count; i++)
        value_append(array, value_outage(&outages->list[i]));
    value_set(object, "threshold_s", value_seconds(outages->threshold_ns));
    value_set(object, "window_s", value_seconds(outages->window_ns));
    value_set(object, "percentile", value_real((double)OUTAGE_PERCENTILE / PERCENT));
    value_set(object, "list", array);
    return object;
}

void report_json_outages(struct report_json *json, const struct outages *outages)
{
    for (unsigned i = 0; i < outages->count; i++)
        add_mark(json, &outages->list[i]);
    report_json_add(json, "outages", value_outages(outages));
}
