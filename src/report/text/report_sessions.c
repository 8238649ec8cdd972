/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section about sessions: users that arrive, send requests, and leave. */
#include "report/text/report.h"

#include "base/log.h"
#include "base/util.h"
#include "options/percentiles.h"
#include "report/text/report_text.h"

/* Prints the mean number in progress, and by Little's law: sessions begun per second times their
 * mean duration, in which sessions in progress count with their lower bounds. */
static void print_in_progress(FILE *out, const struct summary *summary)
{
    const struct session_totals *s = &summary->requests.sessions;
    const struct distribution *duration = &summary->snapshot.metric[METRIC_SESSION];
    const double begun_per_s = report_rate(s->begun, summary->elapsed_ns);
    report_count_note(out, "in progress at the end:", s->in_progress + s->earlier,
                      "%" PRIu64 " of them began in the warm-up", s->earlier);
    fprintf(out, "    %-37s%.2f", "in progress, mean:", s->mean);
    if (s->begun > 0)
        fprintf(out, "  (begun per sec. x mean duration: %.2f)",
                begun_per_s * distribution_mean_ns(duration) / 1e9);
    fputc('\n', out);
}

static void print_duration(FILE *out, const struct settings *settings,
                           const struct distribution *duration)
{
    fprintf(out, "    %-37s%s ms",
            "duration, mean:", report_bounded(distribution_mean(duration), NS_PER_MS).text);
    for (unsigned i = 0; i < settings->percentiles; i++)
        fprintf(
            out, ", %s: %s ms", report_percentile_label(settings->percentile[i]).text,
            report_bounded(distribution_percentile(duration, settings->percentile[i]), NS_PER_MS)
                .text);
    fputc('\n', out);
}

void report_sessions(FILE *out, const struct report_format *format, const struct summary *summary)
{
    const struct requests *r = &summary->requests;
    const struct session_totals *s = &r->sessions;
    const struct distribution *wait = &summary->snapshot.metric[METRIC_WAIT];
    if (!format->settings->sessions.on || s->begun + s->earlier == 0)
        return;
    fprintf(out, "Sessions:\n");
    report_count_note(out, "begun:", s->begun, "%.2f per sec.",
                      report_rate(s->begun, r->arrivals_ns));
    report_count_note(out, "ended:", s->ended, "%.2f per sec.",
                      report_rate(s->ended, summary->elapsed_ns));
    print_in_progress(out, summary);
    print_duration(out, format->settings, &summary->snapshot.metric[METRIC_SESSION]);
    report_count_note(out, "requests that they have sent:", r->offered, "%.2f per sec.",
                      report_rate(r->offered, summary->elapsed_ns));
    report_count(out, "unfinished:", r->queued + r->in_service);
    fprintf(out, "    %-37s%s ms, p99: %s ms\n\n",
            "waited for a worker, mean:", report_bounded(distribution_mean(wait), NS_PER_MS).text,
            report_bounded(distribution_percentile(wait, 99 * PERCENT), NS_PER_MS).text);
}

void report_session_conservation(const struct summary *summary)
{
    const struct session_totals *s = &summary->requests.sessions;
    if (s->begun != s->ended + s->in_progress)
        log_text(LOG_ALERT,
                 "the sessions do not add up: %" PRIu64 " begun, but %" PRIu64 " ended and %" PRIu64
                 " in progress: do not trust this report",
                 s->begun, s->ended, s->in_progress);
}
