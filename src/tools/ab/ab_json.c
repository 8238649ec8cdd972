/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of an experiment as JSON (docs/ab.md). */
#include "tools/ab/ab.h"

#include <math.h>
#include <string.h>

#include "report/json/report_json_value.h"

#define SCHEMA 1

static json_t *value_block(const struct ab_block *block)
{
    json_t *value = value_object(), *figures = value_object();
    const char *slash = strrchr(block->path, '/');
    for (size_t i = 0; i < block->run.figures; i++)
        value_set(figures, block->run.figure[i].name, value_real(block->run.figure[i].value));
    for (size_t i = 0; i < block->run.works; i++)
        value_set(figures, block->run.work[i].name, value_real(block->run.work[i].value));
    value_set(value, "file", value_text(slash != NULL ? slash + 1 : block->path));
    value_set(value, "started", value_text(block->run.started));
    value_set(value, "findings",
              block->run.findings != NULL ? json_incref(block->run.findings) : json_null());
    value_set(value, "figures", figures);
    return value;
}

static json_t *value_pair(const struct ab_pair *pair)
{
    json_t *value = value_object();
    value_set(value, "order", value_text(pair->b_first ? "BA" : "AB"));
    value_set(value, "rand_seed", json_integer(pair->seed));
    value_set(value, "left_out", value_text(pair->left_out));
    value_set(value, "a", value_block(&pair->block[AB_A]));
    value_set(value, "b", value_block(&pair->block[AB_B]));
    return value;
}

static void set_effect(json_t *value, const struct ab_effect *e)
{
    value_set(value, "change_percent", value_real(e->change));
    value_set(value, "low_percent", value_real(e->low));
    value_set(value, "high_percent", value_real(e->high));
}

/* The intervals after each even number of used pairs, as they narrow. */
static json_t *value_steps(const struct ab_series *series, const struct ab_figure *figure)
{
    json_t *steps = value_array();
    for (size_t pairs = AB_LEAST_PAIRS; pairs <= figure->pairs; pairs += 2) {
        const struct ab_effect e = ab_figure_judge(figure, pairs, ab_share(series));
        json_t *step = value_object();
        value_set(step, "pairs", json_integer((json_int_t)pairs));
        set_effect(step, &e);
        value_append(steps, step);
    }
    return steps;
}

static json_t *value_figure(const struct ab_series *series, const struct ab_figure *figure)
{
    const struct ab_effect e = ab_effect_of(series, figure);
    json_t *value = value_object(), *differences = value_array();
    for (size_t i = 0; i < figure->pairs; i++)
        value_append(differences, value_real(ab_figure_difference(figure, i)));
    value_set(value, "name", value_text(figure->name));
    value_set(value, "unit", value_text(figure->unit));
    value_set(value, "a", value_real(e.a));
    value_set(value, "b", value_real(e.b));
    value_set(value, "a_censored", json_boolean(figure->a_is_bound));
    value_set(value, "b_censored", json_boolean(figure->b_is_bound));
    set_effect(value, &e);
    value_set(value, "asked_percent",
              figure->precision > 0 ? value_real(figure->precision) : json_null());
    value_set(value, "result",
              figure->precision > 0 ? value_text(ab_result_name(e.result)) : json_null());
    value_set(value, "differences", differences);
    value_set(value, "steps", value_steps(series, figure));
    return value;
}

static json_t *value_series(const struct ab_series *series)
{
    json_t *value = value_object(), *figures = value_array(), *pairs = value_array();
    for (size_t i = 0; i < series->figures; i++)
        value_append(figures, value_figure(series, &series->figure[i]));
    for (size_t i = 0; i < series->pairs; i++)
        value_append(pairs, value_pair(&series->pair[i]));
    value_set(value, "result", value_text(ab_result_name(series->result)));
    value_set(value, "figures", figures);
    value_set(value, "notes", ab_notes(series));
    value_set(value, "pairs", pairs);
    return value;
}

json_t *ab_value(const struct ab *ab)
{
    json_t *value = ab_plan(ab);
    value_set(value, "ab_schema", json_integer(SCHEMA));
    value_set(value, "version", value_text(VERSION));
    value_set(value, "chance", value_real(AB_CHANCE));
    value_set(value, "max_pairs", json_integer((json_int_t)ab->max_pairs));
    value_set(value, "control", ab->control.pairs > 0 ? value_series(&ab->control) : json_null());
    value_set(value, "experiment", value_series(&ab->main));
    return value;
}
