/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "options/percentiles.h"
#include "report/text/report_probe.h"
#include "report/text/report_quality.h"
#include "report/text/report_text.h"

/* 15 significant digits print a number of seconds or requests as the user wrote it, without
 * digits of rounding errors. */
#define GIVEN "%.15g"

static void print_checkpoints(FILE *out, const struct settings *settings)
{
    for (unsigned i = 0; i < settings->checkpoints; i++)
        fprintf(out, i == 0 ? "Report checkpoint(s) at " GIVEN : ", " GIVEN,
                ns_to_seconds(settings->checkpoint_ns[i]));
    if (settings->checkpoints > 0)
        fputs(" seconds\n", out);
}

/* Rounds a mean rate to two decimals, or to six if it is below 1: a mean is no number that the
 * user gave, so GIVEN would print all 15 digits of it. */
static double round_mean(double rate)
{
    double unit = rate < 1 ? 1e-6 : 1e-2;
    return round(rate / unit) * unit;
}

static void print_trace(FILE *out, const struct settings *settings)
{
    const struct arrival_trace *trace = &settings->arrivals.trace;
    fprintf(out, "Arrival trace: %s (%zu arrivals in " GIVEN " s, " GIVEN "/sec on average)\n",
            trace->path, trace->count, ns_to_seconds(trace->last_ns), round_mean(settings->rate));
}

static void print_rate(FILE *out, const struct settings *settings)
{
    if (settings->arrivals.kind == ARRIVAL_TRACE)
        print_trace(out, settings);
    else if (settings->rate_changes)
        fprintf(out, "Target transaction rate: " GIVEN "/sec (mean of a rate that changes)\n",
                round_mean(settings->rate));
    else if (settings->rate > 0)
        fprintf(out, "Target transaction rate: " GIVEN "/sec\n",
                rank_is_alone(&settings->rank) ? settings->rate : round_mean(settings->rate));
}

static void print_sessions(FILE *out, const struct settings *settings)
{
    const struct session_plan *sessions = &settings->sessions;
    if (sessions->on)
        fprintf(out, "Target session rate: " GIVEN "/sec, requests: %s, think time: %s\n",
                round_mean(arrival_plan_mean_rate(&sessions->arrivals, settings->time_ns)),
                sessions->length_text, sessions->think_text);
}

void report_header(FILE *out, const struct settings *settings)
{
    fprintf(out, "Running the test with following options:\nNumber of threads: %" PRId64 "\n",
            settings->threads);
    if (!rank_is_alone(&settings->rank))
        fprintf(out, "Rank: %u of %u, counted from 0, with %" PRId64 " of %" PRId64 " workers\n",
                settings->rank.number, settings->rank.count, settings->threads,
                settings->rank.threads);
    if (settings->warmup_ns > 0)
        fprintf(out, "Warmup time: " GIVEN "s\n", ns_to_seconds(settings->warmup_ns));
    print_rate(out, settings);
    print_sessions(out, settings);
    if (settings->report_interval_ns > 0)
        fprintf(out, "Report intermediate results every " GIVEN " second(s)\n",
                ns_to_seconds(settings->report_interval_ns));
    print_checkpoints(out, settings);
    if (settings->debug)
        fputs("Debug mode enabled.\n\n", out);
    if (settings->validate)
        fputs("Validation checks: on.\n\n", out);
    if (settings->seed_given)
        fprintf(out, "Initializing random number generator from seed (%" PRId64 ").\n",
                (int64_t)settings->rand.seed);
    else
        fputs("Initializing random number generator from current time\n", out);
    fputs("\n\n", out);
}

static double round_to_ms(int64_t ns)
{
    return round(ns_to_ms(ns)) / 1000;
}

/*
 * Returns true if the interval is the last one and shorter than --report-interval because the run
 * ended. An interval that was complete by then does not count, even if its last events ended later.
 */
static bool is_rest(const struct settings *settings, const struct interval *interval)
{
    const struct snapshot *s = &interval->snapshot;
    const int64_t step = settings->report_interval_ns, tolerance = step / 50;
    if (!interval->last || step == 0)
        return false;
    const int64_t begin_ns = (s->from_ns + tolerance) / step * step;
    return s->to_ns + tolerance < begin_ns + step;
}

bool report_leaves_out(const struct settings *settings, const struct interval *interval)
{
    return settings->layout != LAYOUT_FULL && is_rest(settings, interval);
}

/*
 * Returns the end of an interval in seconds, for its label. The reporter thread wakes up a little
 * after the requested time, or long after it on a busy machine. The label is the requested time, a
 * multiple of --report-interval, and has no more decimals than this option. Only a shorter last
 * interval is labelled with its real end.
 */
static double interval_end(const struct settings *settings, const struct interval *interval)
{
    const int64_t step = settings->report_interval_ns, to_ns = interval->snapshot.to_ns;
    if (step == 0 || is_rest(settings, interval))
        return round_to_ms(to_ns);
    return round_to_ms((to_ns + step / 50) / step * step);
}

/* Programs that read a layout of sysbench expect a number without a mark, and 0.00 if no request
 * has ended: report_bounds() warns of lower bounds instead. */
static struct bounded without_marks(const struct settings *settings, struct bounded value)
{
    const bool full = settings->layout == LAYOUT_FULL;
    value.censored = value.censored && full;
    value.unknown = value.unknown && full;
    return value;
}

void report_latency(FILE *out, const char *name, int decimals, const struct settings *settings,
                    const struct distribution *distribution)
{
    char percentile[24];
    fprintf(out, "%s (ms,", name);
    for (unsigned i = 0; i < settings->percentiles; i++)
        fprintf(out, "%s%s", i == 0 ? "" : "/",
                percentile_name(settings->percentile[i], percentile, sizeof(percentile)));
    if (settings->percentiles == 0)
        fprintf(out, "0%%): %.*f", decimals, 0.0);
    else
        fputs("%): ", out);
    for (unsigned i = 0; i < settings->percentiles; i++) {
        const struct bounded value =
            without_marks(settings, distribution_percentile(distribution, settings->percentile[i]));
        fputs(i == 0 ? "" : "/", out);
        if (value.unknown)
            fputc('-', out);
        else
            fprintf(out, "%s%.*f", value.censored ? ">" : "", decimals, ns_to_ms(value.ns));
    }
}

static uint64_t queries(const struct snapshot *s)
{
    return s->counter[COUNTER_READ] + s->counter[COUNTER_WRITE] + s->counter[COUNTER_OTHER];
}

static void print_statement_rates(FILE *out, const struct snapshot *s, int64_t span_ns)
{
    fprintf(out, "tps: %.2f qps: %.2f (r/w/o: %.2f/%.2f/%.2f) ",
            report_rate(s->counter[COUNTER_EVENT], span_ns), report_rate(queries(s), span_ns),
            report_rate(s->counter[COUNTER_READ], span_ns),
            report_rate(s->counter[COUNTER_WRITE], span_ns),
            report_rate(s->counter[COUNTER_OTHER], span_ns));
}

/* Prints the lines of an interval that only a run at an arrival rate has. */
static void print_arrivals(FILE *out, const struct report_format *format,
                           const struct interval *interval, double end)
{
    const struct snapshot *s = &interval->snapshot;
    fprintf(out, "[ " GIVEN "s ] queue length: %" PRIu64 "%s concurrency: %" PRIu64 "\n", end,
            interval->queue_length, format->workload.statements != NULL ? "," : "",
            interval->concurrency);
    if (format->settings->layout == LAYOUT_FULL)
        fprintf(out, "[ " GIVEN "s ] arrivals/s asked: %.2f offered: %.2f\n", end,
                interval->asked_per_s, report_rate(s->offered, s->to_ns - s->from_ns));
}

/* Prints the same figures at the end of the interval's first line, as means of the interval. */
static void append_arrivals(FILE *out, const struct settings *settings,
                                  const struct interval *interval)
{
    const struct snapshot *s = &interval->snapshot;
    fprintf(out, " queue: %.1f busy: %.1f", interval->queue, interval->busy);
    if (settings->rate_changes)
        fprintf(out, " asked: %.2f", interval->asked_per_s);
    fprintf(out, " offered: %.2f", report_rate(s->offered, s->to_ns - s->from_ns));
}

/* Largest difference between the two sides of Little's law for which no line is printed, as a share
 * of the number of requests in the system. Some of it comes about because the two sides are not
 * read at the same instant. */
#define LAW_SHARE 0.05

/* Prints a line if many requests wait whose response times are not known yet: the response times of
 * the interval then say little. The opposite difference, caused by requests of earlier intervals
 * that complete in this one, needs no line, because the response times include these requests. */
static void print_law(FILE *out, const struct interval *interval, double end)
{
    const double limit = interval->in_system_error + LAW_SHARE * interval->in_system;
    if (interval->in_system - interval->in_system_by_law > limit)
        fprintf(out,
                "[ " GIVEN "s ] Little's law: %.2f requests were in the system, but the response "
                "times account for %.2f: the others still wait, and later intervals show how "
                "long\n",
                end, interval->in_system, interval->in_system_by_law);
}

static void print_interval_figures(FILE *out, const struct report_format *format,
                                   const struct interval *interval)
{
    const struct snapshot *s = &interval->snapshot;
    const int64_t span_ns = s->to_ns - s->from_ns;

    fprintf(out, "thds: %u ", interval->threads_running);
    if (format->workload.statements != NULL)
        print_statement_rates(out, s, span_ns);
    else
        fprintf(out, "eps: %.2f ", report_rate(s->counter[COUNTER_EVENT], span_ns));
    report_latency(out, "lat", 2, format->settings, &s->metric[METRIC_RESPONSE]);
    if (format->workload.statements != NULL)
        fprintf(out, " err/s: %.2f reconn/s: %.2f", report_rate(s->counter[COUNTER_ERROR], span_ns),
                report_rate(s->counter[COUNTER_RECONNECT], span_ns));
}

/* In the layouts of sysbench, a workload that prints its own interval line has no lines about
 * arrivals. */
static bool has_arrivals(const struct report_format *format)
{
    return format->settings->rate > 0 &&
           (format->settings->layout == LAYOUT_FULL || format->workload.interval_figures == NULL);
}

void report_interval(FILE *out, const struct report_format *format, const struct interval *interval)
{
    const struct snapshot *s = &interval->snapshot;
    const bool full = format->settings->layout == LAYOUT_FULL;
    const double end = interval_end(format->settings, interval);

    fprintf(out, "[ " GIVEN "s ] ", end);
    if (format->workload.interval_figures != NULL)
        format->workload.interval_figures(format->workload.arg, out, interval);
    else
        print_interval_figures(out, format, interval);
    const bool arrivals = has_arrivals(format);
    if (arrivals && format->narrow)
        append_arrivals(out, format->settings, interval);
    fputc('\n', out);
    if (full && s->counter[COUNTER_DOWN_NS] > 0)
        fprintf(out, "[ " GIVEN "s ] without connection: %.3f s (all workers together)\n", end,
                ns_to_seconds((int64_t)s->counter[COUNTER_DOWN_NS]));
    if (arrivals && !format->narrow)
        print_arrivals(out, format, interval, end);
    if (arrivals && full)
        print_law(out, interval, end);
    if (full)
        report_quality_line(out, end, s->qualities);
    if (full && interval->probes != NULL)
        report_probe_lines(out, end, interval->probes);
}

static void print_statements(FILE *out, const struct report_format *format,
                             const struct summary *summary)
{
    const struct snapshot *s = &summary->snapshot;
    const struct {
        const char *name;
        uint64_t count;
    } rated[] = {
        {"transactions:", s->counter[COUNTER_EVENT]},
        {"queries:", queries(s)},
        {"ignored errors:", s->counter[COUNTER_ERROR]},
        {"reconnects:", s->counter[COUNTER_RECONNECT]},
    };

    fprintf(out, "%s:\n    queries performed:\n", format->workload.statements);
    fprintf(out,
            "        read:                            %" PRIu64 "\n"
            "        write:                           %" PRIu64 "\n"
            "        other:                           %" PRIu64 "\n"
            "        total:                           %" PRIu64 "\n",
            s->counter[COUNTER_READ], s->counter[COUNTER_WRITE], s->counter[COUNTER_OTHER],
            queries(s));
    for (unsigned i = 0; i < ARRAY_SIZE(rated); i++)
        report_count_note(out, rated[i].name, rated[i].count, "%.2f per sec.",
                          report_rate(rated[i].count, summary->elapsed_ns));
    if (format->settings->layout == LAYOUT_FULL && s->counter[COUNTER_DOWN_NS] > 0)
        fprintf(out, "    %-37s%.4fs (all workers together)\n",
                "without connection:", ns_to_seconds((int64_t)s->counter[COUNTER_DOWN_NS]));
}

static void print_general(FILE *out, const struct summary *summary)
{
    fprintf(out,
            "\nGeneral statistics:\n"
            "    total time:                          %.4fs\n"
            "    total number of events:              %" PRIu64 "\n\n",
            ns_to_seconds(summary->elapsed_ns), summary->snapshot.counter[COUNTER_EVENT]);
}

static void print_events(FILE *out, const struct summary *summary)
{
    uint64_t events = summary->snapshot.counter[COUNTER_EVENT];
    fprintf(out,
            "    events/s (eps):                      %.4f\n"
            "    time elapsed:                        %.4fs\n"
            "    total number of events:              %" PRIu64 "\n",
            report_rate(events, summary->elapsed_ns), ns_to_seconds(summary->elapsed_ns), events);
}

/* If the workload prints its own figures, sysbench 1.1 prints neither counts of events nor
 * fairness. */
static bool has_events(const struct report_format *format)
{
    return format->settings->layout != LAYOUT_SYSBENCH_1_1 ||
           format->workload.throughput_figures == NULL;
}

/* Returns true if the sections Requests and Response time follow, which have the same figures. */
static bool is_repeated_below(const struct report_format *format)
{
    return format->once && format->settings->rate > 0;
}

static void print_throughput(FILE *out, const struct report_format *format,
                             const struct summary *summary)
{
    if (is_repeated_below(format) && format->workload.throughput_figures == NULL) {
        fputc('\n', out);
        return;
    }
    fputs("\nThroughput:\n", out);
    if (format->workload.throughput_figures != NULL)
        format->workload.throughput_figures(format->workload.arg, out, summary);
    if (has_events(format) && !is_repeated_below(format))
        print_events(out, summary);
    fputc('\n', out);
}

/* Prints one line of the latency block; the figure ends at column REPORT_EDGE. */
static void print_line(FILE *out, const struct settings *settings, const char *label,
                       struct bounded value)
{
    fprintf(out, "%s%*s\n", label, REPORT_EDGE - (int)strlen(label),
            report_bounded(without_marks(settings, value), NS_PER_MS).text);
}

/* Prints the sum of the times of requests that ended. The sum is exact, so it never has a mark. */
static void print_sum(FILE *out, const struct distribution *d)
{
    static const char label[] = "         sum:";
    fprintf(out, "%s%*.2f\n", label, REPORT_EDGE - (int)strlen(label),
            (double)d->sum_ns / NS_PER_MS);
}

static void print_percentiles(FILE *out, const struct settings *settings,
                              const struct distribution *d)
{
    char name[24], label[64];
    if (settings->percentiles == 0)
        fputs("         percentile stats:               disabled\n", out);
    for (unsigned i = 0; i < settings->percentiles; i++) {
        percentile_name(settings->percentile[i], name, sizeof(name));
        snprintf(label, sizeof(label), "%11sth percentile:", name);
        print_line(out, settings, label, distribution_percentile(d, settings->percentile[i]));
    }
}

static void print_latency_block(FILE *out, const struct settings *settings,
                                const struct distribution *d)
{
    fputs("Latency (ms):\n", out);
    print_line(out, settings, "         min:", report_min(d));
    print_line(out, settings, "         avg:", distribution_mean(d));
    print_line(out, settings, "         max:", distribution_max(d));
    print_percentiles(out, settings, d);
    print_sum(out, d);
    fputc('\n', out);
}

static void print_fairness(FILE *out, const struct fairness *fairness)
{
    fprintf(out,
            "Threads fairness:\n"
            "    events (avg/stddev):           %.4f/%.2f\n"
            "    execution time (avg/stddev):   %.4f/%.2f\n\n",
            fairness->events_mean, fairness->events_stddev, fairness->seconds_mean,
            fairness->seconds_stddev);
}

void report_summary(FILE *out, const struct report_format *format, const struct summary *summary)
{
    if (format->workload.statements != NULL)
        print_statements(out, format, summary);
    if (format->workload.summary_figures != NULL)
        format->workload.summary_figures(format->workload.arg, out, summary);
    if (format->settings->layout == LAYOUT_SYSBENCH_1_0)
        print_general(out, summary);
    else
        print_throughput(out, format, summary);
    if (!is_repeated_below(format))
        print_latency_block(out, format->settings, &summary->snapshot.metric[METRIC_RESPONSE]);
    if (has_events(format))
        print_fairness(out, &summary->fairness);
}

void report_checkpoint_heading(FILE *out, int64_t at_ns)
{
    fprintf(out, "[ " GIVEN "s ] Checkpoint report:\n", round_to_ms(at_ns));
}
