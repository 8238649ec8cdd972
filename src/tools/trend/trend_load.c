/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "report/text/interval_column.h"
#include "tools/compare/compare_settings.h"
#include "tools/trend/trend.h"

const char *trend_figure_name(enum trend_figure figure)
{
    static const char *const name[] = {[TREND_THROUGHPUT] = "throughput",
                                       [TREND_P50] = "p50",
                                       [TREND_P95] = "p95",
                                       [TREND_P99] = "p99",
                                       [TREND_CAPACITY] = "capacity"};
    return name[figure];
}

bool trend_is_time(enum trend_figure figure)
{
    return figure == TREND_P50 || figure == TREND_P95 || figure == TREND_P99;
}

const char *trend_figure_unit(enum trend_figure figure)
{
    return trend_is_time(figure) ? " ms" : "/s";
}

bool trend_has(const struct trend_series *series, enum trend_figure figure)
{
    return series->capacity == (figure == TREND_CAPACITY);
}

/* Returns a copy of the objectives, or NULL. */
static char *slo_of(const char *settings)
{
    json_t *all = json_loads(settings, 0, NULL);
    const char *text = json_string_value(interval_value(all, "config/slo"));
    char *slo = xstrdup(text != NULL ? text : "-");
    json_decref(all);
    return slo;
}

static struct trend_series *series_of(struct trend *trend, const struct archive_row *row)
{
    for (size_t i = trend->count; i > 0; i--)
        if (trend->series[i - 1].number == row->series)
            return &trend->series[i - 1];
    trend->series = xrealloc(trend->series, (trend->count + 1) * sizeof(*trend->series));
    struct trend_series *s = &trend->series[trend->count++];
    *s = (struct trend_series){.number = row->series,
                               .test = xstrdup(row->entry.test),
                               .host = xstrdup(row->entry.host),
                               .settings = xstrdup(row->entry.settings),
                               .rate = row->entry.figure[ARCHIVE_RATE],
                               .workers = row->entry.figure[ARCHIVE_WORKERS],
                               .capacity = row->entry.kind == ARCHIVE_CAPACITY};
    if (s->capacity)
        s->slo = slo_of(row->entry.settings);
    return s;
}

/* The capacity of the array is always a power of two. */
static struct trend_run *add_run(struct trend_series *s)
{
    if ((s->runs & (s->runs - 1)) == 0)
        s->run = xrealloc(s->run, (s->runs > 0 ? 2 * s->runs : 1) * sizeof(*s->run));
    return &s->run[s->runs++];
}

static void add_row(void *arg, const struct archive_row *row)
{
    const double *figure = row->entry.figure;
    if (row->entry.kind == ARCHIVE_PROBE)
        return;
    struct trend_series *series = series_of(arg, row);
    struct trend_run *run = add_run(series);
    *run = (struct trend_run){.id = row->id,
                              .started = xstrdup(row->entry.started),
                              .labels = xstrdup(row->labels),
                              .verdict = xstrdup(row->entry.verdict),
                              .value = {figure[ARCHIVE_COMPLETED_PER_S], figure[ARCHIVE_P50_MS],
                                        figure[ARCHIVE_P95_MS], figure[ARCHIVE_P99_MS],
                                        figure[ARCHIVE_CAPACITY_PER_S]},
                              .low = figure[ARCHIVE_CAPACITY_LOW_PER_S],
                              .high = figure[ARCHIVE_CAPACITY_HIGH_PER_S]};
    run->valid = strcmp(run->verdict, "VALID") == 0 || strcmp(run->verdict, "-") == 0;
    for (int i = 0; i < TREND_FIGURES; i++)
        if (trend_has(series, i))
            run->valid = run->valid && run->value[i] > 0;
}

static void list_valid(struct trend_series *s)
{
    s->valid = xcalloc(s->runs, sizeof(*s->valid));
    for (size_t i = 0; i < s->runs; i++)
        if (s->run[i].valid)
            s->valid[s->valid_runs++] = i;
}

/* Returns for example "threads 4 | 8, rate 100 | 200". */
static char *differences(const char *before, const char *after)
{
    struct compare_run a = {.document.head = json_loads(before, 0, NULL)};
    struct compare_run b = {.document.head = json_loads(after, 0, NULL)};
    json_t *all = compare_settings_differences(&a, &b), *pair;
    const char *name;
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    json_object_foreach(all, name, pair) fprintf(out, "%s%s %s | %s", ftell(out) > 0 ? ", " : "",
                                                 name, json_string_value(json_array_get(pair, 0)),
                                                 json_string_value(json_array_get(pair, 1)));
    const bool a_has = json_object_get(a.document.head, "server_config") != NULL;
    const bool b_has = json_object_get(b.document.head, "server_config") != NULL;
    if (ftell(out) == 0)
        fputs(a_has == b_has ? "the client's machine"
                             : "the server's settings are known in one of both series only",
              out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    json_decref(all);
    json_decref(a.document.head);
    json_decref(b.document.head);
    return text;
}

static bool is_like(const struct trend_series *a, const struct trend_series *b)
{
    return strcmp(a->test, b->test) == 0 && a->capacity == b->capacity;
}

bool trend_is_one_history(const struct trend_series *a, const struct trend_series *b)
{
    return is_like(a, b) && strcmp(a->host, b->host) == 0 &&
           (a->workers == b->workers || (isnan(a->workers) && isnan(b->workers))) &&
           (a->rate == b->rate || (isnan(a->rate) && isnan(b->rate))) &&
           (!a->capacity || strcmp(a->slo, b->slo) == 0);
}

static void tell_changes(struct trend *trend)
{
    for (size_t i = 1; i < trend->count; i++)
        for (size_t k = i; k > 0 && trend->series[i].changed == NULL; k--)
            if (is_like(&trend->series[k - 1], &trend->series[i]))
                trend->series[i].changed =
                    differences(trend->series[k - 1].settings, trend->series[i].settings);
}

int trend_load(struct trend *trend, struct archive *archive, const struct archive_filter *filter)
{
    *trend = (struct trend){0};
    int status = archive_each(archive, filter, add_row, trend);
    for (size_t i = 0; i < trend->count; i++)
        list_valid(&trend->series[i]);
    tell_changes(trend);
    return status;
}

static void series_fini(struct trend_series *s)
{
    for (size_t i = 0; i < s->runs; i++) {
        free(s->run[i].started);
        free(s->run[i].labels);
        free(s->run[i].verdict);
    }
    for (int i = 0; i < TREND_FIGURES; i++)
        free(s->course[i].step);
    free(s->run);
    free(s->valid);
    free(s->test);
    free(s->host);
    free(s->settings);
    free(s->changed);
    free(s->slo);
}

void trend_fini(struct trend *trend)
{
    for (size_t i = 0; i < trend->count; i++)
        series_fini(&trend->series[i]);
    free(trend->series);
}
