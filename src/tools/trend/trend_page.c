/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the page of an archive's history: a chart for each figure of each history. A history
 * consists of all series of one test, machine, rate and number of workers. Plain SVG without
 * scripts or external files.
 */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "tools/html_text.h"
#include "tools/trend/trend_print.h"

/* Size of a chart and of its margins, in SVG user units. */
#define WIDTH 900
#define HEIGHT 260
#define LEFT 70
#define RIGHT 20
#define TOP 15
#define BOTTOM 40

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sysrate "
    "trend</title>\n<style>\n"
    ":root { --back: #fff; --text: #1c2128; --muted: #5b6470; --line: #d8dde3; --good: #0b62b8; "
    "--bad: #b84a00;\n"
    "  --level: #6a3fb5; color-scheme: light; }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e4e8ed; "
    "--muted: #9aa5b1;\n"
    "  --line: #333c47; --good: #4f9df5; --bad: #ff8a3d; --level: #c3a6ff; color-scheme: dark; } "
    "}\n"
    "body { margin: 0 auto; padding: 1rem 1.25rem 2rem; max-width: 62rem; background: "
    "var(--back); color: var(--text);\n"
    "  font: 15px/1.45 system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; }\n"
    "h1 { margin: 0; font-size: 1.45rem; } h2 { margin: 1.6rem 0 0.3rem; font-size: 1.15rem; "
    "overflow-wrap: anywhere; }\n"
    "p, ul { margin: 0.3rem 0; } .muted { color: var(--muted); font-size: 0.85rem; }\n";

const char trend_chart_style[] =
    "h3 { margin: 0.8rem 0 0.2rem; font-size: 1rem; }\n"
    ".scroll { overflow-x: auto; } svg { width: 100%; min-width: 36rem; height: auto; }\n"
    "svg text { fill: var(--muted); font-size: 13px; } .axis { stroke: var(--line); fill: none; }\n"
    ".run { fill: var(--text); stroke: var(--text); } .hollow { fill: var(--back); stroke: "
    "var(--muted); }\n"
    ".level { stroke: var(--level); stroke-width: 2.5; fill: none; } .worse { stroke: var(--bad); "
    "stroke-width: 2; }\n"
    ".better { stroke: var(--good); stroke-width: 2; stroke-dasharray: 2 3; } .break { stroke: "
    "var(--muted); stroke-dasharray: 8 5; }\n"
    "b.worse { color: var(--bad); } @media print { svg { min-width: 0; } figure { break-inside: "
    "avoid; } }\n"
    "figure { margin: 0; }\n";

static const char explanation[] =
    "<p class=\"muted\">Each point is a run, by its start. Hollow: not VALID, takes no part. "
    "Violet: the level between steps. Solid orange line: a step to the worse; dotted blue: to the "
    "better; dashed grey: other settings from here on. A capacity has its interval of 95 % as a "
    "thin line. A run's name and figures are shown where "
    "the pointer rests on it.</p>\n";

/* A chart: one figure of several series, next to each other. */
struct chart {
    FILE *out;
    const struct trend_series *const *series;
    size_t count, runs;
    enum trend_figure figure;
    double low, high; /* values */
};

/* Number of characters of an ISO 8601 time that are printed. The time comes from a report and may
 * be any text. */
#define DATE 10
#define TIME 19

static void print_start(FILE *out, const char *started, size_t length)
{
    char *text = checked_alloc(strndup(started, length));
    html_text_print(out, text);
    free(text);
}

static double place_x(const struct chart *c, double run)
{
    return LEFT + (run + 0.5) / (double)c->runs * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct chart *c, double value)
{
    double part = log(value / c->low) / log(c->high / c->low);
    return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

/* Lower end of the interval of a capacity; NAN if there is no interval. */
static double low_of(const struct chart *c, const struct trend_run *run)
{
    return c->figure == TREND_CAPACITY && run->low > 0 ? run->low : NAN;
}

static double high_of(const struct chart *c, const struct trend_run *run)
{
    return c->figure == TREND_CAPACITY && run->high > 0 ? run->high : NAN;
}

static void set_range(struct chart *c)
{
    c->low = INFINITY;
    c->high = 0;
    c->runs = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->runs += c->series[i]->runs;
        for (size_t k = 0; k < c->series[i]->runs; k++) {
            double value = c->series[i]->run[k].value[c->figure];
            if (!(value > 0))
                continue;
            c->low = fmin(c->low, fmin(value, low_of(c, &c->series[i]->run[k])));
            c->high = fmax(c->high, fmax(value, high_of(c, &c->series[i]->run[k])));
        }
    }
    c->low /= 1.05;
    c->high *= 1.05;
}

/* Draws grid lines at four values between the lowest and the highest. */
static void print_axes(const struct chart *c)
{
    for (int i = 0; i <= 3; i++) {
        double value = c->low * pow(c->high / c->low, i / 3.0), y = place_y(c, value);
        fprintf(c->out,
                "<path class=\"axis\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, value);
    }
    const struct trend_series *first = c->series[0], *last = c->series[c->count - 1];
    fprintf(c->out, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT - 12);
    print_start(c->out, first->run[0].started, DATE);
    fprintf(c->out, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH - RIGHT,
            HEIGHT - 12);
    print_start(c->out, last->run[last->runs - 1].started, DATE);
    fprintf(c->out,
            "</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s, by their start</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, first->capacity ? "searches" : "runs");
}

static void print_interval(const struct chart *c, const struct trend_run *run, size_t at)
{
    const double low = low_of(c, run), high = high_of(c, run);
    if (!isnan(low) && !isnan(high))
        fprintf(c->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>\n", place_x(c, (double)at),
                place_y(c, low), place_y(c, high));
}

static void print_point(const struct chart *c, const struct trend_run *run, size_t at)
{
    double value = run->value[c->figure];
    if (!(value > 0))
        return;
    print_interval(c, run, at);
    fprintf(c->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>run %lld, ",
            run->valid ? "run" : "hollow", place_x(c, (double)at), place_y(c, value),
            (long long)run->id);
    print_start(c->out, run->started, TIME);
    fprintf(c->out, ": %.4g%s, ", value, trend_figure_unit(c->figure));
    html_text_print(c->out, run->verdict);
    if (strcmp(run->labels, "{}") != 0) {
        fputs(" ", c->out);
        html_text_print(c->out, run->labels);
    }
    fputs("</title></circle>\n", c->out);
}

/* Draws the level between two valid runs of a series; `at` is where the series begins. */
static void print_level(const struct chart *c, const struct trend_series *s, size_t at, size_t from,
                        size_t to, double level)
{
    double y = place_y(c, exp(level));
    fprintf(c->out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
            place_x(c, (double)(at + s->valid[from]) - 0.5), y,
            place_x(c, (double)(at + s->valid[to - 1]) + 0.5));
}

static void print_steps(const struct chart *c, const struct trend_series *s, size_t at)
{
    const struct trend_course *course = &s->course[c->figure];
    size_t from = 0;
    for (size_t i = 0; i < course->steps; i++) {
        const struct change_point *step = &course->step[i];
        double x = (place_x(c, (double)(at + s->valid[step->at - 1])) +
                    place_x(c, (double)(at + s->valid[step->at]))) /
                   2;
        print_level(c, s, at, from, step->at, step->before);
        fprintf(c->out, "<path class=\"%s\" d=\"M%.1f %dV%d\"><title>%+.1f %%</title></path>\n",
                trend_is_worse(c->figure, step) ? "worse" : "better", x, TOP, HEIGHT - BOTTOM,
                trend_change_percent(step));
        from = step->at;
        if (i + 1 == course->steps)
            print_level(c, s, at, from, s->valid_runs, step->after);
    }
}

static void print_break(const struct chart *c, const struct trend_series *s, size_t at)
{
    double x = place_x(c, (double)at - 0.5);
    fprintf(c->out, "<path class=\"break\" d=\"M%.1f %dV%d\"><title>other settings: ", x, TOP,
            HEIGHT - BOTTOM);
    html_text_print(c->out, s->changed != NULL ? s->changed : "");
    fputs("</title></path>\n", c->out);
}

static void print_chart(struct chart *c)
{
    size_t at = 0;
    set_range(c);
    if (!(c->high > 0))
        return;
    fprintf(c->out,
            "<figure><h3>%s,%s</h3>\n<div class=\"scroll\"><svg viewBox=\"0 0 %d %d\" "
            "role=\"img\" aria-label=\"%s of %zu runs by their start\">\n",
            trend_figure_name(c->figure), trend_figure_unit(c->figure), WIDTH, HEIGHT,
            trend_figure_name(c->figure), c->runs);
    print_axes(c);
    for (size_t i = 0; i < c->count; i++) {
        const struct trend_series *s = c->series[i];
        if (i > 0)
            print_break(c, s, at);
        print_steps(c, s, at);
        for (size_t k = 0; k < s->runs; k++)
            print_point(c, &s->run[k], at + k);
        at += s->runs;
    }
    fputs("</svg></div></figure>\n", c->out);
}

/* Functions that print texts of a series. */

static void print_course(FILE *out, const struct trend_series *s, enum trend_figure figure)
{
    const struct trend_course *course = &s->course[figure];
    const char *name = trend_figure_name(figure), *unit = trend_figure_unit(figure);
    for (size_t i = 0; i < course->steps; i++) {
        const struct change_point *step = &course->step[i];
        bool worse = trend_is_worse(figure, step);
        fprintf(out,
                "<li>%s: a step to the <b class=\"%s\">%s</b> between run %lld and run %lld: %.4g "
                "to %.4g%s, %+.1f %%</li>\n",
                name, worse ? "worse" : "better", worse ? "worse" : "better",
                (long long)s->run[s->valid[step->at - 1]].id,
                (long long)s->run[s->valid[step->at]].id, exp(step->before), exp(step->after), unit,
                trend_change_percent(step));
    }
    if (course->newest == TREND_SUSPECT)
        fprintf(out,
                "<li>%s of the newest run is <b class=\"worse\">suspect</b>: repeat it three "
                "times</li>\n",
                name);
}

static void print_series(FILE *out, const struct trend_series *s)
{
    fprintf(out, "<p>Series %lld: %zu %s, %zu of them valid%s", (long long)s->number, s->runs,
            s->capacity ? "searches" : "runs", s->valid_runs,
            trend_is_unknown(s) ? ", too few to be judged"
            : trend_is_short(s) ? ", too few for steps"
                                : "");
    if (s->changed != NULL) {
        fputs("; begins with other settings: ", out);
        html_text_print(out, s->changed);
    }
    fputs("</p>\n<ul>\n", out);
    for (int figure = 0; figure < TREND_FIGURES && !trend_is_unknown(s); figure++)
        if (trend_has(s, figure))
            print_course(out, s, figure);
    fputs("</ul>\n", out);
}

static void print_history(FILE *out, const struct trend_series *const *series, size_t count)
{
    fputs("<h2>", out);
    html_text_print(out, series[0]->test);
    if (series[0]->capacity) {
        fputs(", capacity with ", out);
        html_text_print(out, series[0]->slo);
    }
    if (!isnan(series[0]->rate))
        fprintf(out, ", %.15g/s", series[0]->rate);
    fprintf(out, ", %.15g worker%s, on ", series[0]->workers, series[0]->workers == 1 ? "" : "s");
    html_text_print(out, series[0]->host);
    fputs("</h2>\n", out);
    for (size_t i = 0; i < count; i++)
        print_series(out, series[i]);
    for (int figure = 0; figure < TREND_FIGURES; figure++) {
        struct chart chart = {.out = out, .series = series, .count = count, .figure = figure};
        if (trend_has(series[0], figure))
            print_chart(&chart);
    }
}

void trend_print_charts(FILE *out, const struct trend *trend)
{
    bool *drawn = xcalloc(trend->count + 1, sizeof(*drawn));
    const struct trend_series **series = xcalloc(trend->count + 1, sizeof(struct trend_series *));
    fputs(explanation, out);
    for (size_t i = 0; i < trend->count; i++) {
        size_t count = 0;
        for (size_t k = i; k < trend->count; k++)
            if (!drawn[k] && trend_is_one_history(&trend->series[i], &trend->series[k])) {
                series[count++] = &trend->series[k];
                drawn[k] = true;
            }
        if (count > 0)
            print_history(out, series, count);
    }
    if (trend->count == 0)
        fputs("<p>No run.</p>\n", out);
    free(series);
    free(drawn);
}

void trend_print_page(FILE *out, const struct trend *trend)
{
    fprintf(out, "%s%s</style>\n</head>\n<body>\n<h1>History of runs</h1>\n", head,
            trend_chart_style);
    trend_print_charts(out, trend);
    fputs("</body>\n</html>\n", out);
}
