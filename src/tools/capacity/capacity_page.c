/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the page of a search: a chart of the probes over their rates, and a table. Plain SVG
 * without scripts or external files.
 */
#include <math.h>

#include "base/util.h"
#include "tools/capacity/capacity_record.h"
#include "tools/capacity/capacity_text.h"
#include "tools/html_text.h"

/* Size of a chart and of its margins, in SVG user units. */
#define WIDTH 860
#define HEIGHT 380
#define LEFT 92
#define RIGHT 20
#define TOP 15
#define BOTTOM 50
/* Distance from the centre of a diamond to its corners; its area is that of a circle of radius
 * 5. */
#define DIAMOND 6.5
/* Range of shares of the limit in a chart. */
#define SHARE_MIN 0.05
#define SHARE_MAX 10
/* The second chart reaches beyond the confidence interval by at least this factor. */
#define EDGE_SPAN 1.12

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sysrate "
    "capacity</title>\n<style>\n"
    ":root { --back: #fff; --text: #1c2128; --muted: #5b6470; --line: #d8dde3; --good: #0b62b8; "
    "--bad: #d55e00; --level: #6a3fb5; color-scheme: light; }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e4e8ed; "
    "--muted: #9aa5b1;\n"
    "  --line: #333c47; --good: #4f9df5; --bad: #ff8a3d; --level: #c3a6ff; color-scheme: dark; } "
    "}\n"
    "body { margin: 0 auto; padding: 1rem 1.25rem 2rem; max-width: 60rem; background: "
    "var(--back); color: var(--text);\n"
    "  font: 15px/1.45 system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; }\n"
    "h1 { margin: 0; font-size: 1.45rem; overflow-wrap: anywhere; } h2 { margin: 1.4rem 0 0.3rem; "
    "font-size: 1.1rem; }\n"
    "p { margin: 0.3rem 0; } .muted { color: var(--muted); font-size: 0.85rem; }\n";

const char capacity_chart_style[] =
    "svg { width: 100%; min-width: 36rem; height: auto; }\n"
    "svg text { fill: var(--muted); font-size: 13px; } .axis { stroke: var(--line); fill: none; }\n"
    ".limit { stroke: var(--text); stroke-dasharray: 6 4; } .fit { stroke: var(--level); fill: "
    "none; stroke-width: 2; }\n"
    ".interval { fill: var(--level); fill-opacity: 0.16; } .met { fill: var(--good); } .missed { "
    "fill: var(--bad); }\n"
    ".repeated { fill-opacity: 0.3; } .pair { stroke: var(--text); stroke-width: 1.5; }\n"
    "@media print { svg { min-width: 0; } .scroll { overflow: visible; } h2 { break-after: avoid; "
    "} tr { break-inside: avoid; } }\n"
    ".scroll { overflow-x: auto; } .probes { border-collapse: collapse; font-size: 0.85rem; }\n"
    ".probes th, .probes td { padding: 0.2rem 0.7rem 0.2rem 0; border-bottom: 1px solid "
    "var(--line); text-align: right; white-space: nowrap; }\n";

/* Charts. */

struct chart {
    double low, high; /* rates */
    FILE *out;
};

static double place_x(const struct chart *chart, double rate)
{
    double part = log(rate / chart->low) / log(chart->high / chart->low);
    return LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double place_y(double share)
{
    double shown = fmin(fmax(share, SHARE_MIN), SHARE_MAX);
    double part = log(shown / SHARE_MIN) / log(SHARE_MAX / SHARE_MIN);
    return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

/* Largest share of an objective's limit that the figures use: 1 is the edge. */
static double share_of(const struct slo_judgement *j)
{
    double share = 0;
    for (unsigned i = 0; i < j->slo->count; i++)
        share = fmax(share, j->figure[i].known ? j->figure[i].value / j->slo->objective[i].limit
                                               : SHARE_MAX);
    return share;
}

static void print_share_axis(const struct chart *chart)
{
    static const double ticks[] = {0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    for (size_t i = 0; i < ARRAY_SIZE(ticks); i++)
        fprintf(chart->out,
                "<path class=\"%s\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g %%</text>\n",
                ticks[i] == 1 ? "limit" : "axis", LEFT, place_y(ticks[i]), WIDTH - RIGHT, LEFT - 8,
                place_y(ticks[i]) + 4, 100 * ticks[i]);
}

static void print_rate_tick(const struct chart *chart, double rate)
{
    double x = place_x(chart, rate);
    fprintf(chart->out,
            "<path class=\"axis\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">%.15g</text>\n",
            x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, capacity_digits(rate));
}

/* Returns 1, 2 or 5 times a power of ten that is at least `about`. */
static double round_step(double about)
{
    double power = pow(10, floor(log10(about)));
    for (int step = 1; step <= 5; step += step == 1 ? 1 : 3)
        if (step * power >= about)
            return step * power;
    return 10 * power;
}

/* Draws grid lines at powers of ten and, if there is space, at 2 and 5 times these. */
static void print_decades(const struct chart *chart)
{
    bool room = chart->high < 1e4 * chart->low;
    for (double power = pow(10, floor(log10(chart->low))); power <= chart->high; power *= 10)
        for (int step = 1; step <= 5; step += step == 1 ? 1 : 3)
            if ((step == 1 || room) && step * power >= chart->low && step * power <= chart->high)
                print_rate_tick(chart, step * power);
}

static void print_axis_titles(const struct chart *chart)
{
    double middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    fprintf(chart->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">requests/s offered</text>\n"
            "<text x=\"16\" y=\"%.1f\" transform=\"rotate(-90 16 %.1f)\" "
            "text-anchor=\"middle\">share of the limit</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, middle, middle);
}

static void print_rate_axis(const struct chart *chart)
{
    double step = round_step((chart->high - chart->low) / 8);
    if (chart->high > 4 * chart->low)
        print_decades(chart);
    else
        for (double rate = ceil(chart->low / step) * step; rate <= chart->high; rate += step)
            print_rate_tick(chart, rate);
}

/*
 * The fitted line of margins is a curve in this chart: a margin m uses 1 / (1 + m) of the limit.
 * The curve is drawn for margins up to their bounds.
 */
static void print_fit(const struct chart *chart, const struct capacity_record *c)
{
    const int steps = 40;
    fputs("<polyline class=\"fit\" points=\"", chart->out);
    for (int i = 0; i <= steps; i++) {
        double margin = CAPACITY_MARGIN_MAX * (1 - 2.0 * i / steps);
        double rate = c->result.rate * exp(margin / c->slope);
        if (rate >= chart->low && rate <= chart->high)
            fprintf(chart->out, "%.1f %.1f ", place_x(chart, rate), place_y(1 / (1 + margin)));
    }
    fputs("\"/>\n", chart->out);
}

static void print_interval(const struct chart *chart, const struct capacity_result *r)
{
    double from = place_x(chart, fmax(r->low, chart->low));
    double to = place_x(chart, fmin(r->high, chart->high));
    fprintf(chart->out,
            "<rect class=\"interval\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", from,
            TOP, fmax(0, to - from), HEIGHT - TOP - BOTTOM);
}

/* Draws a circle if the objectives were met and a diamond if they were missed. */
static void print_point(const struct chart *chart, const struct capacity_record *c, size_t i)
{
    const struct capacity_run *run = &c->run[i];
    const struct capacity_probe *p = &c->run[i].probe;
    double share = share_of(&run->judgement), x = place_x(chart, p->rate), y = place_y(share);
    const char *name = run->judgement.met ? "met" : "missed";
    fprintf(
        chart->out,
        "<g class=\"point %s%s%s\"><title>probe %zu, %s: %.2f/s, %.0f %% of the limit, %s</title>",
        name, p->counts ? "" : " repeated", p->phase >= CAPACITY_BELOW ? " pair" : "", i + 1,
        capacity_phase_name(p->phase), p->rate, 100 * share, name);
    if (run->judgement.met)
        fprintf(chart->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/></g>\n", x, y);
    else
        fprintf(chart->out, "<path d=\"M%.1f %.1fl%g %gl-%g %gl-%g -%gz\"/></g>\n", x, y - DIAMOND,
                DIAMOND, DIAMOND, DIAMOND, DIAMOND, DIAMOND, DIAMOND);
}

static void print_chart(const struct capacity_record *c, const struct capacity_result *r,
                        const char *title, const struct chart *chart)
{
    fprintf(chart->out, "<h2>%s</h2>\n", title);
    fprintf(
        chart->out,
        "<div class=\"scroll\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s: how much "
        "of the limit each probe used, by its rate; the table of probes has the same "
        "figures\">\n",
        WIDTH, HEIGHT, title);
    print_share_axis(chart);
    print_rate_axis(chart);
    print_axis_titles(chart);
    if (r->outcome == CAPACITY_FOUND) {
        print_interval(chart, r);
        print_fit(chart, c);
    }
    for (size_t i = 0; i < c->runs; i++)
        if (!c->run[i].probe.empty && c->run[i].probe.rate >= chart->low &&
            c->run[i].probe.rate <= chart->high)
            print_point(chart, c, i);
    fputs("</svg></div>\n", chart->out);
}

static void print_charts(const struct capacity_record *c, const struct capacity_result *r,
                         FILE *out)
{
    struct chart all = {INFINITY, 0, out}, edge = {r->low / EDGE_SPAN, r->high * EDGE_SPAN, out};
    for (size_t i = 0; i < c->runs; i++) {
        all.low = fmin(all.low, c->run[i].probe.rate / EDGE_SPAN);
        all.high = fmax(all.high, c->run[i].probe.rate * EDGE_SPAN);
    }
    if (r->outcome == CAPACITY_FOUND)
        print_chart(c, r, "Around the edge", &edge);
    if (c->runs > 0)
        print_chart(c, r, "All probes", &all);
    fputs(
        "<p class=\"muted\">Each point is a probe: how much of the limit it used, 100 % at the "
        "dashed line. Blue circle: met; orange diamond: missed; pale: repeated because the client "
        "was late; with an outline: from a lower or a higher rate. Violet: the line fitted to the "
        "probes around the edge, and the 95 % confidence interval.</p>\n",
        out);
}

/* The table. */

static void print_table_head(const struct capacity_record *c, FILE *out)
{
    fputs("<h2>Probes</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Probes\"><table class=\"probes\"><thead><tr><th>probe</th><th>phase</th>"
          "<th>rate/s</th>",
          out);
    for (unsigned i = 0; i < c->slo->count; i++) {
        fputs("<th>", out);
        html_text_print(out, c->slo->objective[i].text);
        fputs("</th>", out);
    }
    fputs("<th>margin</th><th>result</th><th>seconds</th></tr></thead>\n<tbody>\n", out);
}

static void print_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    html_text_print(out, text);
    fputs("</td>", out);
}

static void print_table_row(const struct capacity_record *c, size_t i, FILE *out)
{
    const struct capacity_run *run = &c->run[i];
    const struct slo_judgement *j = &run->judgement;
    fprintf(out, "<tr><td>%zu</td><td>%s</td><td>%.2f</td>", i + 1,
            capacity_phase_name(run->probe.phase), run->probe.rate);
    for (unsigned k = 0; k < j->slo->count; k++)
        print_cell(out, slo_figure_text(&j->slo->objective[k], &j->figure[k]).text);
    fprintf(out, "<td>%+.1f %%</td><td>%s%s</td><td>%.1f</td></tr>\n", 100 * run->probe.margin,
            run->probe.empty ? "empty"
            : j->met         ? "met"
                             : "missed",
            run->probe.trusted ? "" : ", client late", run->seconds);
}

static void print_table(const struct capacity_record *c, FILE *out)
{
    print_table_head(c, out);
    for (size_t i = 0; i < c->runs; i++)
        print_table_row(c, i, out);
    fputs("</tbody></table></div>\n", out);
}

static void print_result(const struct capacity_record *c, FILE *out)
{
    const struct capacity_result *r = &c->result;
    char bounds[80];
    const double log_rate = c->load.rate;
    if (r->outcome == CAPACITY_FOUND && log_rate > 0) {
        fprintf(out, "<p><b>%.15g times the load of ", capacity_digits(r->rate / log_rate));
        html_text_print(out, c->load.log);
        fprintf(out, "</b>, %.15g statements/s in place of %.15g</p>\n", capacity_digits(r->rate),
                capacity_digits(log_rate));
    }
    if (r->outcome == CAPACITY_FOUND)
        fprintf(out, "<p><b>%.15g requests/s</b>, 95 %% confidence interval %.15g to %.15g</p>\n",
                capacity_digits(r->rate), capacity_digits(r->low), capacity_digits(r->high));
    else
        fprintf(out, "<p>Capacity: %s</p>\n", capacity_bounds(r, bounds, sizeof(bounds)));
    if (c->cut_short != NULL) {
        fputs("<p>The search was cut short: ", out);
        html_text_print(out, c->cut_short);
        fputs("</p>\n", out);
    }
    if (r->outcome == CAPACITY_FOUND && !isnan(r->above))
        fprintf(out, "<p>Margin at that rate from below %+.0f %%, from above %+.0f %%: %s</p>\n",
                100 * r->below, 100 * r->above,
                r->hysteresis ? "hysteresis" : "no more than noise");
}

void capacity_print_charts(const struct capacity_record *c, FILE *out)
{
    fputs("<p class=\"muted\">", out);
    for (unsigned i = 0; i < c->slo->count; i++) {
        fputs(i > 0 ? ", " : "highest arrival rate with ", out);
        html_text_print(out, c->slo->objective[i].text);
    }
    fputs("</p>\n", out);
    print_result(c, out);
    print_charts(c, &c->result, out);
    print_table(c, out);
}

void capacity_print_page(const struct capacity_record *c, FILE *out)
{
    fprintf(out, "%s%s</style>\n</head>\n<body>\n<h1>Capacity of ", head, capacity_chart_style);
    html_text_print(out, c->test);
    if (c->load.rate > 0) {
        fputc(' ', out);
        html_text_print(out, c->load.log);
    }
    fputs("</h1>\n", out);
    capacity_print_charts(c, out);
    fputs("</body>\n</html>\n", out);
}
