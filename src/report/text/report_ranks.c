/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table with one row per rank of a run. */
#include "report/text/report.h"

#include <stdlib.h>
#include <string.h>

#include "options/percentiles.h"
#include "report/text/report_text.h"

/* Fraction of the mean response time from which waits are reported as an effect of separate
 * queues. */
#define WAITS_MATTER 0.1

static const char *host_of(const struct rank_result *r)
{
    return r->host != NULL ? r->host : "?";
}

static int host_width(const struct ranks *ranks)
{
    size_t width = strlen("host");
    for (unsigned i = 0; i < ranks->count; i++)
        width = strlen(host_of(&ranks->rank[i])) > width ? strlen(host_of(&ranks->rank[i])) : width;
    return (int)width;
}

static void print_heading(FILE *out, const struct ranks *ranks, int width)
{
    const bool timed = ranks->settings.rate > 0;
    fprintf(out, "%s (times in ms):\n    %4s  %-*s %7s %10s %10s %8s %8s %10s",
            ranks->repeats ? "Runs, one after the other" : "Ranks", ranks_word(ranks), width,
            ranks->repeats ? "file" : "host", "workers", "offered", "completed", "failed",
            "dropped", "unfinished");
    report_time_headings(out, &ranks->settings);
    fprintf(out, "%s %6s  verdict\n", timed ? "   lag p99" : "", "CPU %");
}

static void print_times(FILE *out, const struct settings *settings, const struct snapshot *s)
{
    report_time_columns(out, settings, &s->metric[METRIC_RESPONSE]);
    if (settings->rate > 0)
        fprintf(out, " %9s",
                report_bounded(distribution_percentile(&s->lag, 99 * PERCENT), NS_PER_MS).text);
}

static void print_verdict(FILE *out, const struct rank_result *r)
{
    const struct verdict *v = &r->judgement.trust.verdict;
    for (unsigned i = 0; i < v->count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", v->finding[i].name);
    fprintf(out, "%s\n", r->partial ? " (its end is missing)" : v->count == 0 ? "VALID" : "");
}

static void print_rank(FILE *out, const struct rank_result *r, int width)
{
    const struct requests *q = &r->result.total.requests;
    const double cpu = r->judgement.trust.evidence.client_cpu;
    char *host = report_printable(host_of(r));
    char share[16] = "-";
    if (cpu >= 0)
        snprintf(share, sizeof(share), "%.1f", 100 * cpu);
    fprintf(out,
            "    %4u  %-*s %7" PRId64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64
            " %10" PRIu64,
            r->settings.rank.number, width, host, r->settings.threads, q->offered, q->completed,
            q->failed, q->dropped, q->queued + q->in_service);
    print_times(out, &r->settings, &r->result.total.snapshot);
    fprintf(out, " %6s  ", share);
    print_verdict(out, r);
    free(host);
}

void report_queues(FILE *out, const struct ranks *ranks)
{
    const struct snapshot *s = &ranks->result.total.snapshot;
    const struct bounded wait = distribution_mean(&s->metric[METRIC_WAIT]);
    const struct bounded response = distribution_mean(&s->metric[METRIC_RESPONSE]);
    const int64_t queued_ns = wait.ns - distribution_mean(&s->lag).ns;
    if (ranks->repeats || ranks->count < 2 || ranks->settings.rate == 0 ||
        (double)queued_ns < WAITS_MATTER * (double)response.ns)
        return;
    fprintf(out,
            "        each rank has a queue of its own: of a mean response time of %s ms, %s ms are "
            "waits, which one\n        queue for the workers of all ranks would make shorter\n",
            report_bounded(response, NS_PER_MS).text, report_bounded(wait, NS_PER_MS).text);
}

/* True if ranks ended because another rank sent them a message that the run ends, not because
 * the planned time was over. */
static bool ended_by_message(const struct ranks *ranks)
{
    const enum end why = ranks->result.ending.why;
    return why == END_SIGNAL || why == END_QUEUE_FULL || why == END_SLO || why == END_ERROR;
}

/* Prints how precisely the ranks started together. If their clocks were not compared, this is
 * known from their wall clocks only. */
static void print_alignment(FILE *out, const struct ranks *ranks)
{
    if (ranks->repeats || ranks->count < 2)
        return;
    fprintf(out, "    The ranks began within %.3f ms of each other", ns_to_ms(ranks->spread_ns));
    if (ranks->bound_ns < 0) {
        fputs(" by their own wall clocks;\n    how far these are apart is not known.\n", out);
        return;
    }
    fprintf(out, ", which is known to within %.3f ms.\n", ns_to_ms(ranks->bound_ns));
    if (ranks->drift_ns >= 0)
        fprintf(out, "    Their clocks drifted apart by at most %.3f ms during the run.\n",
                ns_to_ms(ranks->drift_ns));
    if (ended_by_message(ranks))
        fprintf(out, "    Arrivals ended within %.3f ms of each other.\n",
                ns_to_ms(ranks->ends_apart_ns));
}

void report_ranks(FILE *out, const struct ranks *ranks)
{
    const int width = host_width(ranks);
    print_heading(out, ranks, width);
    for (unsigned i = 0; i < ranks->count; i++)
        print_rank(out, &ranks->rank[i], width);
    print_alignment(out, ranks);
    fputc('\n', out);
}
