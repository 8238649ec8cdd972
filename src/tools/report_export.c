/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/report_export.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "archive/archive_entry.h"
#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "report/text/interval_column.h"
#include "tools/html_text.h"

/* Exported figures in their order. Except for the first one, smaller is better. */
static const struct {
    enum archive_figure figure;
    const char *name, *unit;
} columns[] = {
    {ARCHIVE_COMPLETED_PER_S, "throughput", "requests/s"},
    {ARCHIVE_MEAN_MS, "mean", "ms"},
    {ARCHIVE_P50_MS, "p50", "ms"},
    {ARCHIVE_P95_MS, "p95", "ms"},
    {ARCHIVE_P99_MS, "p99", "ms"},
    {ARCHIVE_MAX_MS, "max", "ms"},
};

/* Returns for example "oltp_read_write, 200/s, 16 workers"; the caller frees it. */
static char *benchmark_name(const struct archive_entry *e)
{
    char *name, rate[40] = "";
    if (!isnan(e->figure[ARCHIVE_RATE]))
        snprintf(rate, sizeof(rate), ", %.15g/s", e->figure[ARCHIVE_RATE]);
    if (asprintf(&name, "%s%s, %.15g workers", e->test, rate, e->figure[ARCHIVE_WORKERS]) < 0)
        checked_alloc(NULL);
    return name;
}

const char *report_export_label(const struct report_document *document, const char *name)
{
    const json_t *labels = interval_value(document->head, "config/label");
    size_t i, length = strlen(name);
    json_t *label;
    json_array_foreach(labels, i, label)
    {
        const char *text = json_string_value(label);
        if (text != NULL && strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return "";
}

json_int_t report_export_seconds(const char *started)
{
    struct tm tm = {0};
    if (strptime(started, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
        return 0;
    return (json_int_t)timegm(&tm);
}

json_t *report_export_attributes(const struct report_document *document)
{
    json_t *attributes = value_object();
    value_set(attributes, "git_repo", value_text(report_export_label(document, "git_repo")));
    value_set(attributes, "branch", value_text(report_export_label(document, "branch")));
    value_set(attributes, "git_commit", value_text(report_export_label(document, "commit")));
    return attributes;
}

/* JSON. */

/* Format of Nyrkiö (https://nyrkio.com/docs): an array of runs with metrics and the commit that was
 * measured. */
static json_t *value_nyrkio(const struct archive_entry *e, const struct report_document *document)
{
    json_t *run = value_object(), *metrics = value_array();
    value_set(run, "timestamp", json_integer(report_export_seconds(e->started)));
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        json_t *metric = value_object();
        value_set(metric, "name", value_text(columns[i].name));
        value_set(metric, "unit", value_text(columns[i].unit));
        value_set(metric, "value", value_real(e->figure[columns[i].figure]));
        value_set(metric, "direction", value_text(i == 0 ? "higher_is_better" : "lower_is_better"));
        value_append(metrics, metric);
    }
    value_set(run, "metrics", metrics);
    value_set(run, "attributes", report_export_attributes(document));
    return run;
}

/* Bencher Metric Format: measures by name; "latency" (in ns) and "throughput" are predefined. */
static json_t *value_bencher(const struct archive_entry *e)
{
    json_t *measures = value_object();
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        const double value = e->figure[columns[i].figure];
        json_t *measure = value_object();
        value_set(measure, "value", value_real(i == 0 ? value : value * NS_PER_MS));
        value_set(measures, columns[i].figure == ARCHIVE_MEAN_MS ? "latency" : columns[i].name,
                  measure);
    }
    return measures;
}

/* Format customSmallerIsBetter of github-action-benchmark: therefore without the throughput. */
static void add_github_action(json_t *all, const struct archive_entry *e, const char *name)
{
    for (size_t i = 1; i < ARRAY_SIZE(columns); i++) {
        json_t *figure = value_object();
        char *full;
        if (asprintf(&full, "%s: %s", name, columns[i].name) < 0)
            checked_alloc(NULL);
        value_set(figure, "name", value_text(full));
        free(full);
        value_set(figure, "unit", value_text(columns[i].unit));
        value_set(figure, "value", value_real(e->figure[columns[i].figure]));
        value_set(figure, "extra", value_text(e->verdict));
        value_append(all, figure);
    }
}

static void add_value(json_t *all, enum report_format_name format, const struct archive_entry *e,
                      const struct report_document *document)
{
    char *name = benchmark_name(e);
    if (format == EXPORT_NYRKIO)
        value_append(all, value_nyrkio(e, document));
    else if (format == EXPORT_BENCHER)
        value_set(all, name, value_bencher(e));
    else
        add_github_action(all, e, name);
    free(name);
}

/* CSV for Apache Otava: a column of times, then attributes and metrics. */

void report_export_csv_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', out);
}

static void print_otava_heading(FILE *out)
{
    fputs("time,test,branch,commit", out);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        fprintf(out, ",%s", columns[i].name);
    fputs("\n", out);
}

static void print_otava_row(FILE *out, const struct archive_entry *e,
                            const struct report_document *document)
{
    fprintf(out, "%.19s+00:00,", e->started);
    report_export_csv_text(out, e->test);
    putc(',', out);
    report_export_csv_text(out, report_export_label(document, "branch"));
    putc(',', out);
    report_export_csv_text(out, report_export_label(document, "commit"));
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        fprintf(out, ",%.15g", e->figure[columns[i].figure]);
    fputs("\n", out);
}

/* JUnit: a test suite for each run, a test case for each objective. */

void report_export_xml_text(FILE *out, const char *text)
{
    char *copy = xstrdup(text);
    html_text_print(out, log_printable(copy, ""));
    free(copy);
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

static void print_objective(FILE *out, const json_t *objective, const char *suite)
{
    fputs("    <testcase classname=\"", out);
    report_export_xml_text(out, suite);
    fputs("\" name=\"", out);
    report_export_xml_text(out, text_in(objective, "objective"));
    if (json_is_true(json_object_get(objective, "met"))) {
        fputs("\"/>\n", out);
        return;
    }
    const json_t *figure = json_object_get(objective, "figure");
    fputs("\">\n      <failure message=\"", out);
    if (json_is_number(figure))
        fprintf(out, "%s%.6g ", json_is_true(json_object_get(objective, "censored")) ? "&gt;" : "",
                json_number_value(figure));
    else
        fputs("not known ", out);
    report_export_xml_text(out, text_in(objective, "unit"));
    fputs("\"/>\n    </testcase>\n", out);
}

static size_t missed_of(const json_t *objectives)
{
    size_t i, missed = 0;
    json_t *objective;
    json_array_foreach(objectives, i, objective) missed +=
        !json_is_true(json_object_get(objective, "met"));
    return missed;
}

static int print_suite(FILE *out, const struct archive_entry *e, const struct report_named *run)
{
    const json_t *objectives = interval_value(run->document->head, "summary/slo/objectives");
    size_t i;
    json_t *objective;
    if (json_array_size(objectives) == 0) {
        log_text(LOG_FATAL, "'%s' has no objectives to show as JUnit tests: run with --slo",
                 run->name);
        return -1;
    }
    char *name = benchmark_name(e);
    fputs("  <testsuite name=\"", out);
    report_export_xml_text(out, name);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" timestamp=\"%.19s\" time=\"%.15g\">\n",
            json_array_size(objectives), missed_of(objectives), e->started,
            e->figure[ARCHIVE_SECONDS]);
    json_array_foreach(objectives, i, objective) print_objective(out, objective, name);
    fputs("    <system-out>verdict: ", out);
    report_export_xml_text(out, e->verdict);
    fputs("</system-out>\n  </testsuite>\n", out);
    free(name);
    return 0;
}

static bool is_json(enum report_format_name format)
{
    return format == EXPORT_NYRKIO || format == EXPORT_BENCHER || format == EXPORT_GITHUB_ACTION;
}

static int export_run(FILE *out, json_t *all, enum report_format_name format,
                      const struct report_named *run)
{
    struct archive_entry entry;
    int status = archive_entry_read(&entry, run->document, run->name);
    if (status != 0)
        return -1;
    if (is_json(format))
        add_value(all, format, &entry, run->document);
    else if (format == EXPORT_OTAVA_CSV)
        print_otava_row(out, &entry, run->document);
    else
        status = print_suite(out, &entry, run);
    archive_entry_fini(&entry);
    return status;
}

int report_export(FILE *out, enum report_format_name format, const struct report_named *run,
                  size_t count)
{
    json_t *all = format == EXPORT_BENCHER ? value_object() : value_array();
    int status = 0;
    if (format == EXPORT_OTAVA_CSV)
        print_otava_heading(out);
    if (format == EXPORT_JUNIT)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sysrate\">\n", out);
    for (size_t i = 0; i < count && status == 0; i++)
        status = export_run(out, all, format, &run[i]);
    if (format == EXPORT_JUNIT)
        fputs("</testsuites>\n", out);
    if (is_json(format) && status == 0) {
        json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        fputs("\n", out);
    }
    json_decref(all);
    return status;
}

int report_print_cost(FILE *out, const struct report_named *run, double price)
{
    struct archive_entry entry;
    const json_t *slo = interval_value(run->document->head, "summary/slo");
    if (archive_entry_read(&entry, run->document, run->name) != 0)
        return -1;
    double per_s = entry.figure[ARCHIVE_COMPLETED_PER_S];
    archive_entry_fini(&entry);
    if (slo != NULL && !json_is_true(json_object_get(slo, "met")))
        fputs("Cost: unknown, because the objectives were missed\n", out);
    else if (!(per_s > 0))
        fputs("Cost: unknown, because no request was completed\n", out);
    else
        fprintf(out, "Cost: %.4g for a million requests%s, at %.15g an hour and %.2f requests/s\n",
                price / (per_s * 3600) * 1e6, slo != NULL ? " within the objectives" : "", price,
                per_s);
    return 0;
}
