/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the history of runs: a chart for each figure of each history. A history consists of all
 * series of one test, machine, rate and number of workers. Plain SVG without scripts.
 */

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "tools/html_text.h"
#include "tools/trend/trend_print.h"

/* Size of a chart and of its margins, in SVG user units. */
#define WIDTH 900
#define HEIGHT 270
#define LEFT 70
#define RIGHT 20
#define TOP 15
#define BOTTOM 50

#define DATES 7 /* the largest number of dates on the axis */
#define TICKS_MAX 12
#define TICKS_FEW 3 /* an axis has at least this many ticks, if possible */

/* Parts of an ISO 8601 time. The text comes from a report and may be anything. */
#define DATE 10
#define TIME 19

const char trend_chart_style[] =
    "h3 { margin: 0.8rem 0 0.2rem; font-size: 1rem; } h3 small { color: var(--muted); font-weight: "
    "400; }\n"
    ".scroll { overflow-x: auto; } svg { width: 100%; min-width: 36rem; height: auto; }\n"
    "svg text { fill: var(--muted); font-size: 13px; } .axis { stroke: var(--line); fill: none; }\n"
    ".run { fill: var(--text); stroke: var(--text); } .hollow { fill: var(--back); stroke: "
    "var(--muted); }\n"
    "svg a:hover circle, svg a:focus circle { stroke: var(--link); stroke-width: 4; }\n"
    ".level { stroke: var(--level); stroke-width: 2.5; fill: none; } .worse { stroke: var(--bad); "
    "stroke-width: 2; }\n"
    ".better { stroke: var(--good); stroke-width: 2; stroke-dasharray: 2 3; } .break { stroke: "
    "var(--muted); stroke-dasharray: 8 5; }\n"
    "b.worse { color: var(--bad); } @media print { svg { min-width: 0; } figure { break-inside: "
    "avoid; } }\n"
    "figure { margin: 0; }\n";

static const char explanation[] =
    "<p class=\"muted\">Each point is a run%s, ordered by start. Hollow: not VALID, takes no part. "
    "Violet: the level between steps. Solid orange line: a step to the "
    "worse; dotted blue: to the better; dashed grey: other settings from here on. A capacity has "
    "its interval of 95 %% as a thin line.</p>\n";

/* A chart: one figure of several series, next to each other. */
struct chart {
    FILE *out;
    const char *address;
    const struct trend_series *const *series;
    size_t count, runs;
    enum trend_figure figure;
    double low, high; /* values */
};

static void print_part(FILE *out, const char *text, size_t from, size_t to)
{
    size_t length = strlen(text);
    char *part = checked_alloc(strndup(text + (from < length ? from : length), to - from));
    html_text_print(out, part);
    free(part);
}

/* Prints "2026-01-31 23:59:59". */
static void print_time(FILE *out, const char *started)
{
    print_part(out, started, 0, DATE);
    if (strlen(started) > DATE) {
        fputs(" ", out);
        print_part(out, started, DATE + 1, TIME);
    }
}

/* Begins and ends a link to a run, if there is an `address`. */
static void begin_link(FILE *out, const char *address, const struct trend_run *run)
{
    if (address != NULL)
        fprintf(out, "<a href=\"%s%lld\">", address, (long long)run->id);
}

static void end_link(FILE *out, const char *address)
{
    if (address != NULL)
        fputs("</a>", out);
}

static void print_run(FILE *out, const char *address, const struct trend_run *run)
{
    begin_link(out, address, run);
    fprintf(out, "run %lld", (long long)run->id);
    end_link(out, address);
}

/* Prints a JSON object of labels as "NAME=VALUE, NAME=VALUE". */
static void print_labels(FILE *out, const char *labels)
{
    const char *name, *before = ", ";
    json_t *value, *all = json_loads(labels, 0, NULL);
    json_object_foreach(all, name, value)
    {
        fputs(before, out);
        html_text_print(out, name);
        fputs("=", out);
        html_text_print(out, json_is_string(value) ? json_string_value(value) : "");
    }
    json_decref(all);
}

/* Places in the chart. */

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

/* Round ticks of the logarithmic axis. */

struct ticks {
    double value[TICKS_MAX];
    size_t count; /* may exceed TICKS_MAX, if there were too many */
};

static void add_tick(struct ticks *t, const struct chart *c, double value)
{
    if (value < c->low * (1 - 1e-9) || value > c->high * (1 + 1e-9))
        return;
    if (t->count < TICKS_MAX)
        t->value[t->count] = value;
    t->count++;
}

/* The values 1, 2, 5 and so on in `digits`, times all powers of ten. */
static struct ticks decade_ticks(const struct chart *c, const char *digits)
{
    struct ticks t = {.count = 0};
    const int last = (int)floor(log10(c->high));
    for (int power = (int)floor(log10(c->low)); power <= last; power++)
        for (const char *digit = digits; *digit != '\0'; digit++)
            add_tick(&t, c, (*digit - '0') * pow(10, power));
    return t;
}

/* The multiples of a round step. Used if the axis spans less than a power of ten. */
static struct ticks even_ticks(const struct chart *c)
{
    struct ticks t = {.count = 0};
    const double rough = (c->high - c->low) / 4, power = pow(10, floor(log10(rough)));
    const double part = rough / power;
    const double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    for (double k = ceil(c->low / step - 1e-9); k * step <= c->high; k++)
        add_tick(&t, c, k * step);
    return t;
}

static struct ticks choose_ticks(const struct chart *c)
{
    if (c->high / c->low > 100) {
        struct ticks sparse = decade_ticks(c, c->high / c->low > 1e5 ? "1" : "125");
        if (sparse.count >= TICKS_FEW && sparse.count <= TICKS_MAX)
            return sparse;
        return decade_ticks(c, "1");
    }
    struct ticks usual = decade_ticks(c, "125");
    return usual.count >= TICKS_FEW ? usual : even_ticks(c);
}

static void print_value_axis(const struct chart *c)
{
    const struct ticks t = choose_ticks(c);
    for (size_t i = 0; i < t.count && i < TICKS_MAX; i++) {
        double y = place_y(c, t.value[i]);
        fprintf(c->out,
                "<path class=\"axis\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.10g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, t.value[i]);
    }
}

/* The axis of runs. */

static const struct trend_run *run_at(const struct chart *c, size_t at)
{
    size_t i = 0;
    for (; at >= c->series[i]->runs; i++)
        at -= c->series[i]->runs;
    return &c->series[i]->run[at];
}

/* Prints a date at up to DATES runs, or the time of day if all runs are of one day. */
static void print_dates(const struct chart *c)
{
    const char *first = run_at(c, 0)->started, *last = run_at(c, c->runs - 1)->started;
    const bool one_day = strncmp(first, last, DATE) == 0;
    const size_t from = one_day ? DATE + 1 : 0, to = one_day ? 16 : DATE;
    const size_t dates = c->runs < DATES ? c->runs : DATES;
    const char *before = NULL;
    for (size_t i = 0; i < dates; i++) {
        size_t at = dates > 1 ? i * (c->runs - 1) / (dates - 1) : 0;
        const char *started = run_at(c, at)->started;
        if (before != NULL && strncmp(before, started, to) == 0)
            continue;
        before = started;
        double x = place_x(c, (double)at);
        fprintf(c->out,
                "<path class=\"axis\" d=\"M%.1f %dv5\"/><text class=\"date\" x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"%s\">",
                x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18,
                x < LEFT + 40            ? "start"
                : x > WIDTH - RIGHT - 40 ? "end"
                                         : "middle");
        print_part(c->out, started, from, to);
        fputs("</text>\n", c->out);
    }
    fprintf(c->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s in the order of their start, UTC",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, c->series[0]->capacity ? "searches" : "runs");
    if (one_day) {
        fputs(", on ", c->out);
        print_part(c->out, first, 0, DATE);
    }
    fputs("</text>\n", c->out);
}

/* Points and lines. */

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
    begin_link(c->out, c->address, run);
    fprintf(c->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>run %lld, ",
            run->valid ? "run" : "hollow", place_x(c, (double)at), place_y(c, value),
            (long long)run->id);
    print_time(c->out, run->started);
    fprintf(c->out, " UTC: %.4g%s, ", value, trend_figure_unit(c->figure));
    html_text_print(c->out, run->verdict);
    print_labels(c->out, run->labels);
    fputs("</title></circle>", c->out);
    end_link(c->out, c->address);
    fputs("\n", c->out);
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
    const char *unit = trend_figure_unit(c->figure);
    size_t at = 0;
    set_range(c);
    if (!(c->high > 0))
        return;
    fprintf(c->out,
            "<figure><h3>%s <small>%s, logarithmic axis</small></h3>\n<div class=\"scroll\"><svg "
            "viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"%s of %zu runs by their start\">\n",
            trend_figure_name(c->figure), unit + strspn(unit, " "), WIDTH, HEIGHT,
            trend_figure_name(c->figure), c->runs);
    print_value_axis(c);
    print_dates(c);
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

/* Texts of a history. */

static void print_course(FILE *out, const char *address, const struct trend_series *s,
                         enum trend_figure figure)
{
    const struct trend_course *course = &s->course[figure];
    for (size_t i = 0; i < course->steps; i++) {
        const struct change_point *step = &course->step[i];
        bool worse = trend_is_worse(figure, step);
        fprintf(out, "<li>%s: a step to the <b class=\"%s\">%s</b> between ",
                trend_figure_name(figure), worse ? "worse" : "better", worse ? "worse" : "better");
        print_run(out, address, &s->run[s->valid[step->at - 1]]);
        fputs(" and ", out);
        print_run(out, address, &s->run[s->valid[step->at]]);
        fprintf(out, ": %.4g to %.4g%s, %+.1f %%</li>\n", exp(step->before), exp(step->after),
                trend_figure_unit(figure), trend_change_percent(step));
    }
}

static void print_series(FILE *out, const char *address, const struct trend_series *s)
{
    static const char *const words[][2] = {{"run", "runs"}, {"search", "searches"}};
    const char *what = words[s->capacity][s->runs != 1];
    fprintf(out, "<p>Series %lld: %zu %s, %zu of them valid%s", (long long)s->number, s->runs, what,
            s->valid_runs,
            trend_is_unknown(s) ? ", too few to be judged"
            : trend_is_short(s) ? ", too few for steps"
                                : "");
    if (s->changed != NULL) {
        fputs("; begins with other settings: ", out);
        html_text_print(out, s->changed);
    }
    fputs("</p>\n<ul>\n", out);
    for (int figure = 0; figure < TREND_FIGURES && trend_is_judged(s); figure++)
        if (trend_has(s, figure))
            print_course(out, address, s, figure);
    fputs("</ul>\n", out);
}

/* Prints what the judgement says about a figure of the newest run, if it says anything. */
static void print_newest_figure(FILE *out, const struct trend_series *s, enum trend_figure figure)
{
    if (!trend_has(s, figure) || s->course[figure].newest == TREND_UNKNOWN)
        return;
    fprintf(out, "; %s ", trend_figure_name(figure));
    if (s->course[figure].newest == TREND_SUSPECT)
        fputs("is <b class=\"worse\">suspect</b>: repeat the run three times", out);
    else if (s->course[figure].newest == TREND_WIDE)
        fputs("cannot be judged, because the runs before scatter too much", out);
    else
        fputs("as expected", out);
}

/* Prints the newest run of a history with its verdict and the judgement on its figures. */
static void print_newest(FILE *out, const char *address, const struct trend_series *s)
{
    const struct trend_run *run = &s->run[s->runs - 1];
    fputs("<p class=\"newest\">Newest: ", out);
    print_run(out, address, run);
    fputs(", ", out);
    print_time(out, run->started);
    fprintf(out, " UTC, <span class=\"%s\">", run->valid ? "good" : "bad");
    html_text_print(out, run->verdict);
    fputs("</span>", out);
    print_labels(out, run->labels);
    for (int figure = 0; figure < TREND_FIGURES && run->valid && !trend_is_unknown(s); figure++)
        print_newest_figure(out, s, figure);
    fputs("</p>\n", out);
}

static void print_heading(FILE *out, const struct trend_series *s)
{
    fputs("<h2>", out);
    html_text_print(out, s->test);
    if (s->capacity) {
        fputs(", capacity with ", out);
        html_text_print(out, s->slo);
    }
    if (!isnan(s->rate))
        fprintf(out, ", %.15g/s", s->rate);
    fprintf(out, ", %.15g worker%s, on ", s->workers, s->workers == 1 ? "" : "s");
    html_text_print(out, s->host);
    fputs("</h2>\n", out);
}

static void print_history(FILE *out, const char *address, const struct trend_series *const *series,
                          size_t count)
{
    print_heading(out, series[0]);
    print_newest(out, address, series[count - 1]);
    for (size_t i = 0; i < count; i++)
        print_series(out, address, series[i]);
    for (int figure = 0; figure < TREND_FIGURES; figure++) {
        struct chart chart = {
            .out = out, .address = address, .series = series, .count = count, .figure = figure};
        if (trend_has(series[0], figure))
            print_chart(&chart);
    }
}

void trend_print_charts(FILE *out, const struct trend *trend, const char *address)
{
    bool *drawn = xcalloc(trend->count + 1, sizeof(*drawn));
    const struct trend_series **series = xcalloc(trend->count + 1, sizeof(struct trend_series *));
    fprintf(out, explanation, address != NULL ? " and a link to its page" : "");
    for (size_t i = 0; i < trend->count; i++) {
        size_t count = 0;
        for (size_t k = i; k < trend->count; k++)
            if (!drawn[k] && trend_is_one_history(&trend->series[i], &trend->series[k])) {
                series[count++] = &trend->series[k];
                drawn[k] = true;
            }
        if (count > 0)
            print_history(out, address, series, count);
    }
    if (trend->count == 0)
        fputs("<p>No run.</p>\n", out);
    free(series);
    free(drawn);
}
