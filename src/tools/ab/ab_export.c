/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of an experiment in the formats of other programs (docs/formats.md). Histories of
 * benchmarks get B's figures in percent of A's, so 100 is no difference.
 */
#include "tools/ab/ab.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json_value.h"

/* The newest pair that is used; the labels and the time of the result are those of its block B. */
static const struct ab_pair *last_used(const struct ab_series *series)
{
    const struct ab_pair *last = NULL;
    for (size_t i = 0; i < series->pairs; i++)
        if (series->pair[i].left_out == NULL)
            last = &series->pair[i];
    return last;
}

static bool is_throughput(const struct ab_figure *figure)
{
    return strcmp(figure->name, "throughput") == 0;
}

/* Figures in percent, such as errors, have no quotient. */
static bool is_exported(const struct ab_figure *figure)
{
    return figure->precision > 0 && figure->is_ratio;
}

static double percent_of_a(double change)
{
    return 100 + change;
}

static char *experiment_name(const struct ab *ab)
{
    char *name;
    return checked_alloc(asprintf(&name, "%s, B against A", ab->subject.cmdline.test) < 0 ? NULL
                                                                                          : name);
}

/* JSON. */

static json_t *value_nyrkio(const struct ab *ab, const struct compare_run *run)
{
    json_t *all = value_array(), *value = value_object(), *metrics = value_array();
    for (size_t i = 0; i < ab->main.figures; i++) {
        const struct ab_figure *figure = &ab->main.figure[i];
        json_t *metric;
        if (!is_exported(figure))
            continue;
        metric = value_object();
        value_set(metric, "name", value_text(figure->name));
        value_set(metric, "unit", value_text("% of A"));
        value_set(metric, "value",
                  value_real(percent_of_a(ab_effect_of(&ab->main, figure).change)));
        value_set(metric, "direction",
                  value_text(is_throughput(figure) ? "higher_is_better" : "lower_is_better"));
        value_append(metrics, metric);
    }
    value_set(value, "timestamp", json_integer(report_export_seconds(run->started)));
    value_set(value, "metrics", metrics);
    value_set(value, "attributes", report_export_attributes(&run->document));
    value_append(all, value);
    return all;
}

static void set_measure(json_t *measures, const struct ab_figure *figure, const struct ab_effect *e)
{
    json_t *measure = value_object();
    char *name;
    if (asprintf(&name, "%s, %% of A", figure->name) < 0)
        checked_alloc(NULL);
    value_set(measure, "value", value_real(percent_of_a(e->change)));
    if (isfinite(e->low) && isfinite(e->high)) {
        value_set(measure, "lower_value", value_real(percent_of_a(e->low)));
        value_set(measure, "upper_value", value_real(percent_of_a(e->high)));
    }
    value_set(measures, name, measure);
    free(name);
}

static json_t *value_bencher(const struct ab *ab, const char *name)
{
    json_t *all = value_object(), *measures = value_object();
    for (size_t i = 0; i < ab->main.figures; i++) {
        const struct ab_effect e = ab_effect_of(&ab->main, &ab->main.figure[i]);
        if (is_exported(&ab->main.figure[i]))
            set_measure(measures, &ab->main.figure[i], &e);
    }
    value_set(all, name, measures);
    return all;
}

static void add_github_action(json_t *all, const struct ab_series *series,
                              const struct ab_figure *figure, const char *name)
{
    const struct ab_effect e = ab_effect_of(series, figure);
    json_t *value = value_object();
    char *full, range[64];
    if (asprintf(&full, "%s: %s", name, figure->name) < 0)
        checked_alloc(NULL);
    snprintf(range, sizeof(range), "%.2f to %.2f", percent_of_a(e.low), percent_of_a(e.high));
    value_set(value, "name", value_text(full));
    value_set(value, "unit", value_text("% of A"));
    value_set(value, "value", value_real(percent_of_a(e.change)));
    if (isfinite(e.low) && isfinite(e.high))
        value_set(value, "range", value_text(range));
    value_set(value, "extra", value_text(ab_result_name(e.result)));
    value_append(all, value);
    free(full);
}

/* Smaller is better in this format, therefore without the throughput. */
static json_t *value_github_action(const struct ab *ab, const char *name)
{
    json_t *all = value_array();
    for (size_t i = 0; i < ab->main.figures; i++)
        if (is_exported(&ab->main.figure[i]) && !is_throughput(&ab->main.figure[i]))
            add_github_action(all, &ab->main, &ab->main.figure[i], name);
    return all;
}

static void print_json(FILE *out, const struct ab *ab, const struct compare_run *run,
                       const char *name)
{
    json_t *value = ab->format == EXPORT_NYRKIO    ? value_nyrkio(ab, run)
                    : ab->format == EXPORT_BENCHER ? value_bencher(ab, name)
                                                   : value_github_action(ab, name);
    json_dumpf(value, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputs("\n", out);
    json_decref(value);
}

/* CSV for Apache Otava. */

static void print_otava(FILE *out, const struct ab *ab, const struct compare_run *run)
{
    fputs("time,test,branch,commit", out);
    for (size_t i = 0; i < ab->main.figures; i++)
        if (is_exported(&ab->main.figure[i]))
            fprintf(out, ",%s", ab->main.figure[i].name);
    fprintf(out, "\n%.19s+00:00,", run->started);
    report_export_csv_text(out, ab->subject.cmdline.test);
    putc(',', out);
    report_export_csv_text(out, report_export_label(&run->document, "branch"));
    putc(',', out);
    report_export_csv_text(out, report_export_label(&run->document, "commit"));
    for (size_t i = 0; i < ab->main.figures; i++)
        if (is_exported(&ab->main.figure[i]))
            fprintf(out, ",%.15g",
                    percent_of_a(ab_effect_of(&ab->main, &ab->main.figure[i]).change));
    fputs("\n", out);
}

/* JUnit: a test case for each asked figure. A figure that is worse is a failure, one that is
 * undecided a skipped test. */

static void print_case(FILE *out, const struct ab_series *series, const struct ab_figure *figure,
                       const char *suite)
{
    static const char *const elements[] = {[AB_UNDECIDED] = "skipped",
                                           [AB_SAME] = "system-out",
                                           [AB_WORSE] = "failure",
                                           [AB_BETTER] = "system-out"};
    const struct ab_effect e = ab_effect_of(series, figure);
    const bool passed = e.result == AB_SAME || e.result == AB_BETTER;
    char interval[64];
    fputs("    <testcase classname=\"", out);
    report_export_xml_text(out, suite);
    fputs("\" name=\"", out);
    report_export_xml_text(out, figure->name);
    fprintf(out, "\">\n      <%s%s%s: %+.2f %s (%s), asked ±%g %s", elements[e.result],
            passed ? ">" : " message=\"", ab_result_name(e.result), e.change,
            figure->is_ratio ? "%" : "points", ab_interval_text(&e, interval, sizeof(interval)),
            figure->precision, figure->is_ratio ? "%" : "points");
    fputs(passed ? "</system-out>\n" : "\"/>\n", out);
    fputs("    </testcase>\n", out);
}

/* If the control has found a difference of A from itself, the experiment was not made. */
static void print_control(FILE *out, const char *suite)
{
    fputs("    <testcase classname=\"", out);
    report_export_xml_text(out, suite);
    fputs("\" name=\"control\">\n      <error message=\"the control found a difference of A from "
          "itself\"/>\n    </testcase>\n",
          out);
}

static size_t count_results(const struct ab_series *series, enum ab_result result)
{
    size_t count = 0;
    for (size_t i = 0; i < series->figures; i++)
        count += series->figure[i].precision > 0 &&
                 ab_effect_of(series, &series->figure[i]).result == result;
    return count;
}

static void print_junit(FILE *out, const struct ab *ab, const char *name)
{
    const struct ab_series *series = &ab->main;
    const bool alarm = ab_is_alarm(&ab->control);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sysrate\">\n"
          "  <testsuite name=\"",
          out);
    report_export_xml_text(out, name);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\">\n",
            ab_figures_asked(series->figure, series->figures) + alarm,
            count_results(series, AB_WORSE), alarm, count_results(series, AB_UNDECIDED));
    if (alarm)
        print_control(out, name);
    for (size_t i = 0; i < series->figures; i++)
        if (series->figure[i].precision > 0)
            print_case(out, series, &series->figure[i], name);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

int ab_export(FILE *out, const struct ab *ab)
{
    const struct ab_pair *pair = last_used(&ab->main);
    const bool junit = ab->format == EXPORT_JUNIT && ab_is_alarm(&ab->control);
    if (pair == NULL && !junit) {
        log_text(LOG_FATAL, "ab: no pair of blocks can be used, so there is nothing to print");
        return -1;
    }
    char *name = experiment_name(ab);
    if (ab->format == EXPORT_JUNIT)
        print_junit(out, ab, name);
    else if (ab->format == EXPORT_OTAVA_CSV)
        print_otava(out, ab, &pair->block[AB_B].run);
    else
        print_json(out, ab, &pair->block[AB_B].run, name);
    free(name);
    return 0;
}
