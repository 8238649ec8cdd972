/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Observations of the server and the machine in the JSON report. */
#include <math.h>

#include "report/json/report_json_value.h"

static json_t *value_known(double x)
{
    return isnan(x) ? json_null() : value_real(x);
}

static void add_figures(json_t *object, const struct probe_figures *f)
{
    value_set(object, "samples", json_integer(f->samples));
    value_set(object, "sample_ms", value_known(f->sample_ms));
    value_set(object, "silent_s", value_real(ns_to_seconds(f->silent_ns)));
    for (size_t i = 0; i < f->source->table.count; i++)
        value_set(object, f->source->table.series[i].name, value_known(f->figure[i]));
}

json_t *value_probe_figures(const struct probe_report *report)
{
    json_t *object = value_object();
    for (unsigned i = 0; i < report->sources; i++) {
        const struct probe_figures *f = &report->source[i];
        json_t *figures = value_object();
        add_figures(figures, f);
        if (f->source->table.held > 0)
            value_set(figures, "counts_late", json_boolean(f->late));
        if (f->silent_ns > 0 && f->error[0] != '\0')
            value_set(figures, "error", value_text(f->error));
        value_set(object, f->source->name, figures);
    }
    return object;
}

static json_t *value_series(const struct probe_table *table)
{
    json_t *array = value_array();
    for (size_t i = 0; i < table->count; i++) {
        json_t *series = value_object();
        value_set(series, "name", value_text(table->series[i].name));
        value_set(series, "label", value_text(table->series[i].label));
        value_set(series, "chart", value_text(table->series[i].chart));
        value_set(series, "late", json_boolean(table->series[i].late));
        value_append(array, series);
    }
    return array;
}

static json_t *value_gaps(const struct probe_figures *f)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < f->gaps; i++) {
        json_t *gap = value_object();
        value_set(gap, "from_s", value_real(ns_to_seconds(f->gap[i].from_ns)));
        value_set(gap, "to_s", value_real(ns_to_seconds(f->gap[i].to_ns)));
        value_set(gap, "error", value_text(f->gap[i].error[0] != '\0' ? f->gap[i].error : NULL));
        value_append(array, gap);
    }
    return array;
}

static json_t *value_source(const struct probe_figures *f)
{
    json_t *source = value_object(), *mean = value_object();
    add_figures(mean, f);
    value_set(source, "name", value_text(f->source->name));
    value_set(source, "where", value_text(f->source->where));
    value_set(source, "sample_max_ms", value_known(f->sample_max_ms));
    value_set(source, "mean", mean);
    value_set(source, "gaps", value_gaps(f));
    value_set(source, "series", value_series(&f->source->table));
    return source;
}

static json_t *value_check(const struct probe_check *check)
{
    json_t *object = value_object();
    value_set(object, "what", value_text(check->what));
    value_set(object, "ours", value_real(check->ours));
    value_set(object, "theirs", value_real(check->theirs));
    value_set(object, "tolerance", value_real(check->tolerance));
    if (check->agreement == PROBE_AGREES || check->agreement == PROBE_DIFFERS)
        value_set(object, "agrees", json_boolean(check->agreement == PROBE_AGREES));
    else
        value_set(object, "agrees", json_null());
    return object;
}

/* Returns the work per completed request, by group and name. */
static json_t *value_work(const struct probe_report *report)
{
    json_t *object = value_object();
    value_set(object, "requests", value_count(report->requests));
    for (unsigned i = 0; i < report->works; i++) {
        const struct probe_work_group *group = &report->work[i];
        json_t *figures = value_object();
        for (size_t k = 0; k < group->table->works; k++)
            value_set(figures, group->table->work[k].name, value_known(group->per_request[k]));
        value_set(object, group->name, figures);
    }
    return object;
}

json_t *value_probes(const struct probe_report *report)
{
    json_t *object = value_object(), *sources = value_array(), *checks = value_array();
    for (unsigned i = 0; i < report->sources; i++)
        value_append(sources, value_source(&report->source[i]));
    for (unsigned i = 0; i < report->checks; i++)
        value_append(checks, value_check(&report->check[i]));
    value_set(object, "every_s", value_real(ns_to_seconds(report->every_ns)));
    value_set(object, "sources", sources);
    value_set(object, "checks", checks);
    value_set(object, "work_per_request", value_work(report));
    value_set(object, "unchecked", value_text(report->unchecked));
    value_set(object, "beside", value_text(report->beside[0] != '\0' ? report->beside : NULL));
    return object;
}
