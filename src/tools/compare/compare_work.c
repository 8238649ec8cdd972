/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_work.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json_value.h"

/* Smaller changes, in percent, are in the table but in no sentence. */
#define CHANGE_NAMED 10

static const json_t *work_of(const struct compare_run *run)
{
    return json_object_get(run->document.head, "work_per_request");
}

/* Returns the mean over the runs, or NAN if a run does not have the figure. */
static double mean_of(const struct compare_side *side, const char *source, const char *name)
{
    double sum = 0;
    for (size_t i = 0; i < side->runs; i++) {
        const json_t *value =
            json_object_get(json_object_get(work_of(&side->run[i]), source), name);
        sum += json_is_number(value) ? json_number_value(value) : NAN;
    }
    return sum / (double)side->runs;
}

static void add_figure(json_t *array, const struct compare *c, const char *source, const char *name)
{
    const double a = mean_of(&c->a, source, name), b = mean_of(&c->b, source, name);
    if (isnan(a) || isnan(b))
        return;
    json_t *figure = value_object();
    value_set(figure, "source", value_text(source));
    value_set(figure, "name", value_text(name));
    value_set(figure, "a", value_real(a));
    value_set(figure, "b", value_real(b));
    value_set(figure, "change_percent", a > 0 ? value_real(100 * (b / a - 1)) : json_null());
    value_append(array, figure);
}

json_t *compare_work(const struct compare *c)
{
    json_t *array = value_array(), *figures, *unused;
    const char *source, *name;
    json_object_foreach((json_t *)work_of(&c->a.run[0]), source, figures)
    {
        json_object_foreach(figures, name, unused) add_figure(array, c, source, name);
    }
    return array;
}

/* Copies "log bytes" for "log_bytes". */
static const char *words(const char *name, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s", name);
    for (char *at = strchr(text, '_'); at != NULL; at = strchr(at, '_'))
        *at = ' ';
    return text;
}

static double change_of(const json_t *figure)
{
    const json_t *change = json_object_get(figure, "change_percent");
    return json_is_number(change) ? json_number_value(change) : 0;
}

static void print_figure(FILE *out, const json_t *figure)
{
    char name[64];
    words(json_string_value(json_object_get(figure, "name")), name, sizeof(name));
    fprintf(out, "    %-8s %-26s %14.3f %14.3f",
            json_string_value(json_object_get(figure, "source")), name,
            json_number_value(json_object_get(figure, "a")),
            json_number_value(json_object_get(figure, "b")));
    if (json_is_number(json_object_get(figure, "change_percent")))
        fprintf(out, " %+9.2f %%", change_of(figure));
    fputc('\n', out);
}

/* Returns the figure with the largest relative change, or NULL if all changes are small. */
static const json_t *largest_change(const json_t *figures)
{
    const json_t *largest = NULL;
    double extent = log1p(CHANGE_NAMED / 100.0);
    json_t *figure;
    size_t i;
    json_array_foreach(figures, i, figure)
    {
        const double change = fabs(log1p(change_of(figure) / 100));
        if (isfinite(change) && change >= extent) {
            extent = change;
            largest = figure;
        }
    }
    return largest;
}

static void print_sentence(FILE *out, const struct compare *c, const json_t *figures)
{
    const struct comparison *p99 = compare_find(c, "p99");
    const json_t *figure = largest_change(figures);
    if (p99 == NULL || p99->result != COMPARE_SAME || figure == NULL)
        return;
    const double change = change_of(figure);
    char name[64];
    fprintf(out, "    B has the same p99 as A, with %.0f %% %s %s per request (%s).\n",
            fabs(change), change > 0 ? "more" : "less",
            words(json_string_value(json_object_get(figure, "name")), name, sizeof(name)),
            json_string_value(json_object_get(figure, "source")));
}

void compare_work_print(FILE *out, const struct compare *c)
{
    json_t *figures = compare_work(c), *figure;
    size_t i;
    if (json_array_size(figures) > 0)
        fprintf(out, "\nWork per completed request, which is not judged:\n");
    json_array_foreach(figures, i, figure) print_figure(out, figure);
    print_sentence(out, c, figures);
    json_decref(figures);
}
