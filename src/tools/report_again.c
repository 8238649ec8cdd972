/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/report_again.h"

#include <string.h>

#include "report/json/report_restore.h"
#include "report/text/interval_column.h"
#include "report/text/report.h"
#include "report/text/report_connects.h"
#include "report/text/report_plans.h"
#include "report/text/report_policies.h"
#include "report/text/report_quality.h"
#include "report/text/report_slowest.h"

static const char *text_at(const struct report_document *document, const char *path)
{
    const char *text = json_string_value(interval_value(document->head, path));
    return text != NULL ? text : "-";
}

static void print_title(FILE *out, const struct report_document *document, const char *name)
{
    fprintf(out, "%s: %s, run at %s with sysrate %s\n\n", name, text_at(document, "test"),
            text_at(document, "started"), text_at(document, "tool/version"));
}

/* The report does not state whether its test counts statements: true if it has counted any. */
static bool counts_statements(const struct summary *total)
{
    const uint64_t *counter = total->snapshot.counter;
    return counter[COUNTER_READ] + counter[COUNTER_WRITE] + counter[COUNTER_OTHER] > 0;
}

static void print(FILE *out, const struct report_restored *r, const json_t *slowest,
                  const json_t *plans, bool interrupted)
{
    const struct report_format format = {
        .settings = &r->settings,
        .workload = {.statements = counts_statements(&r->total) ? "SQL statistics" : NULL}};
    const struct headline headline = {.settings = &r->settings,
                                      .total = &r->total,
                                      .verdict = r->judged ? &r->trust.verdict : NULL,
                                      .slo = r->slo.count > 0 ? &r->objectives : NULL,
                                      .interrupted = interrupted};
    report_summary(out, &format, &r->total);
    report_operations(out, &format, &r->total);
    report_effects(out, &r->total);
    report_policies(out, &r->settings, &r->total);
    report_quality(out, r->total.snapshot.qualities);
    report_event_types(out, &format, &r->total);
    report_deferred(out, &format, &r->total);
    report_terminals(out, &r->total);
    report_sessions(out, &format, &r->total);
    if (r->settings.rate > 0)
        report_requests(out, &format, &r->total);
    if (r->judged) {
        report_precision(out, &r->total.precision);
        report_trust(out, &r->settings, &r->trust);
    }
    if (r->slo.count > 0)
        report_slo(out, &r->objectives);
    report_connects(out, &r->total.snapshot);
    report_staleness(out, &r->total.snapshot.staleness);
    if (r->waits != NULL)
        report_wait_events(out, r->waits);
    report_slowest(out, slowest);
    report_plans(out, plans);
    report_headline(out, &headline);
}

int report_again(FILE *out, const struct report_document *document, const char *name)
{
    struct report_restored restored;
    int status = report_restore(&restored, document, name);
    if (status == 0) {
        print_title(out, document, name);
        print(out, &restored, json_object_get(document->head, "slowest"),
              json_object_get(document->head, "plans"),
              strcmp(text_at(document, "summary/end"), "signal") == 0);
    }
    report_restored_fini(&restored);
    return status;
}
