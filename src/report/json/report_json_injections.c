/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Injections in the JSON report. */
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

/* The text of a mark is cut to this length, so that it fits into a chart. */
#define MARK_BYTES 60

static json_t *value_seconds(int64_t ns)
{
    return value_real(ns_to_seconds(ns));
}

static json_t *value_span(const struct injection_span *span, const struct settings *settings)
{
    const struct distribution *d = &span->response;
    json_t *object = value_object();
    value_set(object, "from_s", value_seconds(span->from_ns));
    value_set(object, "to_s", value_seconds(span->to_ns));
    value_set(object, "requests", value_count(d->count + d->censored));
    value_set(object, "response_ms",
              value_distribution(d, NS_PER_MS, settings->percentile, settings->percentiles));
    if (span->connect.count > 0)
        value_set(object, "connect_ms",
                  value_distribution(&span->connect, NS_PER_MS, settings->percentile,
                                     settings->percentiles));
    return object;
}

static json_t *value_recovery(const struct injection *i)
{
    json_t *object = value_object();
    value_set(object, "percentile", value_real((double)i->percentile / PERCENT));
    value_set(object, "window_s", value_seconds(i->window_ns));
    value_set(object, "level_ms",
              i->level_ns >= 0 ? value_real(ns_to_ms(i->level_ns)) : json_null());
    value_set(object, "after_s", i->recovery_ns >= 0 ? value_seconds(i->recovery_ns) : json_null());
    return object;
}

/* Adds the members that only an injection that was started has. */
static void add_course(json_t *object, const struct injection *i, const struct settings *settings)
{
    value_set(object, "from_s", value_seconds(i->from_ns));
    value_set(object, "to_s", value_seconds(i->to_ns));
    value_set(object, "exit_code", i->exit_code >= 0 ? json_integer(i->exit_code) : json_null());
    value_set(object, "signal", i->signal > 0 ? json_integer(i->signal) : json_null());
    value_set(object, "error", value_text(i->error));
    value_set(object, "output", value_text(i->output));
    value_set(object, "output_bytes", value_count(i->output_bytes));
    value_set(object, "before", value_span(&i->before, settings));
    value_set(object, "during", value_span(&i->during, settings));
    value_set(object, "after", value_span(&i->after, settings));
    value_set(object, "recovery", value_recovery(i));
    if (i->waits.names != NULL)
        value_set(object, "wait_events", value_wait_span(&i->waits));
}

static json_t *value_injection(const struct injection *i, const struct settings *settings)
{
    static const char *const states[] = {"not_started", "done", "failed", "stopped", "left"};
    json_t *object = value_object();
    value_set(object, "number", json_integer(i->number));
    value_set(object, "at_s", value_seconds(i->at_ns));
    value_set(object, "kind", value_text(i->kind));
    value_set(object, "text", value_text(i->text));
    value_set(object, "state", value_text(states[i->state]));
    if (i->state != INJECTION_NOT_STARTED)
        add_course(object, i, settings);
    return object;
}

static void add_mark(struct report_json *json, const struct injection *i)
{
    char text[MARK_BYTES];
    int length = snprintf(text, sizeof(text), "%u. %s: %s", i->number, i->kind, i->text);
    if (length >= (int)sizeof(text))
        snprintf(text + sizeof(text) - 4, 4, "...");
    report_json_mark(json, i->from_ns, i->to_ns, text);
}

void report_json_injections(struct report_json *json, const struct settings *settings,
                            const struct injection *injections, unsigned count)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < count; i++) {
        value_append(array, value_injection(&injections[i], settings));
        if (injections[i].state != INJECTION_NOT_STARTED)
            add_mark(json, &injections[i]);
    }
    report_json_add(json, "injections", array);
}
