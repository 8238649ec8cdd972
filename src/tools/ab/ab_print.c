/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the result of an experiment: text whose table is Markdown. */
#include "tools/ab/ab.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "tools/compare/compare_settings.h"

double ab_share(const struct ab_series *series)
{
    const size_t asked = ab_figures_asked(series->figure, series->figures);
    return AB_CHANCE / (double)(asked > 0 ? asked : 1);
}

struct ab_effect ab_effect_of(const struct ab_series *series, const struct ab_figure *figure)
{
    return ab_figure_judge(figure, figure->pairs, ab_share(series));
}

const char *ab_result_name(enum ab_result result)
{
    static const char *const names[] = {[AB_UNDECIDED] = "undecided",
                                        [AB_SAME] = "same",
                                        [AB_WORSE] = "worse",
                                        [AB_BETTER] = "better"};
    return names[result];
}

const char *ab_interval_text(const struct ab_effect *e, char *text, size_t bytes)
{
    if (isinf(e->low) || isinf(e->high))
        snprintf(text, bytes, "-");
    else if (e->high > 1000)
        snprintf(text, bytes, "%+.2f to >+1000", e->low);
    else
        snprintf(text, bytes, "%+.2f to %+.2f", e->low, e->high);
    return text;
}

/* Figures of the table: those that were asked, and the others unless both variants have 0. */
static bool is_shown(const struct ab_figure *figure, const struct ab_effect *e)
{
    return figure->precision > 0 || e->a != 0 || e->b != 0;
}

static char *row_name(const struct ab_figure *figure)
{
    char *name;
    return checked_alloc(asprintf(&name, "%s %s", figure->name, figure->unit) < 0 ? NULL : name);
}

/* Returns the width of the first column. */
static int name_width(const struct ab_series *series)
{
    int width = 17;
    for (size_t i = 0; i < series->figures; i++) {
        const struct ab_effect e = ab_effect_of(series, &series->figure[i]);
        char *name = row_name(&series->figure[i]);
        if (is_shown(&series->figure[i], &e) && (int)strlen(name) > width)
            width = (int)strlen(name);
        free(name);
    }
    return width;
}

static void print_row(FILE *out, const struct ab_series *series, const struct ab_figure *figure,
                      int width)
{
    const struct ab_effect e = ab_effect_of(series, figure);
    char a[40], b[40], interval[48], asked[24] = "", *name;
    if (!is_shown(figure, &e))
        return;
    name = row_name(figure);
    snprintf(a, sizeof(a), "%s%.2f", figure->a_is_bound ? ">" : "", e.a);
    snprintf(b, sizeof(b), "%s%.2f", figure->b_is_bound ? ">" : "", e.b);
    if (figure->precision > 0)
        snprintf(asked, sizeof(asked), "±%g", figure->precision);
    /* The two bytes of "±" take one column. */
    fprintf(out, "| %-*s | %10s | %10s | %+8.2f | %18s | %*s | %-9s |\n", width, name, a, b,
            e.change, ab_interval_text(&e, interval, sizeof(interval)), asked[0] != '\0' ? 6 : 5,
            asked, figure->precision > 0 ? ab_result_name(e.result) : "not asked");
    free(name);
}

static void print_table(FILE *out, const struct ab_series *series)
{
    const int width = name_width(series);
    fprintf(out, "| %-*s | %10s | %10s | %8s | %18s | %5s | %-9s |\n|:", width, "figure", "A", "B",
            "change %", "interval %", "asked", "B is");
    for (int i = 0; i <= width; i++)
        fputc('-', out);
    fputs("|-----------:|-----------:|---------:|-------------------:|------:|:----------|\n", out);
    for (size_t i = 0; i < series->figures; i++)
        print_row(out, series, &series->figure[i], width);
}

static void print_head(FILE *out, const struct ab *ab, const struct ab_series *series)
{
    fprintf(out, "%s of %s: %zu pairs", series->control ? "Control, A against A," : "A against B",
            ab->subject.cmdline.test, series->pairs);
    if (series->left_out > 0)
        fprintf(out, ", of which %zu are left out", series->left_out);
    fprintf(out, ", --seed=%lld\n\n", (long long)ab->seed);
}

static void print_notes(FILE *out, const struct ab_series *series)
{
    json_t *notes = ab_notes(series), *text;
    size_t i;
    json_array_foreach(notes, i, text)
        fprintf(out, "%s- %s\n", i == 0 ? "\n" : "", json_string_value(text));
    json_decref(notes);
}

static const struct ab_pair *first_used(const struct ab_series *series)
{
    for (size_t i = 0; i < series->pairs; i++)
        if (series->pair[i].left_out == NULL)
            return &series->pair[i];
    return NULL;
}

static void print_variant(FILE *out, const struct ab *ab, int k)
{
    const struct ab_variant *v = &ab->variant[k];
    const char *name;
    json_t *value;
    fprintf(out, "    %c:", "AB"[k]);
    if (v->program != NULL)
        fprintf(out, " program %s", v->program);
    for (size_t i = 0; i < v->options; i++)
        fprintf(out, " %s", v->option[i]);
    json_object_foreach(v->server, name, value)
        fprintf(out, " server %s=%s", name, json_string_value(value));
    for (unsigned i = 0; i < v->before.count; i++)
        fprintf(out, "%s before: %s", i > 0 ? ";" : "", v->before.actions[i].shown);
    if (v->program == NULL && v->options == 0 && v->before.count == 0 &&
        json_object_size(v->server) == 0)
        fputs(" as after '--'", out);
    fputc('\n', out);
}

static void print_settings(FILE *out, const struct ab *ab)
{
    const struct ab_pair *pair = first_used(&ab->main);
    const char *name;
    json_t *values;
    fputs("\nVariants:\n\n", out);
    print_variant(out, ab, AB_A);
    print_variant(out, ab, AB_B);
    if (pair == NULL)
        return;
    json_t *differences =
        compare_settings_differences(&pair->block[AB_A].run, &pair->block[AB_B].run);
    if (json_object_size(differences) > 0)
        fputs("\nSettings that differ in the reports:\n\n", out);
    json_object_foreach(differences, name, values)
        fprintf(out, "    %-28s %s | %s\n", name, json_string_value(json_array_get(values, 0)),
                json_string_value(json_array_get(values, 1)));
    json_decref(differences);
}

static void print_floor(FILE *out, const struct ab_series *series)
{
    const char *before = " ";
    fprintf(out, "\nNoise floor after %zu pairs:", series->pairs);
    for (size_t i = 0; i < series->figures; i++) {
        const struct ab_figure *figure = &series->figure[i];
        const struct ab_effect e = ab_effect_of(series, figure);
        if (!(figure->precision > 0))
            continue;
        if (isinf(e.high) || isinf(e.low))
            fprintf(out, "%s%s unknown", before, figure->name);
        else
            fprintf(out, "%s%s ±%.2f %%", before, figure->name, (e.high - e.low) / 2);
        before = ", ";
    }
    fputs(". Smaller differences are not found with as many pairs.\n", out);
}

static void print_series(FILE *out, const struct ab *ab, const struct ab_series *series)
{
    print_head(out, ab, series);
    if (series->figures > 0)
        print_table(out, series);
    if (series->control && series->figures > 0)
        print_floor(out, series);
    print_notes(out, series);
}

static void print_verdict(FILE *out, const struct ab *ab)
{
    if (ab_is_alarm(&ab->control)) {
        fputs("\nVerdict: undecided, because the control found a difference of A from itself. "
              "Blocks affect each other, or the machine does.\n",
              out);
        return;
    }
    static const char *const verdicts[] = {[AB_UNDECIDED] = "undecided",
                                           [AB_SAME] =
                                               "no difference was found at the requested precision",
                                           [AB_WORSE] = "B is worse",
                                           [AB_BETTER] = "B is better"};
    fprintf(out, "\nVerdict: %s", verdicts[ab->main.result]);
    const char *before = ": ";
    for (size_t i = 0; i < ab->main.figures; i++) {
        const struct ab_effect e = ab_effect_of(&ab->main, &ab->main.figure[i]);
        char text[48];
        if (e.result != AB_WORSE && e.result != AB_BETTER)
            continue;
        fprintf(out, "%s%s %+.2f %% (%s)", before, ab->main.figure[i].name, e.change,
                ab_interval_text(&e, text, sizeof(text)));
        before = ", ";
    }
    fputc('\n', out);
}

void ab_print(FILE *out, const struct ab *ab)
{
    if (ab->control.pairs > 0) {
        print_series(out, ab, &ab->control);
        fputc('\n', out);
    }
    if (ab->main.pairs > 0) {
        print_series(out, ab, &ab->main);
        print_settings(out, ab);
        fprintf(out,
                "\nInterval: where the true change is. In %g %% of experiments, chance makes the "
                "interval of an asked figure wrong, however often the intervals were looked at.\n",
                100 * AB_CHANCE);
    }
    print_verdict(out, ab);
}
