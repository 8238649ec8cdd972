/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slow routes, for programs and for people: comparisons of runs, and the trend. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/page/html.h"
#include "service/serve/compare_chart.h"
#include "service/serve/filter.h"
#include "service/serve/handlers.h"
#include "service/serve/site.h"
#include "tools/compare/compare_print.h"
#include "tools/compare/compare_settings.h"
#include "tools/trend/trend_print.h"

/* Runs that one side of a comparison may have; they are repetitions with the same settings. */
#define SIDE_RUNS 10

struct side_request {
    int64_t id[SIDE_RUNS];
    size_t count;
    char name[SIDE_RUNS * 21 + 8]; /* for example "run 7" or "runs 1,2,3" */
};

struct judged {
    struct side_request a, b;
    struct compare compare;
    enum compare_result result;
    char *reason; /* why the result is unknown; NULL if it is known */
};

static void name_side(struct side_request *side)
{
    int bytes = snprintf(side->name, sizeof(side->name), side->count > 1 ? "runs" : "run");
    for (size_t i = 0; i < side->count; i++)
        bytes += snprintf(side->name + bytes, sizeof(side->name) - (size_t)bytes, "%s%lld",
                          i > 0 ? "," : " ", (long long)side->id[i]);
}

/* Reads which runs are compared: "?a=1,2&b=3,4" or, as the page of runs sends them, "?run=1&run=3",
 * where the run with the lower number becomes side A. Returns −1 after exchange_fail(). */
static int read_sides(struct judged *j, struct exchange *x)
{
    size_t count = 0;
    int64_t id[2] = {0};
    for (size_t i = 0; i < x->queries; i++)
        if (strcmp(x->query[i].name, "run") == 0 && count++ < 2)
            id[count - 1] = atoll(x->query[i].value);
    if (count == 2 && id[0] > 0 && id[1] > 0) {
        j->a = (struct side_request){.id = {id[0] < id[1] ? id[0] : id[1]}, .count = 1};
        j->b = (struct side_request){.id = {id[0] < id[1] ? id[1] : id[0]}, .count = 1};
    } else if (count > 0) {
        exchange_fail(x, 400, "two runs are compared: name one for side A and one for side B");
    } else {
        j->a.count = filter_read_ids(x, "a", j->a.id, SIDE_RUNS);
        j->b.count = x->error == NULL ? filter_read_ids(x, "b", j->b.id, SIDE_RUNS) : 0;
    }
    name_side(&j->a);
    name_side(&j->b);
    return x->error == NULL ? 0 : -1;
}

static int read_change(struct exchange *x, double *percent)
{
    const char *text = exchange_query(x, "min-change");
    char *end = NULL;
    *percent = text != NULL ? strtod(text, &end) : 2;
    if (text == NULL || (end != text && *end == '\0' && *percent >= 0 && *percent <= 100))
        return 0;
    exchange_fail(x, 400, "min-change: a number of percent from 0 to 100 is needed");
    return -1;
}

static char *load_report(struct exchange *x, int64_t id, size_t *bytes)
{
    const struct archive_filter this = {.id = id};
    if (archive_count(x->archive, &this) == 0)
        exchange_fail(x, 404, "there is no run %lld in this archive", (long long)id);
    return x->error == NULL ? archive_report(x->archive, id, bytes) : NULL;
}

static int load_side(struct exchange *x, struct compare_side *to, const struct side_request *side)
{
    *to = (struct compare_side){.path = side->name};
    for (size_t i = 0; i < side->count; i++) {
        char name[32];
        size_t bytes;
        char *text = load_report(x, side->id[i], &bytes);
        snprintf(name, sizeof(name), "run %lld", (long long)side->id[i]);
        if (text == NULL || compare_side_add(to, name, text, bytes) != 0)
            return -1;
    }
    return 0;
}

static void judge(struct judged *j)
{
    j->compare.max_noise = atof(COMPARE_MAX_NOISE);
    compare_figures(&j->compare);
    j->result = compare_judge(&j->compare);
    j->reason = compare_explain(&j->compare);
}

/* Compares the runs that the request names. Returns −1 after exchange_fail(). The caller calls
 * judged_fini() in either case. */
static int judge_request(struct judged *j, struct exchange *x)
{
    *j = (struct judged){0};
    if (read_sides(j, x) != 0 || read_change(x, &j->compare.min_change) != 0)
        return -1;
    log_capture();
    if (load_side(x, &j->compare.a, &j->a) == 0 && load_side(x, &j->compare.b, &j->b) == 0)
        judge(j);
    else
        exchange_fail_heard(x, 422);
    free(log_captured());
    return x->error == NULL ? 0 : -1;
}

static void judged_fini(struct judged *j)
{
    compare_side_fini(&j->compare.a);
    compare_side_fini(&j->compare.b);
    free(j->compare.comparison);
    free(j->reason);
}

void api_compare(struct exchange *x)
{
    struct judged j;
    if (judge_request(&j, x) == 0)
        compare_print_json(x->out, &j.compare, j.result, j.reason);
    judged_fini(&j);
}

/* The page of a comparison. */

/* Writes the names of all findings of a run; `findings` is NULL if the run was not judged. */
static void print_findings(struct exchange *x, const json_t *findings)
{
    size_t i;
    const json_t *name;
    if (findings == NULL)
        site_text(x->out, "not judged");
    else if (json_array_size(findings) == 0)
        site_text(x->out, "VALID");
    json_array_foreach(findings, i, name)
    {
        fputs(i > 0 ? ", " : "", x->out);
        site_text(x->out, json_string_value(name));
    }
}

/* Writes the runs of a side, each with its verdict. */
static void print_side(struct exchange *x, const char *letter, const struct side_request *side,
                       const struct compare_side *runs)
{
    const json_t *test = json_object_get(runs->run[0].document.head, "test");
    fprintf(x->out, "<p><b>%s</b>: ", letter);
    site_text(x->out, json_is_string(test) ? json_string_value(test) : "-");
    for (size_t i = 0; i < side->count; i++) {
        const json_t *findings = runs->run[i].findings;
        const bool valid = findings != NULL && json_array_size(findings) == 0;
        fprintf(x->out, "%s <a href=\"/runs/%lld\">run %lld</a> <span class=\"%s\">",
                i > 0 ? "," : ";", (long long)side->id[i], (long long)side->id[i],
                valid ? "good" : "bad");
        print_findings(x, findings);
        fputs("</span>", x->out);
    }
    fputs("</p>\n", x->out);
}

static void print_cell(FILE *out, const char *format, double value)
{
    fputs("<td>", out);
    if (isfinite(value))
        fprintf(out, format, value);
    else
        fputs("-", out);
    fputs("</td>", out);
}

static void print_interval(FILE *out, const struct comparison *c)
{
    double low = compare_low_percent(c), high = compare_high_percent(c);
    if (isfinite(low) && isfinite(high))
        fprintf(out, "<td>%+.2f to %+.2f %%</td>", low, high);
    else
        fputs("<td>-</td>", out);
}

static void print_figure(FILE *out, const struct comparison *c)
{
    fputs("<tr><th scope=\"row\">", out);
    site_text(out, c->name);
    fprintf(out, " (%s)</th>", c->unit);
    print_cell(out, c->a_is_bound ? "&gt;%.2f" : "%.2f", c->a);
    print_cell(out, c->b_is_bound ? "&gt;%.2f" : "%.2f", c->b);
    print_cell(out, "%+.2f %%", compare_change_percent(c));
    print_interval(out, c);
    const char *result = compare_result_name(c->result), *reason = compare_reason(c);
    fprintf(out, "<td class=\"%s\">%s%s%s</td></tr>\n", result, result, reason != NULL ? ": " : "",
            reason != NULL ? reason : "");
}

static void print_figures(FILE *out, const struct compare *c)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Figures\">"
          "<table class=\"figures\">\n<thead><tr><th scope=\"col\">figure</th><th scope=\"col\">A"
          "</th><th scope=\"col\">B</th><th scope=\"col\">B - A</th><th scope=\"col\">interval</th>"
          "<th scope=\"col\">result</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < c->count; i++)
        print_figure(out, &c->comparison[i]);
    fputs("</tbody></table></div>\n", out);
}

static void print_settings(FILE *out, const struct compare *c)
{
    const char *name;
    json_t *pair, *all = compare_settings_differences(&c->a.run[0], &c->b.run[0]);
    fputs("<h2>Settings that differ</h2>\n", out);
    if (json_object_size(all) == 0)
        fputs("<p>None.</p>\n", out);
    else
        fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Settings\"><table>"
              "<thead><tr><th scope=\"col\">setting</th><th scope=\"col\">A</th><th "
              "scope=\"col\">B</th></tr></thead>\n<tbody>\n",
              out);
    json_object_foreach(all, name, pair)
    {
        fputs("<tr><th scope=\"row\">", out);
        site_text(out, name);
        fputs("</th><td>", out);
        site_text(out, json_string_value(json_array_get(pair, 0)));
        fputs("</td><td>", out);
        site_text(out, json_string_value(json_array_get(pair, 1)));
        fputs("</td></tr>\n", out);
    }
    fputs(json_object_size(all) > 0 ? "</tbody></table></div>\n" : "", out);
    json_decref(all);
}

static void print_ids(FILE *out, const struct side_request *side)
{
    for (size_t i = 0; i < side->count; i++)
        fprintf(out, "%s%lld", i > 0 ? "," : "", (long long)side->id[i]);
}

static void print_verdict(struct exchange *x, const struct judged *j)
{
    fprintf(x->out, "<p class=\"verdict %s\">Verdict: <b>%s</b>", compare_result_name(j->result),
            compare_result_name(j->result));
    if (j->reason != NULL) {
        fputs(" (", x->out);
        site_text(x->out, j->reason);
        fputs(")", x->out);
    }
    fputs("</p>\n", x->out);
    if (!html_available())
        return;
    fputs("<p><a href=\"/compare/page?a=", x->out);
    print_ids(x->out, &j->a);
    fputs("&amp;b=", x->out);
    print_ids(x->out, &j->b);
    fputs("\">Charts of both</a></p>\n", x->out);
}

void page_compare(struct exchange *x)
{
    struct judged j;
    if (judge_request(&j, x) == 0) {
        site_begin(x, "Comparison", "/compare", compare_chart_style);
        print_side(x, "A", &j.a, &j.compare.a);
        print_side(x, "B", &j.b, &j.compare.b);
        print_verdict(x, &j);
        compare_chart_print(x->out, &j.compare);
        print_figures(x->out, &j.compare);
        print_settings(x->out, &j.compare);
        fprintf(x->out,
                "<p class=\"muted\">Interval: where the true change is. In %g %% of comparisons, "
                "chance makes one of these wrong. Different: the interval excludes 0, and the "
                "change exceeds %g %%. Same: not so, and the interval reaches at most %g %% from "
                "the change.</p>\n",
                100 * COMPARE_CHANCE, j.compare.min_change, j.compare.max_noise);
        site_end(x);
    }
    judged_fini(&j);
}

/* The page of `sysrate report` with the charts of both sides drawn over each other. */

static int add_run(struct exchange *x, int64_t id)
{
    struct report_document document;
    char name[32];
    size_t bytes;
    char *text = load_report(x, id, &bytes);
    snprintf(name, sizeof(name), "run %lld", (long long)id);
    if (text == NULL || report_document_parse(&document, name, text, bytes) != 0)
        return -1;
    const int status = html_add_run(x->out, &(struct html_run){name, &document});
    report_document_fini(&document);
    return status;
}

/* Only one report at a time is in memory. */
static int add_runs(struct exchange *x, const struct side_request *side)
{
    int status = 0;
    for (size_t i = 0; i < side->count && status == 0; i++)
        status = add_run(x, side->id[i]);
    return status;
}

void page_overlay(struct exchange *x)
{
    struct judged j = {0};
    if (read_sides(&j, x) != 0)
        return;
    log_capture();
    char *places = site_places(x->service);
    if (html_begin(x->out, places) != 0 || add_runs(x, &j.a) != 0 || add_runs(x, &j.b) != 0)
        exchange_fail_heard(x, html_available() ? 422 : 501);
    free(log_captured());
    html_end(x->out);
    free(places);
    x->type = "text/html; charset=utf-8";
    x->policy = x->service->report_policy;
}

/* The trend. */

/* Returns −1 after exchange_fail(). The caller calls trend_fini() in either case. */
static int load_trend(struct trend *trend, struct exchange *x)
{
    struct filter filter;
    *trend = (struct trend){0};
    if (filter_read(&filter, x) != 0)
        return -1;
    struct archive_filter *f = &filter.archive;
    f->limit = f->skip = 0;
    f->verdict = f->kind = NULL;
    /* trend_judge() stores its result in the archive only if all runs of the test were loaded. */
    const bool whole = f->since == NULL && f->until == NULL && f->labels == 0;
    log_capture();
    if (trend_load(trend, x->archive, f) != 0)
        exchange_fail_heard(x, 500);
    else
        trend_judge(trend, whole ? x->archive : NULL);
    free(log_captured());
    return x->error == NULL ? 0 : -1;
}

void api_trend(struct exchange *x)
{
    struct trend trend;
    if (load_trend(&trend, x) == 0)
        trend_print_json(x->out, &trend);
    trend_fini(&trend);
}

void page_trend(struct exchange *x)
{
    struct trend trend;
    if (load_trend(&trend, x) == 0) {
        site_begin(x, "History of runs", "/trend", trend_chart_style);
        site_filter_form(x, "/trend", false);
        trend_print_charts(x->out, &trend, "/runs/");
        site_end(x);
    }
    trend_fini(&trend);
}
