/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest requests, and a few of each span of time, in the JSON report. */
#include "base/clock.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "result/waits/slow_requests.h"
#include "result/waits/wait_shares.h"

static const char *const outcomes[] = {
    [EXEMPLAR_COMPLETED] = "completed",
    [EXEMPLAR_FAILED] = "failed",
    [EXEMPLAR_UNFINISHED] = "unfinished",
};

static json_t *value_ms(int64_t ns)
{
    return value_real((double)ns / NS_PER_MS);
}

static json_t *value_error(const struct exemplar_step *step)
{
    if (!step->failed)
        return json_null();
    json_t *object = value_object();
    value_set(object, "code", json_integer(step->code));
    value_set(object, "state", step->state[0] != '\0' ? value_text(step->state) : json_null());
    return object;
}

static json_t *value_step(const struct slow_requests *slow, const struct exemplar *e,
                          const struct exemplar_step *step)
{
    json_t *object = value_object();
    value_set(object, "class", value_text(slow_request_class(slow, step)));
    value_set(object, "start_ms", value_ms(step->start_ns - e->start_ns));
    value_set(object, "ms", step->duration_ns >= 0 ? value_ms(step->duration_ns) : json_null());
    value_set(object, "rows", step->duration_ns >= 0 ? value_count(step->rows) : json_null());
    value_set(object, "error", value_error(step));
    value_set(object, "host", value_text(slow_request_host(slow, step)));
    return object;
}

/* The last host that the request has used. */
static json_t *value_host(const struct slow_requests *slow, const struct exemplar *e)
{
    return value_text(e->steps > 0 ? slow_request_host(slow, &e->step[e->steps - 1]) : NULL);
}

static json_t *value_waits(const struct exemplar *e, const struct wait_names *names)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < e->waits; i++) {
        const struct exemplar_wait *wait = &e->wait[i];
        if (wait->number == WAIT_LABEL_LOCKS)
            continue;
        json_t *object = value_object();
        value_set(object, "event", value_text(names->event[wait->number]));
        value_set(object, "samples", value_count(wait->samples));
        value_set(object, "percent", value_real(100 * wait->weight_ns / e->weight_ns));
        value_append(array, object);
    }
    return array;
}

static json_t *value_blockers(const struct exemplar *e, const struct wait_shares *shares)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < e->details; i++) {
        const struct wait_detail *detail = &shares->names.detail[e->detail[i].number];
        if (e->detail[i].number == 0)
            continue;
        json_t *object = value_object();
        value_set(object, "event", value_text(shares->names.event[detail->label]));
        value_set(object, "table",
                  detail->object[0] != '\0' ? value_text(detail->object) : json_null());
        value_set(object, "blocker", value_blocker(shares, detail->blocker));
        value_set(object, "percent", value_real(100 * e->detail[i].weight_ns / e->weight_ns));
        value_append(array, object);
    }
    return array;
}

static void add_steps(json_t *object, const struct slow_requests *slow, const struct exemplar *e)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < e->steps; i++)
        value_append(array, value_step(slow, e, &e->step[i]));
    value_set(object, "statements", array);
    value_set(object, "statements_left_out", value_count(e->left_out));
}

static json_t *value_request(const struct slow_requests *slow, const struct wait_shares *shares,
                             const struct exemplar *e)
{
    json_t *object = value_object();
    value_set(object, "arrived_s", value_real(ns_to_seconds(e->arrival_ns - slow->run_start_ns)));
    value_set(object, "ended_s", value_real(ns_to_seconds(e->end_ns - slow->run_start_ns)));
    value_set(object, "response_ms", value_ms(e->end_ns - e->arrival_ns));
    value_set(object, "client_late_ms", value_ms(e->late_ns));
    value_set(object, "waiting_ms", value_ms(e->queued_ns));
    if (e->connection_wait_ns > 0)
        value_set(object, "connection_wait_ms", value_ms(e->connection_wait_ns));
    value_set(object, "service_ms", value_ms(e->end_ns - e->start_ns - e->connection_wait_ns));
    value_set(object, "outcome", value_text(outcomes[e->outcome]));
    value_set(object, "type", value_text(slow_request_type(slow, e)));
    value_set(object, "worker", value_count(e->worker));
    value_set(object, "host", value_host(slow, e));
    value_set(object, "retries", value_count(e->retries));
    add_steps(object, slow, e);
    if (shares != NULL) {
        value_set(object, "waits", value_waits(e, &shares->names));
        value_set(object, "blocked_by", value_blockers(e, shares));
    }
    return object;
}

static json_t *value_list(const struct slow_requests *slow, const struct wait_shares *shares,
                          unsigned from, unsigned count)
{
    json_t *array = value_array();
    for (unsigned i = from; i < from + count; i++)
        value_append(array, value_request(slow, shares, &slow->kept.list[i]));
    return array;
}

json_t *value_slowest(const struct slow_requests *slow, const struct wait_shares *shares)
{
    const struct exemplar_list *kept = &slow->kept;
    json_t *object = value_object();
    value_set(object, "asked", value_count(slow->asked));
    value_set(object, "span_s", value_real(ns_to_seconds(kept->span_ns)));
    value_set(object, "requests", value_list(slow, shares, 0, kept->slowest));
    value_set(object, "others", value_list(slow, shares, kept->slowest, kept->others));
    return object;
}

void report_json_slowest(struct report_json *json, const struct slow_requests *slow,
                         const struct wait_shares *shares)
{
    report_json_add(json, "slowest", value_slowest(slow, shares));
}
