/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of an experiment: a chart for each asked figure, with the pairs as dots and the interval
 * as it narrows, the table, and below these the page of a typical pair of blocks, with their heat
 * maps.
 */
#include "tools/ab/ab.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "report/page/html.h"
#include "tools/html_text.h"
#include "tools/out_folder.h"

/* Size of a chart and of its margins, in SVG user units. */
#define WIDTH 560
#define HEIGHT 240
#define LEFT 64
#define RIGHT 16
#define TOP 12
#define BOTTOM 44
#define TICKS 8 /* grid lines, at most */

static const char style[] =
    "<style>\n"
    "#ab { margin: 0 0 1.5rem; } #ab .charts { display: flex; flex-wrap: wrap; gap: 1rem; }\n"
    "#ab figure { margin: 0; flex: 1 1 26rem; max-width: 40rem; overflow-x: auto; }\n"
    "#ab figcaption { font-weight: 600; } #ab svg { width: 100%; min-width: 22rem; height: auto; "
    "}\n"
    "#ab svg text { fill: #6a737d; font-size: 13px; } #ab .axis { stroke: #8884; fill: none; }\n"
    "#ab .zero { stroke: #888; } #ab .asked { stroke: #888; stroke-dasharray: 5 4; fill: none; }\n"
    "#ab .band { fill: #0b62b8; fill-opacity: 0.18; } #ab .mean { stroke: #0b62b8; stroke-width: "
    "2; fill: none; }\n"
    "#ab .ab-order { fill: #0b62b8; } #ab .ba-order { fill: none; stroke: #0b62b8; stroke-width: "
    "2; "
    "}\n"
    "@media screen and (prefers-color-scheme: dark) { #ab svg text { fill: #9aa5b1; }\n"
    "  #ab .band, #ab .ab-order { fill: #4f9df5; } #ab .mean, #ab .ba-order { stroke: #4f9df5; } "
    "}\n"
    "#ab pre { overflow-x: auto; font-size: 0.85rem; }\n"
    "</style>\n";

/* A chart: differences of pairs, from `low` to `high` percent. */
struct chart {
    FILE *out;
    const struct ab_series *series;
    const struct ab_figure *figure;
    double low, high;
};

/* Returns 1, 2 or 5 times a power of ten that is at least `value` > 0. */
static double round_up(double value)
{
    const double power = pow(10, floor(log10(value)));
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
        if (value <= digit * power)
            return digit * power;
    return 10 * power;
}

/* All pairs are in the chart; the interval may reach beyond it while it is wide. */
static void measure(struct chart *c)
{
    const struct ab_effect e = ab_effect_of(c->series, c->figure);
    c->high = fmax(2 * c->figure->precision, 0.1);
    c->low = -c->high;
    for (size_t i = 0; i < c->figure->pairs; i++) {
        c->high = fmax(c->high, ab_figure_difference(c->figure, i));
        c->low = fmin(c->low, ab_figure_difference(c->figure, i));
    }
    const double span = c->high - c->low;
    c->high = fmax(c->high, fmin(e.high, c->high + span / 2));
    c->low = fmin(c->low, fmax(e.low, c->low - span / 2));
}

static double place_x(const struct chart *c, double pair)
{
    return LEFT + pair / ((double)c->figure->pairs + 1) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct chart *c, double percent)
{
    const double within = fmax(c->low, fmin(c->high, percent));
    return TOP + (c->high - within) / (c->high - c->low) * (HEIGHT - TOP - BOTTOM);
}

static void print_line(const struct chart *c, const char *class, double percent)
{
    fprintf(c->out, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", class, LEFT, place_y(c, percent),
            WIDTH - RIGHT);
}

static void print_axes(const struct chart *c)
{
    const double step = round_up((c->high - c->low) / TICKS);
    const size_t every = 1 + (c->figure->pairs - 1) / 12;
    for (int i = (int)ceil(c->low / step); i <= (int)floor(c->high / step); i++) {
        print_line(c, i == 0 ? "axis zero" : "axis", i * step);
        fprintf(c->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%.3g %%</text>\n",
                LEFT - 6, place_y(c, i * step) + 4, i > 0 ? "+" : "", i * step);
    }
    for (size_t i = every; i <= c->figure->pairs; i += every)
        fprintf(c->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu</text>\n",
                place_x(c, (double)i), HEIGHT - BOTTOM + 18, i);
    fprintf(c->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">pairs</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
    print_line(c, "asked", c->figure->precision);
    print_line(c, "asked", -c->figure->precision);
}

/* Draws the interval after each look: the upper ends, then the lower ones backwards. */
static void print_band(const struct chart *c)
{
    const double share = ab_share(c->series);
    const char *letter = "M";
    fputs("<path class=\"band\" d=\"", c->out);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < c->figure->pairs; i++) {
            const size_t pairs = side == 0 ? i + 1 : c->figure->pairs - i;
            const struct ab_effect e = ab_figure_judge(c->figure, pairs, share);
            if (!isfinite(e.low) || !isfinite(e.high))
                continue;
            fprintf(c->out, "%s%.1f %.1f", letter, place_x(c, (double)pairs),
                    place_y(c, side == 0 ? e.high : e.low));
            letter = "L";
        }
    fputs("\"/>\n<path class=\"mean\" d=\"", c->out);
    for (size_t i = 0; i < c->figure->pairs; i++)
        fprintf(c->out, "%s%.1f %.1f", i == 0 ? "M" : "L", place_x(c, (double)i + 1),
                place_y(c, ab_figure_judge(c->figure, i + 1, share).change));
    fputs("\"/>\n", c->out);
}

static void print_dots(const struct chart *c)
{
    size_t used = 0;
    for (size_t i = 0; i < c->series->pairs; i++) {
        const struct ab_pair *pair = &c->series->pair[i];
        if (pair->left_out != NULL)
            continue;
        const double percent = ab_figure_difference(c->figure, used++);
        fprintf(c->out,
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>pair %zu, %s first: "
                "%+.2f %%</title></circle>\n",
                pair->b_first ? "ba-order" : "ab-order", place_x(c, (double)used),
                place_y(c, percent), i + 1, pair->b_first ? "B" : "A", percent);
    }
}

static void print_chart(FILE *out, const struct ab_series *series, const struct ab_figure *figure)
{
    struct chart c = {out, series, figure, 0, 0};
    const struct ab_effect e = ab_effect_of(series, figure);
    char interval[48];
    measure(&c);
    fputs("<figure><figcaption>", out);
    html_text_print(out, figure->name);
    fprintf(out, ": %+.2f %% (%s), %s</figcaption>\n", e.change,
            ab_interval_text(&e, interval, sizeof(interval)), ab_result_name(e.result));
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Difference of each pair, and the "
            "interval as it narrows\">\n",
            WIDTH, HEIGHT);
    print_axes(&c);
    print_band(&c);
    print_dots(&c);
    fputs("</svg></figure>\n", out);
}

/* Charts of the figures that were asked. */
static void print_charts(FILE *out, const struct ab_series *series)
{
    fprintf(out, "<h2>%s</h2>\n<div class=\"charts\">\n",
            series->control ? "Control: A against A" : "A against B");
    for (size_t i = 0; i < series->figures; i++)
        if (series->figure[i].precision > 0)
            print_chart(out, series, &series->figure[i]);
    fputs("</div>\n", out);
}

/* Returns the used pair whose difference of the first asked figure is closest to the change. */
static const struct ab_pair *typical_pair(const struct ab_series *series)
{
    const struct ab_figure *figure = NULL;
    const struct ab_pair *typical = NULL;
    double least = INFINITY;
    size_t used = 0;
    for (size_t i = 0; i < series->figures && figure == NULL; i++)
        if (series->figure[i].precision > 0)
            figure = &series->figure[i];
    for (size_t i = 0; i < series->pairs && figure != NULL; i++) {
        if (series->pair[i].left_out != NULL)
            continue;
        const double distance =
            fabs(ab_figure_difference(figure, used++) - ab_effect_of(series, figure).change);
        if (distance < least) {
            least = distance;
            typical = &series->pair[i];
        }
    }
    return typical;
}

/* Returns the HTML text above the runs; the caller frees it. */
static char *make_top(const struct ab *ab, size_t number)
{
    char *text = NULL, *html = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    ab_print(out, ab);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    out = checked_alloc(open_memstream(&html, &bytes));
    fprintf(out, "%s<section id=\"ab\">\n", style);
    print_charts(out, &ab->main);
    if (ab->control.figures > 0)
        print_charts(out, &ab->control);
    fputs("<p>Dots: the difference of each pair; hollow if B was first. Line and band: their mean, "
          "and the interval of the true change, after each pair. Dashed: the precision that was "
          "asked.</p>\n<details open><summary>Result</summary><pre>",
          out);
    html_text_print(out, text);
    fprintf(out, "</pre></details>\n<h2>Pair %zu, whose difference is typical</h2>\n</section>\n",
            number);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    free(text);
    return html;
}

static int print_page(FILE *out, const struct ab *ab, const struct ab_pair *pair)
{
    struct report_document document[AB_VARIANTS] = {{0}};
    struct html_run run[AB_VARIANTS];
    static const char *const names[] = {"A", "B"};
    int status = 0, loaded = 0;
    for (; loaded < AB_VARIANTS && status == 0; loaded++) {
        status = report_document_load(&document[loaded], pair->block[loaded].path);
        run[loaded] = (struct html_run){names[loaded], &document[loaded]};
    }
    char *top = make_top(ab, (size_t)(pair - ab->main.pair) + 1);
    if (status == 0)
        status = html_print(out, run, AB_VARIANTS, top);
    for (int k = 0; k < loaded; k++)
        report_document_fini(&document[k]);
    free(top);
    return status;
}

int ab_write_page(const struct ab *ab)
{
    const struct ab_pair *pair = typical_pair(&ab->main);
    struct outfile file;
    if (pair == NULL || !html_available())
        return 0;
    if (out_folder_open(&file, ab->folder, "page.html") != 0)
        return -1;
    if (print_page(file.stream, ab, pair) == 0)
        return outfile_commit(&file);
    outfile_abandon(&file);
    return -1;
}
