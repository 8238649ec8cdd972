/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/compare_chart.h"

#include <math.h>

#include "base/util.h"
#include "tools/compare/compare_print.h"
#include "tools/html_text.h"

/* Sizes in SVG user units. */
#define WIDTH 480
#define LEFT 100
#define RIGHT 36
#define ROW 26
#define TOP 8
#define BOTTOM 42

/* Larger changes and noise are drawn up to the edge of the chart. */
#define MOST_PERCENT 200

const char compare_chart_style[] =
    ".scroll svg { display: block; width: 100%; max-width: 36rem; min-width: 20rem; height: auto; "
    "margin: 0.6rem 0; }\n"
    "svg text { fill: var(--text); font-size: 13px; } svg .tick { fill: var(--muted); }\n"
    "svg .axis { stroke: var(--line); fill: none; } svg .zero { stroke: var(--muted); }\n"
    "svg .small { fill: var(--line); opacity: 0.5; } svg .noise { stroke-width: 3; fill: none; }\n"
    "svg .same { stroke: var(--good); fill: var(--good); } svg .different { stroke: var(--bad); "
    "fill: var(--bad); }\n"
    "svg .unknown { stroke: var(--muted); fill: var(--muted); }\n";

struct chart {
    FILE *out;
    double most; /* the chart shows changes from -most to most, in percent */
    size_t rows;
};

/* Returns true if the figure is drawn. A figure that is 0 on both sides says nothing. */
static bool is_drawn(const struct comparison *c)
{
    return c->result != COMPARE_LEFT_OUT && isfinite(compare_change_percent(c)) &&
           (c->a > 0 || c->b > 0);
}

/* Returns a round number of at least `value`: 1, 2 or 5 times a power of ten. */
static double round_up(double value)
{
    static const double digits[] = {1, 2, 5};
    const double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < ARRAY_SIZE(digits); i++)
        if (value <= digits[i] * power)
            return digits[i] * power;
    return 10 * power;
}

static struct chart measure(FILE *out, const struct compare *c)
{
    struct chart chart = {.out = out, .most = fmax(1, 2 * c->min_change)};
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison *one = &c->comparison[i];
        if (!is_drawn(one))
            continue;
        chart.rows++;
        chart.most = fmax(chart.most, fabs(compare_change_percent(one)));
        if (compare_is_known(one))
            chart.most = fmax(
                chart.most, fmax(fabs(compare_low_percent(one)), fabs(compare_high_percent(one))));
    }
    chart.most = fmin(round_up(chart.most), MOST_PERCENT);
    return chart;
}

static double place(const struct chart *chart, double percent)
{
    double within = fmax(-chart->most, fmin(chart->most, percent));
    return LEFT + (within + chart->most) / (2 * chart->most) * (WIDTH - LEFT - RIGHT);
}

static void print_axis(const struct chart *chart, double min_change)
{
    const double bottom = TOP + (double)chart->rows * ROW;
    const double from = place(chart, -min_change), to = place(chart, min_change);
    fprintf(chart->out,
            "<rect class=\"small\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>\n", from,
            TOP, to - from, bottom - TOP);
    for (int i = -2; i <= 2; i++) {
        double percent = chart->most * i / 2, x = place(chart, percent);
        fprintf(chart->out,
                "<path class=\"%s\" d=\"M%.1f %dV%.1f\"/><text class=\"tick\" x=\"%.1f\" "
                "y=\"%.1f\" text-anchor=\"middle\">%s%.3g %%</text>\n",
                i == 0 ? "axis zero" : "axis", x, TOP, bottom, x, bottom + 16, i > 0 ? "+" : "",
                percent);
    }
    fprintf(chart->out,
            "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">change from A to B, "
            "and its noise</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, bottom + 34);
}

static void print_row(const struct chart *chart, const struct comparison *c, size_t row)
{
    const double y = TOP + ((double)row + 0.5) * ROW, change = compare_change_percent(c);
    const char *result = compare_result_name(c->result);
    fprintf(chart->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 12, y + 4);
    html_text_print(chart->out, c->name);
    fputs("</text>", chart->out);
    if (compare_is_known(c))
        fprintf(chart->out, "<path class=\"noise %s\" d=\"M%.1f %.1fH%.1f\"/>", result,
                place(chart, compare_low_percent(c)), y, place(chart, compare_high_percent(c)));
    fprintf(chart->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>", result,
            place(chart, change), y);
    html_text_print(chart->out, c->name);
    fprintf(chart->out, ": %+.2f %%, %s</title></circle>\n", change, result);
}

void compare_chart_print(FILE *out, const struct compare *c)
{
    const struct chart chart = measure(out, c);
    size_t row = 0;
    if (chart.rows == 0)
        return;
    fprintf(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Chart\"><svg "
        "viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"Change of each figure in percent, with "
        "its noise; the table below has the numbers\">\n",
        WIDTH, TOP + chart.rows * ROW + BOTTOM);
    print_axis(&chart, c->min_change);
    for (size_t i = 0; i < c->count; i++)
        if (is_drawn(&c->comparison[i]))
            print_row(&chart, &c->comparison[i], row++);
    fputs("</svg></div>\n", out);
}
