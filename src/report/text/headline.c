/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last lines of a report: the verdict, the requests and the response times of the run. They
 * are the lines that remain visible on the screen. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "report/text/report.h"
#include "report/text/report_text.h"

#define GREEN "\033[1;32m"
#define RED "\033[1;31m"
#define PLAIN "\033[0m"

/* The environment variable NO_COLOR forbids colours: https://no-color.org */
static bool has_color(FILE *out, enum color color)
{
    const char *no_color = getenv("NO_COLOR");
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    return isatty(fileno(out)) && (no_color == NULL || no_color[0] == '\0');
}

static void print_name(FILE *out, const struct settings *settings, const char *name, bool good)
{
    if (has_color(out, settings->color))
        fprintf(out, "Result  %s%s" PLAIN, good ? GREEN : RED, name);
    else
        fprintf(out, "Result  %s", name);
}

static void print_findings(FILE *out, const struct headline *h)
{
    const struct verdict *verdict = h->verdict;
    const struct finding *first = &verdict->finding[0];
    print_name(out, h->settings, first->name, false);
    fprintf(out, "  %s", first->figure);
    for (unsigned i = 1; i < verdict->count; i++)
        fprintf(out, "%s %s", i == 1 ? "; and" : ",", verdict->finding[i].name);
    fprintf(out, "\n        %s\n", first->advice);
}

/* Returns what a run without an arrival rate leaves out. */
static const char *closed_note(const struct settings *settings)
{
    if (settings->sessions.on)
        return "partly open: sessions begin independently, but wait for each answer";
    return settings->terminals
               ? "terminals: none sends a request while it waits for an answer; use --tx-rate"
               : "closed loop: delays of later events are not measured; use --tx-rate";
}

static void print_verdict(FILE *out, const struct headline *h)
{
    const bool closed = h->settings->rate == 0, judged = h->verdict != NULL;
    const bool found = judged && h->verdict->count > 0;
    if (found)
        print_findings(out, h);
    else
        print_name(out, h->settings, judged ? "VALID" : "not judged", judged);
    if (closed)
        fprintf(out, "%s  %s", found ? "      " : "", closed_note(h->settings));
    if (closed || !found)
        fputc('\n', out);
    if (judged && h->verdict->remark[0] != '\0')
        fprintf(out, "        overload: %s\n", h->verdict->remark);
    if (judged && h->verdict->plans[0] != '\0')
        fprintf(out, "        plans: %s\n", h->verdict->plans);
}

static void print_missed(FILE *out, const struct slo_judgement *j)
{
    unsigned missed = 0;
    for (unsigned i = 0; i < j->slo->count; i++)
        missed += !j->figure[i].met;
    if (missed > 0)
        fprintf(out, "        objectives missed: %u of %u\n", missed, j->slo->count);
}

/* Returns the mean of a changing rate per second over the time in which requests arrived, which
 * is shorter if the run ended early. If only the mean of the whole plan is known, returns this
 * mean. */
static double asked_mean(const struct headline *h)
{
    return arrival_plan_mean_between(&h->settings->arrivals, h->total->snapshot.from_ns,
                                     h->total->requests.arrivals_ns, h->settings->rate);
}

/* Prints the requested rate; nothing for a closed loop or a trace, which have no requested rate. */
static void print_asked(FILE *out, const struct headline *h)
{
    const struct settings *settings = h->settings;
    if (settings->rate == 0 || settings->arrivals.kind == ARRIVAL_TRACE)
        return;
    if (settings->rate_changes)
        fprintf(out, "asked %.2f/s (mean)  ", asked_mean(h));
    else
        fprintf(out, rank_is_alone(&settings->rank) ? "asked %.15g/s  " : "asked %.2f/s  ",
                settings->rate);
}

/* Prints the share of the offered requests that were completed. The rates of offered and completed
 * requests have different divisors: the time in which requests arrived, and the whole time. The
 * share is rounded down, so that it is 100 % only if all were completed. */
static void print_completed_share(FILE *out, const struct requests *r)
{
    if (r->completed >= r->offered)
        fputs(" (100 %)", out);
    else
        fprintf(out, " (%.2f %%)", floor(1e4 * (double)r->completed / (double)r->offered) / 100);
}

static void print_requests(FILE *out, const struct headline *h)
{
    const struct requests *r = &h->total->requests;
    const int64_t elapsed_ns = h->total->elapsed_ns;
    fputs("        ", out);
    print_asked(out, h);
    if (h->settings->rate > 0)
        fprintf(out, "offered %.2f/s  ", report_rate(r->offered, r->arrivals_ns));
    fprintf(out, "completed %.2f/s", report_rate(r->completed, elapsed_ns));
    if (h->settings->rate > 0 && r->offered > 0)
        print_completed_share(out, r);
    fprintf(out, "  failed %" PRIu64, r->failed);
    if (h->settings->rate > 0)
        fprintf(out, "  dropped %" PRIu64, r->dropped);
    fprintf(out, "  unfinished %" PRIu64 "\n", r->queued + r->in_service);
}

static void print_figure(FILE *out, const char *name, struct bounded value)
{
    fprintf(out, "  %s %s", name, report_bounded(value, NS_PER_MS).text);
}

/* Prints "p99 34.96 ± 1.2": the distance to the bound of the 95 % interval that is farther away. */
static void print_percentile(FILE *out, const struct headline *h, int64_t percentile)
{
    const struct bounded value =
        distribution_percentile(&h->total->snapshot.metric[METRIC_RESPONSE], percentile);
    const struct confidence c = precision_find(&h->total->precision, percentile);
    print_figure(out, report_percentile_label(percentile).text, value);
    if (c.known && !value.censored)
        fprintf(out, " ± %s",
                report_half_width(max_i64(c.high_ns - value.ns, value.ns - c.low_ns)).text);
    else if (c.needs > 0)
        fprintf(out, " (needs %.0f times as many requests)", c.needs);
}

/*
 * Prints "mean 5.35 = wait 0.62 + service 4.73", the means of the requests that began: these
 * completed, failed, or were in service at the end. The distribution of service times has a value
 * or a lower bound for each of these requests. Requests that never began, queued or dropped, have
 * no service time. If they are left out, the means are of the same requests, so that they add up to
 * the response time. With a pool of connections, the wait for a connection is a part of its own.
 */
static void print_sum(FILE *out, const struct distribution metric[METRIC_TYPES])
{
    const struct distribution *wait = &metric[METRIC_WAIT], *service = &metric[METRIC_SERVICE];
    const struct distribution *connection = &metric[METRIC_CONNECTION_WAIT];
    const struct distribution *response = &metric[METRIC_RESPONSE];
    const uint64_t began = service->count + service->censored;
    /* Reports of older versions count the waits of failed requests, but not their service times. */
    if (began == 0 || wait->count > began)
        return;
    /* If requests were set aside at the end, their waits are unknown and count as 0. */
    const struct bounded wait_mean = {.ns = (int64_t)(wait->sum_ns / began),
                                      .censored = wait->count < began};
    const struct bounded service_mean = distribution_mean(service);
    const bool pooled = connection->count + connection->censored > 0;
    const struct bounded connection_mean =
        pooled ? distribution_mean(connection) : (struct bounded){0};
    const struct bounded mean = {.ns = wait_mean.ns + connection_mean.ns + service_mean.ns,
                                 .censored = wait_mean.censored || connection_mean.censored ||
                                             service_mean.censored};
    fprintf(out, "  mean %s = wait %s", report_bounded(mean, NS_PER_MS).text,
            report_bounded(wait_mean, NS_PER_MS).text);
    if (pooled)
        fprintf(out, " + connection %s", report_bounded(connection_mean, NS_PER_MS).text);
    fprintf(out, " + service %s", report_bounded(service_mean, NS_PER_MS).text);
    if (response->count + response->censored > began)
        fputs(" (of those that began)", out);
}

static void print_response(FILE *out, const struct headline *h)
{
    const struct distribution *metric = h->total->snapshot.metric;
    const struct distribution *response = &metric[METRIC_RESPONSE];

    fputs("        response ms", out);
    for (unsigned i = 0; i < HEADLINE_PERCENTILES; i++)
        print_percentile(out, h, headline_percentile[i]);
    print_figure(out, "max", distribution_max(response));
    if (h->settings->rate > 0)
        print_sum(out, metric);
    fputc('\n', out);
}

void report_headline(FILE *out, const struct headline *h)
{
    print_verdict(out, h);
    if (h->slo != NULL)
        print_missed(out, h->slo);
    if (h->ranks != NULL)
        report_queues(out, h->ranks);
    if (h->interrupted)
        fprintf(out, "        ended by a signal after %.2f s\n",
                ns_to_seconds(h->total->elapsed_ns));
    if (h->until)
        fprintf(out, "        ended by --until after %.2f s\n",
                ns_to_seconds(h->total->elapsed_ns));
    print_requests(out, h);
    print_response(out, h);
}
