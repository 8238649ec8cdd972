/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors by code and operations by class, in the JSON report. */
#include "document/report_json_value.h"

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
                           unsigned percentiles)
{
    json_t *object = value_object();
    value_set(object, "class", value_text(c->name));
    value_set(object, "count", value_count(c->count));
    value_set(object, "errors", value_count(c->errors));
    value_set(object, "rows_matched", value_count(c->matched));
    value_set(object, "rows_changed", value_count(c->changed));
    value_set(object, "time_ms", value_distribution(&c->time, NS_PER_MS, percentile, percentiles));
    value_set(object, "histogram", value_buckets(c->time.buckets));
    value_set(object, "sums", value_sums(&c->time));
    return object;
}

json_t *value_operations(const struct operation_totals *t, const int64_t *percentile,
                         unsigned percentiles)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->classes; i++)
        value_append(array, value_class(&t->class[i], percentile, percentiles));
    return array;
}
