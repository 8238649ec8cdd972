/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "tools/trend/trend_print.h"

static json_t *value_step(const struct trend_series *s, enum trend_figure figure,
                          const struct change_point *step)
{
    double change = step->after - step->before;
    json_t *object = value_object();
    value_set(object, "last_before", json_integer(s->run[s->valid[step->at - 1]].id));
    value_set(object, "first_after", json_integer(s->run[s->valid[step->at]].id));
    value_set(object, "before", value_real(exp(step->before)));
    value_set(object, "after", value_real(exp(step->after)));
    value_set(object, "change_percent", value_real(trend_change_percent(step)));
    value_set(object, "low_percent", value_real(100 * expm1(change - step->error)));
    value_set(object, "high_percent", value_real(100 * expm1(change + step->error)));
    value_set(object, "worse", json_boolean(trend_is_worse(figure, step)));
    return object;
}

static json_t *value_newest(const struct trend_course *course)
{
    if (course->newest == TREND_UNKNOWN)
        return json_null();
    json_t *object = value_object();
    value_set(object, "suspect",
              course->newest == TREND_WIDE ? json_null()
                                           : json_boolean(course->newest == TREND_SUSPECT));
    value_set(object, "low", value_real(course->low));
    value_set(object, "high", value_real(course->high));
    return object;
}

static json_t *value_course(const struct trend_series *s, enum trend_figure figure)
{
    const struct trend_course *course = &s->course[figure];
    json_t *object = value_object(), *steps = value_array();
    for (size_t i = 0; i < course->steps; i++)
        value_append(steps, value_step(s, figure, &course->step[i]));
    value_set(object, "steps", steps);
    value_set(object, "newest", value_newest(course));
    return object;
}

static json_t *value_run(const struct trend_run *run, bool capacity)
{
    json_t *object = value_object();
    value_set(object, "id", json_integer(run->id));
    value_set(object, "started", value_text(run->started));
    value_set(object, "verdict", value_text(run->verdict));
    value_set(object, "valid", json_boolean(run->valid));
    if (capacity) {
        value_set(object, "capacity_per_s", value_real(run->value[TREND_CAPACITY]));
        value_set(object, "capacity_low_per_s", value_real(run->low));
        value_set(object, "capacity_high_per_s", value_real(run->high));
    } else {
        value_set(object, "completed_per_s", value_real(run->value[TREND_THROUGHPUT]));
        value_set(object, "response_ms_p50", value_real(run->value[TREND_P50]));
        value_set(object, "response_ms_p95", value_real(run->value[TREND_P95]));
        value_set(object, "response_ms_p99", value_real(run->value[TREND_P99]));
    }
    value_set(object, "labels", json_loads(run->labels, 0, NULL));
    return object;
}

static json_t *value_series(const struct trend_series *s)
{
    json_t *object = value_object(), *runs = value_array();
    value_set(object, "series", json_integer(s->number));
    value_set(object, "kind",
              value_text(archive_kind_name(s->capacity ? ARCHIVE_CAPACITY : ARCHIVE_RUN)));
    value_set(object, "test", value_text(s->test));
    value_set(object, "host", value_text(s->host));
    value_set(object, "asked_per_s", value_real(s->rate));
    value_set(object, "workers", value_real(s->workers));
    value_set(object, "slo", value_text(s->slo));
    value_set(object, "changed", value_text(s->changed));
    value_set(object, "judged", json_boolean(trend_is_judged(s)));
    for (int i = 0; i < TREND_FIGURES; i++)
        if (trend_has(s, i))
            value_set(object, trend_figure_name(i), value_course(s, i));
    for (size_t i = 0; i < s->runs; i++)
        value_append(runs, value_run(&s->run[i], s->capacity));
    value_set(object, "runs", runs);
    return object;
}

void trend_print_json(FILE *out, const struct trend *trend)
{
    json_t *object = value_object(), *all = value_array();
    for (size_t i = 0; i < trend->count; i++)
        value_append(all, value_series(&trend->series[i]));
    value_set(object, "series", all);
    json_dumpf(object, out, REPORT_JSON_FLAGS);
    fputs("\n", out);
    json_decref(object);
}
