/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/archive_entry.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_restore.h"
#include "report/json/report_settings.h"
#include "report/text/interval_column.h"

#define CAPACITY_SCHEMA 1

const char *archive_figure_name(enum archive_figure figure)
{
    static const char *const name[] = {
        [ARCHIVE_RATE] = "asked_per_s",         [ARCHIVE_WORKERS] = "workers",
        [ARCHIVE_SECONDS] = "elapsed_s",        [ARCHIVE_COMPLETED_PER_S] = "completed_per_s",
        [ARCHIVE_MEAN_MS] = "response_ms_mean", [ARCHIVE_P50_MS] = "response_ms_p50",
        [ARCHIVE_P95_MS] = "response_ms_p95",   [ARCHIVE_P99_MS] = "response_ms_p99",
        [ARCHIVE_MAX_MS] = "response_ms_max",   [ARCHIVE_FAILED] = "failed",
        [ARCHIVE_CAPACITY_PER_S] = "capacity_per_s",
        [ARCHIVE_CAPACITY_LOW_PER_S] = "capacity_low_per_s",
        [ARCHIVE_CAPACITY_HIGH_PER_S] = "capacity_high_per_s",
    };
    return name[figure];
}

const char *archive_figure_column(enum archive_figure figure)
{
    static const char *const column[] = {
        [ARCHIVE_RATE] = "rate",       [ARCHIVE_WORKERS] = "workers",
        [ARCHIVE_SECONDS] = "seconds", [ARCHIVE_COMPLETED_PER_S] = "completed_per_s",
        [ARCHIVE_MEAN_MS] = "mean_ms", [ARCHIVE_P50_MS] = "p50_ms",
        [ARCHIVE_P95_MS] = "p95_ms",   [ARCHIVE_P99_MS] = "p99_ms",
        [ARCHIVE_MAX_MS] = "max_ms",   [ARCHIVE_FAILED] = "failed",
        [ARCHIVE_CAPACITY_PER_S] = "capacity_per_s",
        [ARCHIVE_CAPACITY_LOW_PER_S] = "capacity_low_per_s",
        [ARCHIVE_CAPACITY_HIGH_PER_S] = "capacity_high_per_s",
    };
    return column[figure];
}

const char *archive_kind_name(enum archive_kind kind)
{
    static const char *const name[] = {
        [ARCHIVE_RUN] = "run", [ARCHIVE_PROBE] = "probe", [ARCHIVE_CAPACITY] = "capacity"};
    return name[kind];
}

static const char *text_at(const json_t *head, const char *path)
{
    const char *text = json_string_value(interval_value(head, path));
    return text != NULL ? text : "-";
}

/* Returns for example "VALID", "OVERLOADED,NON-STATIONARY" or "-"; the caller frees it. */
static char *verdict_text(const json_t *head)
{
    const json_t *verdict = interval_value(head, "summary/audit/verdict");
    char *text = NULL;
    size_t i, bytes;
    json_t *finding;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
        fprintf(out, "%s%s", i > 0 ? "," : "", text_at(finding, "name"));
    if (ftell(out) == 0)
        fputs(json_is_object(verdict) ? "VALID" : "-", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

static double number_at(const json_t *value, const char *path)
{
    const json_t *number = interval_value(value, path);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static void take_figures(double *figure, const struct report_restored *r, const json_t *summary)
{
    static const int64_t percentile[] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT};
    json_t *percentiles = report_percentiles(summary, percentile, ARRAY_SIZE(percentile));
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        figure[i] = NAN;
    figure[ARCHIVE_WORKERS] = (double)r->settings.threads;
    if (r->settings.rate > 0)
        figure[ARCHIVE_RATE] = r->settings.rate;
    figure[ARCHIVE_SECONDS] = ns_to_seconds(r->total.elapsed_ns);
    if (r->total.elapsed_ns > 0)
        figure[ARCHIVE_COMPLETED_PER_S] = number_at(summary, "completed_per_s");
    figure[ARCHIVE_FAILED] = (double)r->total.requests.failed;
    figure[ARCHIVE_MEAN_MS] = number_at(summary, "response_ms/mean");
    figure[ARCHIVE_MAX_MS] = number_at(summary, "response_ms/max");
    figure[ARCHIVE_P50_MS] = number_at(percentiles, "p50/value");
    figure[ARCHIVE_P95_MS] = number_at(percentiles, "p95/value");
    figure[ARCHIVE_P99_MS] = number_at(percentiles, "p99/value");
    json_decref(percentiles);
}

int archive_entry_read(struct archive_entry *entry, const struct report_document *document,
                       const char *name)
{
    struct report_restored restored;
    const json_t *head = document->head;
    *entry = (struct archive_entry){0};
    int status = report_restore(&restored, document, name);
    if (status == 0)
        take_figures(entry->figure, &restored, json_object_get(head, "summary"));
    report_restored_fini(&restored);
    if (status != 0)
        return -1;
    json_t *settings = report_settings(head);
    entry->own = verdict_text(head);
    entry->own_settings = checked_alloc(json_dumps(settings, JSON_SORT_KEYS | REPORT_JSON_FLAGS));
    json_decref(settings);
    entry->kind =
        strcmp(text_at(head, "config/archive_kind"), archive_kind_name(ARCHIVE_PROBE)) == 0
            ? ARCHIVE_PROBE
            : ARCHIVE_RUN;
    entry->verdict = entry->own;
    entry->settings = entry->own_settings;
    entry->started = text_at(head, "started");
    entry->test = text_at(head, "test");
    entry->version = text_at(head, "tool/version");
    entry->host = text_at(head, "client/host");
    return 0;
}

/* Capacity searches (docs/capacity.md). */

bool archive_is_capacity(const char *text, size_t bytes)
{
    struct slice_walk walk = slice_walk_begin((struct slice){text, bytes});
    while (walk.object && slice_walk_next(&walk))
        if (slice_key_is(&walk, "schema") || slice_key_is(&walk, "capacity_schema"))
            return slice_key_is(&walk, "capacity_schema");
    return false;
}

static int refuse(const char *name, const char *why)
{
    log_text(LOG_FATAL, "cannot use '%s': %s", name, why);
    return -1;
}

static int check_capacity(const json_t *all, const char *name)
{
    const json_t *schema = json_object_get(all, "capacity_schema");
    char why[96];
    if (all == NULL)
        return refuse(name, "it is not JSON, or cut short");
    if (json_integer_value(schema) != CAPACITY_SCHEMA) {
        snprintf(why, sizeof(why), "its capacity_schema is %lld, this sysrate reads %d",
                 (long long)json_integer_value(schema), CAPACITY_SCHEMA);
        return refuse(name, why);
    }
    if (!json_is_object(json_object_get(all, "result")) ||
        !json_is_array(json_object_get(all, "probes")) ||
        !json_is_object(interval_value(all, "settings/config")))
        return refuse(name, "it lacks \"settings\", \"result\" or \"probes\", which the result of "
                            "a capacity search has");
    return 0;
}

/* Returns true if the search used a probe in which the client was late. */
static bool client_was_late(const json_t *all)
{
    size_t i;
    json_t *probe;
    json_array_foreach(json_object_get(all, "probes"), i, probe)
        if (json_is_false(json_object_get(probe, "trusted")) &&
            json_is_true(json_object_get(probe, "counts")) &&
            strcmp(text_at(probe, "phase"), "bracket") != 0)
            return true;
    return false;
}

static const char *name_of_verdict(const json_t *all)
{
    const char *outcome = text_at(all, "result/outcome");
    if (strcmp(outcome, "below_min") == 0)
        return "BELOW-MIN";
    if (strcmp(outcome, "above_max") == 0)
        return "ABOVE-MAX";
    if (strcmp(outcome, "found") != 0)
        return "NOT-FOUND";
    if (client_was_late(all))
        return "CLIENT-LIMITED";
    return json_is_true(interval_value(all, "result/precise")) ? "VALID" : "IMPRECISE";
}

static double measured_s(const json_t *all)
{
    double sum = 0;
    size_t i;
    json_t *probe;
    json_array_foreach(json_object_get(all, "probes"), i, probe)
        sum += json_number_value(json_object_get(probe, "seconds"));
    return sum;
}

static void take_capacity(double *figure, const json_t *all)
{
    const bool found = strcmp(text_at(all, "result/outcome"), "found") == 0;
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        figure[i] = NAN;
    figure[ARCHIVE_WORKERS] = number_at(all, "settings/config/threads");
    figure[ARCHIVE_SECONDS] = measured_s(all);
    if (!found)
        return;
    figure[ARCHIVE_CAPACITY_PER_S] = number_at(all, "result/rate_per_s");
    figure[ARCHIVE_CAPACITY_LOW_PER_S] = number_at(all, "result/low_per_s");
    figure[ARCHIVE_CAPACITY_HIGH_PER_S] = number_at(all, "result/high_per_s");
}

int archive_entry_read_capacity(struct archive_entry *entry, const json_t *all, const char *name)
{
    *entry = (struct archive_entry){.kind = ARCHIVE_CAPACITY};
    if (check_capacity(all, name) != 0)
        return -1;
    take_capacity(entry->figure, all);
    entry->own_settings = checked_alloc(
        json_dumps(json_object_get(all, "settings"), JSON_SORT_KEYS | REPORT_JSON_FLAGS));
    entry->settings = entry->own_settings;
    entry->verdict = name_of_verdict(all);
    entry->started = text_at(all, "started");
    entry->test = text_at(all, "test");
    entry->version = text_at(all, "version");
    entry->host = text_at(all, "settings/client/host");
    return 0;
}

void archive_entry_fini(struct archive_entry *entry)
{
    free(entry->own);
    free(entry->own_settings);
    *entry = (struct archive_entry){0};
}
