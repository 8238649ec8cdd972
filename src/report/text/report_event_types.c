/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table with one row per type of event. */
#include "report/text/report.h"

#include <stdlib.h>

#include "report/text/report_text.h"

static uint64_t completed_in_all(const struct target_totals *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < t->count; i++)
        sum += t->target[i].counter[COUNTER_EVENT];
    return sum;
}

static void print_type(FILE *out, const struct settings *settings, int width,
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
        print_type(out, format->settings, width, &t->target[i], completed_in_all(t));
    fputc('\n', out);
}
