/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/archive_entry.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_restore.h"
#include "report/json/report_settings.h"
#include "report/text/interval_column.h"

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

void archive_entry_fini(struct archive_entry *entry)
{
    free(entry->own);
    free(entry->own_settings);
    *entry = (struct archive_entry){0};
}
