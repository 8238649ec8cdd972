/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections about requests at an arrival rate, or from terminals. Their labels differ from those
 * of the latency block ("p95" instead of "95th percentile:"), so that programs that search the
 * output for a label of the latency block find one line only.
 */
#include "report/text/report.h"

#include "base/log.h"
#include "options/percentiles.h"
#include "report/text/report_text.h"
#include "result/lateness.h"

static void print_unfinished(FILE *out, const struct requests *r)
{
    const uint64_t unfinished = r->queued + r->in_service;
    if (unfinished == 0)
        report_count(out, "unfinished:", 0);
    else
        report_count_note(out, "unfinished:", unfinished,
                          "%" PRIu64 " queued, %" PRIu64 " in service, oldest %.2f ms", r->queued,
                          r->in_service, ns_to_ms(r->oldest_ns));
}

static uint64_t accounted(const struct requests *r)
{
    return r->completed + r->failed + r->dropped + r->queued + r->in_service;
}

static void print_requests(FILE *out, const struct summary *summary)
{
    const struct requests *r = &summary->requests;

    fputs("Requests:\n", out);
    report_count_note(out, "offered:", r->offered, "%.2f per sec.",
                      report_rate(r->offered, r->arrivals_ns));
    report_count_note(out, "completed:", r->completed, "%.2f per sec.",
                      report_rate(r->completed, summary->elapsed_ns));
    report_count(out, "failed:", r->failed);
    report_count(out, "dropped:", r->dropped);
    print_unfinished(out, r);
    report_count_note(out, "accounted for:", accounted(r),
                      "completed + failed + dropped + unfinished");
    fputc('\n', out);
}

void report_conservation(const struct summary *summary)
{
    const struct requests *r = &summary->requests;
    const uint64_t sum = accounted(r);
    if (sum != r->offered)
        log_text(LOG_ALERT,
                 "the requests do not add up: %" PRIu64 " offered, but %" PRIu64
                 " completed, failed, dropped or unfinished: do not trust this report",
                 r->offered, sum);
}

static void print_lag_line(FILE *out, const char *label, struct bounded lag)
{
    fprintf(out, "%12s%*s\n", label, REPORT_EDGE - 12, report_bounded(lag, NS_PER_US).text);
}

static void print_lag(FILE *out, const struct distribution *lag)
{
    fputs("Generator lag (us):\n", out);
    print_lag_line(out, "p50", distribution_percentile(lag, 50 * PERCENT));
    print_lag_line(out, "p99", distribution_percentile(lag, 99 * PERCENT));
    print_lag_line(out, "max", distribution_max(lag));
    fputc('\n', out);
}

static bool has_pool(const struct snapshot *s)
{
    return s->metric[METRIC_CONNECTION_WAIT].count > 0;
}

/* Prints a row of the table: the same figure of the wait, service and response times, and of the
 * waits for a connection if workers share connections, computed by `figure`. */
static void print_row(FILE *out, const char *label, const struct snapshot *s,
                      struct bounded (*figure)(const struct distribution *d, int64_t percentile),
                      int64_t percentile)
{
    static const enum metric column[] = {METRIC_WAIT, METRIC_CONNECTION_WAIT, METRIC_SERVICE,
                                         METRIC_RESPONSE};

    fprintf(out, "%12s  ", label);
    for (unsigned i = 0; i < ARRAY_SIZE(column); i++) {
        if (column[i] == METRIC_CONNECTION_WAIT && !has_pool(s))
            continue;
        struct bounded value = figure(&s->metric[column[i]], percentile);
        fprintf(out, " %12s", report_bounded(value, NS_PER_MS).text);
    }
    fputc('\n', out);
}

static struct bounded min_figure(const struct distribution *d, int64_t percentile)
{
    (void)percentile;
    return report_min(d);
}

static struct bounded mean_figure(const struct distribution *d, int64_t percentile)
{
    (void)percentile;
    return distribution_mean(d);
}

static struct bounded max_figure(const struct distribution *d, int64_t percentile)
{
    (void)percentile;
    return distribution_max(d);
}

/* Prints lines such as "of p50 0.18 ms, 0.05 are the client's own lateness". */
static void print_lateness(FILE *out, const struct snapshot *s)
{
    static const int64_t percentile[] = {50 * PERCENT, 99 * PERCENT};
    for (unsigned i = 0; i < ARRAY_SIZE(percentile); i++) {
        if (!lateness_matters(s, percentile[i]))
            continue;
        struct bounded response =
            distribution_percentile(&s->metric[METRIC_RESPONSE], percentile[i]);
        fprintf(out, "    of %s %s ms, %.2f are the client's own lateness\n",
                report_percentile_label(percentile[i]).text,
                report_bounded(response, NS_PER_MS).text, ns_to_ms(lateness_ns(s, percentile[i])));
    }
}

static void print_table(FILE *out, const struct settings *settings, const struct snapshot *s)
{
    fprintf(out, "Response time (ms): %7s ", "wait");
    if (has_pool(s))
        fprintf(out, "%12s ", "connection");
    fprintf(out, "%12s %12s\n", "service", "response");
    print_row(out, "min", s, min_figure, 0);
    print_row(out, "mean", s, mean_figure, 0);
    print_row(out, "max", s, max_figure, 0);
    for (unsigned i = 0; i < settings->percentiles; i++)
        print_row(out, report_percentile_label(settings->percentile[i]).text, s,
                  distribution_percentile, settings->percentile[i]);
    print_lateness(out, s);
    fputc('\n', out);
}

void report_times(FILE *out, const struct report_format *format, const struct summary *summary)
{
    print_lag(out, &summary->snapshot.lag);
    print_table(out, format->settings, &summary->snapshot);
}

void report_requests(FILE *out, const struct report_format *format, const struct summary *summary)
{
    print_requests(out, summary);
    report_times(out, format, summary);
}

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
