/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_plans.h"

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "not known";
}

static void print_plan(FILE *out, const json_t *plan)
{
    const json_t *failure = json_object_get(plan, "failure");
    if (!json_is_true(json_object_get(plan, "changed")) && failure == NULL)
        return;
    fprintf(out, "    %s\n", member(plan, "class"));
    if (json_is_true(json_object_get(plan, "changed"))) {
        fprintf(out, "        at the beginning: %s\n",
                member(json_object_get(plan, "first"), "shape"));
        fprintf(out, "        at the end:       %s\n",
                member(json_object_get(plan, "last"), "shape"));
    }
    if (failure != NULL)
        fprintf(out, "        not explained: %s\n", member(plan, "failure"));
}

void report_plans(FILE *out, const json_t *plans)
{
    size_t i, changed = 0;
    json_t *plan;
    if (plans == NULL)
        return;
    json_array_foreach(plans, i, plan) changed += json_is_true(json_object_get(plan, "changed"));
    fprintf(out, "Plans of statements: %zu class%s, %zu changed during the run\n",
            json_array_size(plans), json_array_size(plans) == 1 ? "" : "es", changed);
    json_array_foreach(plans, i, plan) print_plan(out, plan);
    fputc('\n', out);
}
