/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quality figures of a workload: "quality" of intervals and of the summary. */
#include <math.h>

#include "report/json/report_json_value.h"

static json_t *value_quality(const struct quality_total *q)
{
    json_t *object = value_object();
    double half_width;
    const bool bounded = quality_half_width(q, &half_width);
    value_set(object, "count", value_count(q->count));
    value_set(object, "mean", q->count > 0 ? value_real(q->mean) : json_null());
    value_set(object, "low", bounded ? value_real(q->mean - half_width) : json_null());
    value_set(object, "high", bounded ? value_real(q->mean + half_width) : json_null());
    value_set(object, "squares", value_real(q->squares));
    return object;
}

json_t *value_qualities(const struct quality_totals *t)
{
    json_t *object = value_object();
    for (unsigned i = 0; i < t->count; i++)
        value_set(object, t->quality[i].name, value_quality(&t->quality[i]));
    return object;
}

void qualities_from_json(struct quality_totals *t, const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        const json_int_t count = json_integer_value(json_object_get(value, "count"));
        struct quality_total *q = quality_totals_make(t, name);
        q->count = count > 0 ? (uint64_t)count : 0;
        q->mean = json_number_value(json_object_get(value, "mean"));
        q->squares = fmax(0, json_number_value(json_object_get(value, "squares")));
    }
}
