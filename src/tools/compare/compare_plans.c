/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_plans.h"

#include <string.h>

#include "report/json/report_json_value.h"

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Returns the shape of the class's plan at the end of the run, or NULL if the run does not know it.
 */
static const char *last_shape(const struct compare_run *run, const char *class)
{
    size_t i;
    json_t *plan;
    json_array_foreach(json_object_get(run->document.head, "plans"), i, plan)
    {
        const char *name = text_of(plan, "class");
        if (name != NULL && strcmp(name, class) == 0)
            return text_of(json_object_get(plan, "last"), "shape");
    }
    return NULL;
}

static const char *shape_of_side(const struct compare_side *side, const char *class)
{
    const char *shape = NULL;
    for (size_t i = side->runs; i-- > 0 && shape == NULL;)
        shape = last_shape(&side->run[i], class);
    return shape;
}

static bool has_class(const json_t *array, const char *class)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row)
    {
        if (strcmp(text_of(row, "class"), class) == 0)
            return true;
    }
    return false;
}

/* Adds the class to the array if its plans are known and differ, unless the array has the class. */
static void add_class(json_t *array, const struct compare *c, const char *class)
{
    const char *a = shape_of_side(&c->a, class), *b = shape_of_side(&c->b, class);
    if (a == NULL || b == NULL || strcmp(a, b) == 0 || has_class(array, class))
        return;
    json_t *object = value_object();
    value_set(object, "class", value_text(class));
    value_set(object, "a", value_text(a));
    value_set(object, "b", value_text(b));
    value_append(array, object);
}

json_t *compare_plans(const struct compare *c)
{
    size_t i;
    json_t *array = value_array(), *plan;
    for (size_t r = 0; r < c->a.runs; r++)
        json_array_foreach(json_object_get(c->a.run[r].document.head, "plans"), i, plan)
        {
            const char *class = text_of(plan, "class");
            if (class != NULL)
                add_class(array, c, class);
        }
    return array;
}

void compare_plans_print(FILE *out, const struct compare *c)
{
    size_t i;
    json_t *plans = compare_plans(c), *plan;
    if (json_array_size(plans) > 0)
        fputs("\nStatements with another plan:\n", out);
    json_array_foreach(plans, i, plan)
        fprintf(out, "    %s\n        A: %s\n        B: %s\n", text_of(plan, "class"),
                text_of(plan, "a"), text_of(plan, "b"));
    json_decref(plans);
}
