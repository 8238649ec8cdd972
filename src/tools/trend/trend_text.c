/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "tools/trend/trend_print.h"

/* Prints a text from a report, without characters that a terminal would interpret. */
static void print_word(FILE *out, const char *word)
{
    char *text = xstrdup(word);
    fputs(log_printable(text, ""), out);
    free(text);
}

/* Number of characters of an ISO 8601 time that are printed. */
#define DATE 10
#define TIME 19

static void print_start(FILE *out, const char *started, size_t length)
{
    char *text = checked_alloc(strndup(started, length));
    fputs(log_printable(text, ""), out);
    free(text);
}

/* Prints for example "run 21 (2026-01-21T12:00:00, commit=def)". */
static void print_run(FILE *out, const struct trend_run *run)
{
    fprintf(out, "run %lld (", (long long)run->id);
    print_start(out, run->started, TIME);
    const char *name;
    json_t *value, *labels = json_loads(run->labels, 0, NULL);
    json_object_foreach(labels, name, value)
    {
        fprintf(out, ", %s=", name);
        print_word(out, json_string_value(value));
    }
    fputs(")", out);
    json_decref(labels);
}

static const struct trend_run *valid_run(const struct trend_series *s, size_t i)
{
    return &s->run[s->valid[i]];
}

static void print_step(FILE *out, const struct trend_series *s, enum trend_figure figure,
                       const struct change_point *step)
{
    const char *unit = trend_figure_unit(figure);
    double change = step->after - step->before;
    fprintf(out, "  %s: a step to the %s between ", trend_figure_name(figure),
            trend_is_worse(figure, step) ? "WORSE" : "better");
    print_run(out, valid_run(s, step->at - 1));
    fputs(" and ", out);
    print_run(out, valid_run(s, step->at));
    fprintf(out, ":\n    %.4g%s to %.4g%s, %+.1f %% (%+.1f to %+.1f %%)\n", exp(step->before), unit,
            exp(step->after), unit, trend_change_percent(step), 100 * expm1(change - step->error),
            100 * expm1(change + step->error));
}

static void print_newest(FILE *out, const struct trend_series *s, enum trend_figure figure)
{
    const struct trend_course *course = &s->course[figure];
    const struct trend_run *run = valid_run(s, s->valid_runs - 1);
    const char *unit = trend_figure_unit(figure);
    if (course->newest == TREND_UNKNOWN)
        return;
    if (course->newest == TREND_WIDE) {
        fprintf(
            out,
            "  %s of the newest, run %lld: %.4g%s, cannot be judged: the runs before scatter so "
            "much that any value from %.2g%s to %.0f times that is expected\n",
            trend_figure_name(figure), (long long)run->id, run->value[figure], unit, course->low,
            unit, course->high / course->low);
        return;
    }
    fprintf(out, "  %s of the newest, run %lld: %.4g%s, %s: expected is %.4g to %.4g%s%s\n",
            trend_figure_name(figure), (long long)run->id, run->value[figure], unit,
            course->newest == TREND_SUSPECT ? "SUSPECT" : "as before", course->low, course->high,
            unit, course->newest == TREND_SUSPECT ? "; repeat it three times" : "");
}

static void print_course(FILE *out, const struct trend_series *s, enum trend_figure figure)
{
    const struct trend_course *course = &s->course[figure];
    for (size_t i = 0; i < course->steps; i++)
        print_step(out, s, figure, &course->step[i]);
    if (course->steps == 0 && trend_is_judged(s))
        fprintf(out, "  %s: no step\n", trend_figure_name(figure));
    print_newest(out, s, figure);
}

static void print_title(FILE *out, const struct trend_series *s)
{
    fprintf(out, "Series %lld: ", (long long)s->number);
    print_word(out, s->test);
    if (s->capacity) {
        fputs(", capacity with ", out);
        print_word(out, s->slo);
    }
    if (!isnan(s->rate))
        fprintf(out, ", %.15g/s", s->rate);
    fprintf(out, ", %.15g worker%s, on ", s->workers, s->workers == 1 ? "" : "s");
    print_word(out, s->host);
    fprintf(out, "\n  %zu %s%s, %zu of them valid, ", s->runs, s->capacity ? "search" : "run",
            s->runs == 1  ? ""
            : s->capacity ? "es"
                          : "s",
            s->valid_runs);
    print_start(out, s->run[0].started, DATE);
    fputs(" to ", out);
    print_start(out, s->run[s->runs - 1].started, DATE);
    fputs("\n", out);
    if (s->changed == NULL)
        return;
    fputs("  begins with other settings: ", out);
    print_word(out, s->changed);
    fputs("\n", out);
}

/* If there are enough runs but too few valid ones, names the newest that is not. */
static void print_too_few(FILE *out, const struct trend_series *s)
{
    fprintf(out, "  cannot be judged: fewer than %d valid runs", TREND_LEAST);
    size_t i = s->runs >= TREND_LEAST ? s->runs : 0;
    while (i > 0 && s->run[i - 1].valid)
        i--;
    if (i > 0) {
        fprintf(out, "; run %lld is ", (long long)s->run[i - 1].id);
        print_word(out, s->run[i - 1].verdict);
        fputs(": its report says what to do", out);
    }
    fputs("\n", out);
}

void trend_print_text(FILE *out, const struct trend *trend)
{
    for (size_t i = 0; i < trend->count; i++) {
        const struct trend_series *s = &trend->series[i];
        fputs(i > 0 ? "\n" : "", out);
        print_title(out, s);
        if (trend_is_unknown(s))
            print_too_few(out, s);
        else if (trend_is_short(s))
            fprintf(out, "  too short for steps: fewer than %d valid runs\n", CHANGE_POINTS_LEAST);
        for (int figure = 0; figure < TREND_FIGURES && !trend_is_unknown(s); figure++)
            if (trend_has(s, figure))
                print_course(out, s, figure);
    }
    if (trend->count == 0)
        fputs("no run\n", out);
}
