/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of the terminals that sent the requests of a run. */
#include "report/text/report.h"

#include "report/text/report_text.h"

void report_terminals(FILE *out, const struct summary *summary)
{
    const struct requests *r = &summary->requests;
    const struct distribution *wait = &summary->snapshot.metric[METRIC_WAIT];
    if (r->terminals == 0)
        return;
    fprintf(out, "Terminals:\n");
    report_count(out, "number:", r->terminals);
    report_count_note(out, "requests that they have sent:", r->offered, "%.2f per sec.",
                      report_rate(r->offered, summary->elapsed_ns));
    report_count(out, "unfinished:", r->queued + r->in_service);
    if (r->completed > 0)
        fprintf(out, "    %-37s%.2f s\n", "from one request to the next, mean:",
                (double)r->terminals * ns_to_seconds(summary->elapsed_ns) / (double)r->completed);
    fprintf(out, "    %-37s%s ms, 99%%: %s ms\n\n",
            "waited for a worker, mean:", report_bounded(distribution_mean(wait), NS_PER_MS).text,
            report_bounded(distribution_percentile(wait, 99 * PERCENT), NS_PER_MS).text);
}
