/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors by code, statements by class, and remarks of the workload in the JSON report. */
#include "report/json/report_json_value.h"

static json_t *value_error(const struct operation_totals *t, const struct operation_error *e)
{
    json_t *object = value_object();
    value_set(object, "class",
              e->class < t->classes ? value_text(t->class[e->class].name) : json_null());
    value_set(object, "code", json_integer(e->code));
    value_set(object, "state", e->state[0] != '\0' ? value_text(e->state) : json_null());
    value_set(object, "count", value_count(e->count));
    value_set(object, "ignored", value_count(e->ignored));
    value_set(object, "message", value_text(e->message));
    return object;
}

json_t *value_errors(const struct operation_totals *t)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->errors; i++)
        if (t->error[i].count > 0 || t->error[i].ignored > 0)
            value_append(array, value_error(t, &t->error[i]));
    return array;
}

static json_t *value_class(const struct operation_class *c, const int64_t *percentile,
                           unsigned percentiles, bool whole)
{
    json_t *object = value_object();
    value_set(object, "class", value_text(c->name));
    value_set(object, "count", value_count(c->count));
    value_set(object, "errors", value_count(c->errors));
    value_set(object, "rows_matched", value_count(c->matched));
    value_set(object, "rows_changed", value_count(c->changed));
    value_set(object, "time_ms", value_distribution(&c->time, NS_PER_MS, percentile, percentiles));
    if (whole) {
        value_set(object, "histogram", value_buckets(c->time.buckets));
        value_set(object, "sums", value_sums(&c->time));
    }
    return object;
}

json_t *value_operations(const struct operation_totals *t, const int64_t *percentile,
                         unsigned percentiles, bool whole)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->classes; i++)
        value_append(array, value_class(&t->class[i], percentile, percentiles, whole));
    return array;
}

static json_t *value_audit(const struct remark_audit *a)
{
    static const char *const states[] = {[AUDIT_HOLDS] = "holds",
                                         [AUDIT_BY_CHANCE] = "within_chance",
                                         [AUDIT_FAILS] = "fails",
                                         [AUDIT_EMPTY] = "nothing_counted"};
    const bool known = a->state != AUDIT_EMPTY;
    json_t *object = value_object();
    value_set(object, "text", value_text(a->text));
    value_set(object, "name", value_text(a->tally));
    value_set(object, "state", value_text(states[a->state]));
    value_set(object, "count", value_count(a->count));
    value_set(object, "mean", known ? value_real(a->mean) : json_null());
    value_set(object, "from", known ? value_real(a->from) : json_null());
    value_set(object, "to", known ? value_real(a->to) : json_null());
    value_set(object, "low", value_real(a->low));
    value_set(object, "high", value_real(a->high));
    return object;
}

static json_t *value_remark_times(const struct remark_times *t)
{
    json_t *object = value_object();
    value_set(object, "mean", value_real(t->mean));
    value_set(object, "p50", value_real(t->p50));
    value_set(object, "p95", value_real(t->p95));
    value_set(object, "p99", value_real(t->p99));
    value_set(object, "max", value_real(t->max));
    return object;
}

static json_t *value_comparison(const struct remark_comparison *c)
{
    json_t *object = value_object();
    value_set(object, "name", value_text(c->name));
    value_set(object, "count", value_count(c->count));
    value_set(object, "logged_ms", value_remark_times(&c->before));
    value_set(object, "now_ms", value_remark_times(&c->now));
    return object;
}

json_t *value_remarks(const struct remarks *r)
{
    json_t *object = value_object(), *figures = value_object();
    json_t *audits = value_array(), *deviations = value_array();
    json_t *notes = value_array(), *comparisons = value_array();
    for (unsigned i = 0; i < r->figures; i++)
        value_set(figures, r->figure[i].name, value_real(r->figure[i].value));
    for (unsigned i = 0; i < r->audits; i++)
        value_append(audits, value_audit(&r->audit[i]));
    for (unsigned i = 0; i < r->deviations; i++)
        value_append(deviations, value_text(r->deviation[i]));
    value_set(object, "figures", figures);
    value_set(object, "audits", audits);
    for (unsigned i = 0; i < r->notes; i++)
        value_append(notes, value_text(r->note[i]));
    for (unsigned i = 0; i < r->comparisons; i++)
        value_append(comparisons, value_comparison(&r->comparison[i]));
    value_set(object, "deviations", deviations);
    value_set(object, "notes", notes);
    value_set(object, "comparisons", comparisons);
    return object;
}
