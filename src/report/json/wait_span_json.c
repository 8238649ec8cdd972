/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What requests waited for in a span of time, as JSON. */
#include "report/json/report_json_value.h"

static json_t *value_percent(double share)
{
    return value_real(100 * share);
}

json_t *value_wait_span(const struct wait_span *span)
{
    json_t *object = value_object(), *events = value_object();
    value_set(object, "samples", value_count(span->samples));
    for (unsigned i = 0; i < span->labels; i++)
        if (span->share[i] > 0)
            value_set(events, span->names->event[i], value_percent(span->share[i]));
    value_set(object, "events", events);
    return object;
}

json_t *value_interval_waits(const struct wait_span *span)
{
    static const char *const kinds[WAIT_KINDS] = {
        [WAIT_KIND_CPU] = "cpu_percent",       [WAIT_KIND_LOCKS] = "locks_percent",
        [WAIT_KIND_IO] = "io_percent",         [WAIT_KIND_CLIENT] = "client_percent",
        [WAIT_KIND_SILENT] = "silent_percent", [WAIT_KIND_OTHER] = "other_percent",
    };
    double sum[WAIT_KINDS] = {0};
    json_t *object = value_wait_span(span);
    for (unsigned i = 0; i < span->labels; i++)
        sum[wait_span_kind(span, i)] += span->share[i];
    value_set(object, "client_late_percent", value_percent(span->late));
    value_set(object, "waiting_percent", value_percent(span->queued));
    value_set(object, "undivided_percent", value_percent(span->undivided));
    for (unsigned i = 0; i < WAIT_KINDS; i++)
        value_set(object, kinds[i], value_percent(sum[i]));
    return object;
}
