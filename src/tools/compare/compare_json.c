/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "report/text/interval_column.h"
#include "tools/compare/compare_print.h"
#include "tools/compare/compare_settings.h"

static json_t *value_side(const struct compare_side *side)
{
    const json_t *head = side->run[0].document.head;
    json_t *object = value_object();
    value_set(object, "name", value_text(side->path));
    value_set(object, "test", value_text(json_string_value(json_object_get(head, "test"))));
    value_set(object, "runs", value_count(side->runs));
    value_set(object, "intervals", value_count(side->run[0].intervals));
    return object;
}

static json_t *value_comparison(const struct comparison *c)
{
    json_t *object = value_object();
    value_set(object, "name", value_text(c->name));
    value_set(object, "unit", value_text(c->unit));
    value_set(object, "a", value_real(c->a));
    value_set(object, "b", value_real(c->b));
    value_set(object, "a_censored", json_boolean(c->a_is_bound));
    value_set(object, "b_censored", json_boolean(c->b_is_bound));
    value_set(object, "change_percent", value_real(compare_change_percent(c)));
    value_set(object, "noise_percent", value_real(c->a > 0 ? 100 * c->noise / c->a : INFINITY));
    value_set(object, "result", value_text(compare_result_name(c->result)));
    value_set(object, "reason", value_text(compare_reason(c)));
    return object;
}

void compare_print_json(FILE *out, const struct compare *c, enum compare_result result,
                        const char *reason)
{
    json_t *object = value_object(), *figures = value_array();
    value_set(object, "result", value_text(compare_result_name(result)));
    value_set(object, "reason", value_text(reason));
    value_set(object, "a", value_side(&c->a));
    value_set(object, "b", value_side(&c->b));
    for (size_t i = 0; i < c->count; i++)
        value_append(figures, value_comparison(&c->comparison[i]));
    value_set(object, "figures", figures);
    value_set(object, "settings", compare_settings_differences(&c->a.run[0], &c->b.run[0]));
    json_dumpf(object, out, REPORT_JSON_FLAGS);
    fputs("\n", out);
    json_decref(object);
}
