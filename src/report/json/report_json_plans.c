/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "result/waits/plans.h"

static json_t *value_shape(const char *shape)
{
    char hash[17];
    if (shape == NULL)
        return json_null();
    snprintf(hash, sizeof(hash), "%016" PRIx64, plan_hash(shape));
    json_t *object = value_object();
    value_set(object, "hash", value_text(hash));
    value_set(object, "shape", value_text(shape));
    return object;
}

json_t *value_plans(const struct plans *plans)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < plans->count; i++) {
        const struct plan *plan = &plans->list[i];
        json_t *object = value_object();
        value_set(object, "class", value_text(plan->class));
        value_set(object, "changed", json_boolean(plan_changed(plan)));
        value_set(object, "first", value_shape(plan->first));
        value_set(object, "last", value_shape(plan->last));
        if (plan->failure != NULL)
            value_set(object, "failure", value_text(plan->failure));
        json_array_append_new(list, object);
    }
    return list;
}

void report_json_plans(struct report_json *json, const struct plans *plans)
{
    report_json_add(json, "plans", value_plans(plans));
}
