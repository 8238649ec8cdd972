/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the parts of a run that have counters and response times of their own: targets (hosts),
 * types of events, and types of deferred work, whose counts must add up.
 */
#include "report/text/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/text/report_text.h"

#define TOTAL_NAME "all"

/* A row of the table: one target, or the whole run. */
struct row {
    const char *name;
    int64_t connections, lost;
    const uint64_t *counter;
    const struct distribution *metric;
};

static void print_heading(FILE *out, const struct report_format *format, int width)
{
    const struct settings *settings = format->settings;
    fprintf(out, "%s (times in ms):\n    %-*s %11s %6s %10s %8s %11s %8s %10s %9s",
            format->workload.targets, width, "", "connections", "lost", "completed", "failed",
            "statements", "errors", "reconnects", "down (s)");
    report_time_headings(out, settings);
    fputs(settings->rate > 0 ? "   service\n" : "\n", out);
}

static void print_times(FILE *out, const struct settings *settings,
                        const struct distribution *metric)
{
    report_time_columns(out, settings, &metric[METRIC_RESPONSE]);
    if (settings->rate > 0)
        fprintf(out, " %9s",
                report_bounded(distribution_mean(&metric[METRIC_SERVICE]), NS_PER_MS).text);
    fputc('\n', out);
}

static void print_row(FILE *out, const struct settings *settings, int width, const struct row *row)
{
    const uint64_t *c = row->counter;
    char *name = report_printable(row->name);
    fprintf(out,
            "    %-*s %11" PRId64 " %6" PRId64 " %10" PRIu64 " %8" PRIu64 " %11" PRIu64 " %8" PRIu64
            " %10" PRIu64 " %9.2f",
            width, name, row->connections, row->lost, c[COUNTER_EVENT], c[COUNTER_FAILED],
            c[COUNTER_READ] + c[COUNTER_WRITE] + c[COUNTER_OTHER], c[COUNTER_ERROR],
            c[COUNTER_RECONNECT], ns_to_seconds((int64_t)c[COUNTER_DOWN_NS]));
    print_times(out, settings, row->metric);
    free(name);
}

void report_targets(FILE *out, const struct report_format *format, const struct summary *summary)
{
    const struct target_totals *t = summary->snapshot.targets;
    struct row all = {.name = TOTAL_NAME,
                      .counter = summary->snapshot.counter,
                      .metric = summary->snapshot.metric};

    if (format->workload.targets == NULL || t->count < 2)
        return;
    const int width = report_name_width(t, TOTAL_NAME);
    print_heading(out, format, width);
    for (unsigned i = 0; i < t->count; i++) {
        const struct target_total *one = &t->target[i];
        const struct row row = {one->name, one->connections, one->lost, one->counter, one->metric};
        print_row(out, format->settings, width, &row);
        all.connections += one->connections;
        all.lost += one->lost;
    }
    print_row(out, format->settings, width, &all);
    fputc('\n', out);
}

/* Types of events. */

static uint64_t completed_in_all(const struct target_totals *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < t->count; i++)
        sum += t->target[i].counter[COUNTER_EVENT];
    return sum;
}

static void print_event_type(FILE *out, const struct settings *settings, int width,
                       const struct target_total *t, uint64_t all)
{
    const uint64_t *c = t->counter;
    char *name = report_printable(t->name);
    fprintf(out, "    %-*s %10" PRIu64 " %7.2f%% %8" PRIu64 " %8" PRIu64, width, name,
            c[COUNTER_EVENT], all > 0 ? 100 * (double)c[COUNTER_EVENT] / (double)all : 0,
            c[COUNTER_FAILED], c[COUNTER_ERROR]);
    report_time_columns(out, settings, &t->metric[METRIC_RESPONSE]);
    fputc('\n', out);
    free(name);
}

void report_event_types(FILE *out, const struct report_format *format,
                        const struct summary *summary)
{
    const struct target_totals *t = summary->snapshot.types;
    if (t->count == 0)
        return;
    const int width = report_name_width(t, "type");
    fprintf(out, "Types of events (response times in ms):\n    %-*s %10s %8s %8s %8s", width,
            "type", "completed", "share", "failed", "errors");
    report_time_headings(out, format->settings);
    fputc('\n', out);
    for (unsigned i = 0; i < t->count; i++)
        print_event_type(out, format->settings, width, &t->target[i], completed_in_all(t));
    fputc('\n', out);
}

/* Deferred work. */

static void print_deferred_type(FILE *out, const struct settings *settings, int width,
                       const struct target_total *t)
{
    const uint64_t *c = t->counter;
    char *name = report_printable(t->name);
    fprintf(out, "    %-*s %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64, width,
            name, c[COUNTER_QUEUED], c[COUNTER_EVENT], c[COUNTER_FAILED], c[COUNTER_UNFINISHED],
            c[COUNTER_ERROR]);
    report_time_columns(out, settings, &t->metric[METRIC_RESPONSE]);
    fputc('\n', out);
    free(name);
}

void report_deferred(FILE *out, const struct report_format *format, const struct summary *summary)
{
    const struct target_totals *t = summary->snapshot.deferred;
    if (t->count == 0)
        return;
    const int width = report_name_width(t, "type");
    fprintf(out,
            "Deferred work (completion times in ms, from when it was queued):\n"
            "    %-*s %10s %10s %8s %10s %8s",
            width, "type", "queued", "completed", "failed", "unfinished", "errors");
    report_time_headings(out, format->settings);
    fputc('\n', out);
    for (unsigned i = 0; i < t->count; i++)
        print_deferred_type(out, format->settings, width, &t->target[i]);
    fputc('\n', out);
}

void report_deferred_conservation(const struct summary *summary)
{
    const struct target_totals *types = summary->snapshot.deferred;
    for (unsigned i = 0; i < types->count; i++) {
        const uint64_t *c = types->target[i].counter;
        if (c[COUNTER_QUEUED] != c[COUNTER_EVENT] + c[COUNTER_FAILED] + c[COUNTER_UNFINISHED])
            log_text(LOG_ALERT,
                     "deferred work does not add up: %" PRIu64 " queued, but %" PRIu64
                     " completed, failed or unfinished: do not trust this report",
                     c[COUNTER_QUEUED],
                     c[COUNTER_EVENT] + c[COUNTER_FAILED] + c[COUNTER_UNFINISHED]);
    }
}
