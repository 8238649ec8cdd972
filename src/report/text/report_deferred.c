/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of deferred work by type, and the check that its counts add up. */
#include "report/text/report.h"

#include <stdlib.h>

#include "base/log.h"
#include "report/text/report_text.h"

static void print_type(FILE *out, const struct settings *settings, int width,
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
        print_type(out, format->settings, width, &t->target[i]);
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
