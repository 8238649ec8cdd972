/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/openmetrics.h"

#include <inttypes.h>

#include "base/util.h"

/* Upper bounds of the buckets, with their text in the number format of OpenMetrics. */
static const struct {
    const char *text;
    int64_t ns;
} bound[] = {
    {"1e-05", 10 * NS_PER_US},   {"2e-05", 20 * NS_PER_US},   {"5e-05", 50 * NS_PER_US},
    {"0.0001", 100 * NS_PER_US}, {"0.0002", 200 * NS_PER_US}, {"0.0005", 500 * NS_PER_US},
    {"0.001", NS_PER_MS},        {"0.002", 2 * NS_PER_MS},    {"0.005", 5 * NS_PER_MS},
    {"0.01", 10 * NS_PER_MS},    {"0.02", 20 * NS_PER_MS},    {"0.05", 50 * NS_PER_MS},
    {"0.1", 100 * NS_PER_MS},    {"0.2", 200 * NS_PER_MS},    {"0.5", 500 * NS_PER_MS},
    {"1.0", NS_PER_SEC},         {"2.0", 2 * NS_PER_SEC},     {"5.0", 5 * NS_PER_SEC},
    {"10.0", 10 * NS_PER_SEC},   {"20.0", 20 * NS_PER_SEC},   {"50.0", 50 * NS_PER_SEC},
    {"100.0", 100 * NS_PER_SEC},
};

/* The stream and format of the metrics that are being written. */
struct text {
    FILE *stream;
    enum metrics_format format;
};

/* In the classic format, the name of a family has the suffix of its samples, and there is no
 * type "info". */
struct family_type {
    const char *name, *classic_name;
    const char *suffix; /* suffix of the samples' names */
};

static const struct family_type counter_type = {"counter", "counter", "_total"};
static const struct family_type gauge_type = {"gauge", "gauge", ""};
static const struct family_type histogram_type = {"histogram", "histogram", ""};
static const struct family_type info_type = {"info", "gauge", "_info"};

static void print_family(const struct text *out, const char *name, const struct family_type *type,
                         const char *unit, const char *help)
{
    bool classic = out->format == METRICS_CLASSIC;
    const char *suffix = classic ? type->suffix : "";
    fprintf(out->stream, "# TYPE sysrate_%s%s %s\n", name, suffix,
            classic ? type->classic_name : type->name);
    if (unit != NULL && !classic)
        fprintf(out->stream, "# UNIT sysrate_%s %s\n", name, unit);
    fprintf(out->stream, "# HELP sysrate_%s%s %s\n", name, suffix, help);
}

/* Prints a label; backslashes, quotes and line ends in its value are escaped. */
static void print_label(const struct text *out, char before, const char *name, const char *value)
{
    fprintf(out->stream, "%c%s=\"", before, name);
    for (const char *c = value; *c != '\0'; c++)
        if (*c == '\n')
            fputs("\\n", out->stream);
        else
            fprintf(out->stream, "%s%c", *c == '\\' || *c == '"' ? "\\" : "", *c);
    fputc('"', out->stream);
}

/* Prints the name and labels of a sample; `host` and `label` may be NULL. */
static void print_name(const struct text *out, const char *name, const char *suffix,
                       const char *host, const char *label, const char *value)
{
    fprintf(out->stream, "sysrate_%s%s", name, suffix);
    if (host != NULL)
        print_label(out, '{', "host", host);
    if (label != NULL)
        print_label(out, host != NULL ? ',' : '{', label, value);
    fputs(host != NULL || label != NULL ? "} " : " ", out->stream);
}

static void print_count(const struct text *out, const char *name, const char *suffix,
                        const char *host, uint64_t value)
{
    print_name(out, name, suffix, host, NULL, NULL);
    fprintf(out->stream, "%" PRIu64 "\n", value);
}

static void print_seconds(const struct text *out, const char *name, const char *suffix,
                          const char *host, unsigned __int128 ns)
{
    print_name(out, name, suffix, host, NULL, NULL);
    fprintf(out->stream, "%" PRIu64 ".%09" PRIu64 "\n", (uint64_t)(ns / NS_PER_SEC),
            (uint64_t)(ns % NS_PER_SEC));
}

static void print_counter(const struct text *out, const char *name, const char *help,
                          uint64_t value)
{
    print_family(out, name, &counter_type, NULL, help);
    print_count(out, name, "_total", NULL, value);
}

static void print_gauge(const struct text *out, const char *name, const char *help, uint64_t value)
{
    print_family(out, name, &gauge_type, NULL, help);
    print_count(out, name, "", NULL, value);
}

static void print_times(const struct text *out, const char *name, const char *host,
                        const struct distribution *d)
{
    uint64_t passed = 0;
    unsigned bucket = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(bound); i++) {
        while (bucket < HISTOGRAM_BUCKETS && histogram_middle_ns(bucket) <= bound[i].ns)
            passed += d->buckets[bucket++];
        print_name(out, name, "_bucket", host, "le", bound[i].text);
        fprintf(out->stream, "%" PRIu64 "\n", passed);
    }
    print_name(out, name, "_bucket", host, "le", "+Inf");
    fprintf(out->stream, "%" PRIu64 "\n", d->count);
    print_count(out, name, "_count", host, d->count);
    print_seconds(out, name, "_sum", host, d->sum_ns);
}

static void print_histogram(const struct text *out, const char *name, const char *help,
                            const struct distribution *d)
{
    print_family(out, name, &histogram_type, "seconds", help);
    print_times(out, name, NULL, d);
}

static void print_statements(const struct text *out, const char *name, const char *host,
                             const uint64_t *counter)
{
    static const struct {
        const char *name;
        enum counter counter;
    } kind[] = {{"read", COUNTER_READ}, {"write", COUNTER_WRITE}, {"other", COUNTER_OTHER}};
    for (unsigned i = 0; i < ARRAY_SIZE(kind); i++) {
        print_name(out, name, "_total", host, "kind", kind[i].name);
        fprintf(out->stream, "%" PRIu64 "\n", counter[kind[i].counter]);
    }
}

/* Prints the metrics that only a run at an arrival rate has. */
static void print_timed(const struct text *out, const struct snapshot *total, struct gauges gauges)
{
    print_counter(out, "requests_offered", "Requests that arrived.", total->offered);
    print_counter(out, "requests_dropped", "Requests that found the queue full.", total->dropped);
    print_gauge(out, "queue", "Requests that wait for a worker.", gauges.queue_length);
    print_histogram(out, "wait_seconds", "Arrival to start.", &total->metric[METRIC_WAIT]);
    print_histogram(out, "service_seconds", "Start to completion.", &total->metric[METRIC_SERVICE]);
    print_histogram(out, "generator_lag_seconds",
                    "Scheduled arrival to queueing.", &total->lag);
}

/*
 * Metrics by host. They have other names than the metrics of the whole run, so that a sum over all
 * samples of a name does not count requests twice.
 */

static void print_host_counters(const struct text *out, const struct target_totals *t)
{
    static const struct {
        const char *name, *help;
        enum counter counter;
    } row[] = {
        {"host_requests_completed", "Requests completed, by host.", COUNTER_EVENT},
        {"host_requests_failed", "Requests given up, by host.", COUNTER_FAILED},
        {"host_errors", "Errors of statements, by host.", COUNTER_ERROR},
        {"host_reconnects", "Reconnects, by host.", COUNTER_RECONNECT},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        print_family(out, row[i].name, &counter_type, NULL, row[i].help);
        for (unsigned k = 0; k < t->count; k++)
            print_count(out, row[i].name, "_total", t->target[k].name,
                        t->target[k].counter[row[i].counter]);
    }
    print_family(out, "host_statements", &counter_type, NULL, "Statements, by host and kind.");
    for (unsigned k = 0; k < t->count; k++)
        print_statements(out, "host_statements", t->target[k].name, t->target[k].counter);
    print_family(out, "host_down_seconds", &counter_type, "seconds",
                 "Time that workers were without connection, by host.");
    for (unsigned k = 0; k < t->count; k++)
        print_seconds(out, "host_down_seconds", "_total", t->target[k].name,
                      t->target[k].counter[COUNTER_DOWN_NS]);
}

static void print_host_connections(const struct text *out, const struct target_totals *t)
{
    print_family(out, "host_connections", &gauge_type, NULL, "Connections of workers, by host.");
    for (unsigned k = 0; k < t->count; k++)
        print_count(out, "host_connections", "", t->target[k].name,
                    (uint64_t)t->target[k].connections);
    print_family(out, "host_connections_lost", &gauge_type, NULL,
                 "Lost connections of workers, by host.");
    for (unsigned k = 0; k < t->count; k++)
        print_count(out, "host_connections_lost", "", t->target[k].name,
                    (uint64_t)t->target[k].lost);
}

static void print_host_histogram(const struct text *out, const struct target_totals *t,
                                 const char *name, const char *help, enum metric metric)
{
    print_family(out, name, &histogram_type, "seconds", help);
    for (unsigned k = 0; k < t->count; k++)
        print_times(out, name, t->target[k].name, &t->target[k].metric[metric]);
}

static void print_hosts(const struct text *out, const struct target_totals *t, bool timed)
{
    print_host_counters(out, t);
    print_host_connections(out, t);
    print_host_histogram(out, t, "host_response_seconds", "As response_seconds, by host.",
                         METRIC_RESPONSE);
    if (timed)
        print_host_histogram(out, t, "host_service_seconds", "Start to completion, by host.",
                             METRIC_SERVICE);
}

/* The group of all locks has no samples of its own. */
static void print_waits(const struct text *out, const struct wait_moment *waits)
{
    print_family(out, "wait_event_seconds", &counter_type, "seconds",
                 "Time that requests in service spent in a wait, estimated by samples.");
    for (unsigned i = 0; i < waits->labels; i++) {
        if (i == WAIT_LABEL_LOCKS)
            continue;
        print_name(out, "wait_event_seconds", "_total", NULL, "event", waits->names->event[i]);
        fprintf(out->stream, "%.9f\n", waits->sums.weight_ns[i] / NS_PER_SEC);
    }
    print_counter(out, "wait_event_samples", "Samples of requests in service.",
                  waits->sums.samples);
}

static void print_connects(const struct text *out, const struct connect_totals *connects)
{
    print_histogram(out, "connect_seconds", "Time to connect to a server.", &connects->time);
    print_counter(out, "connects_failed", "Attempts to connect that failed.", connects->failed);
}

static void print_staleness(const struct text *out, const struct connect_totals *staleness)
{
    print_histogram(out, "staleness_seconds", "Age of the data that replicas returned.",
                    &staleness->time);
    print_counter(out, "staleness_unanswered", "Reads that a replica did not answer.",
                  staleness->failed);
}

/* The sum of values may fall, so it is no counter. */
static void print_qualities(const struct text *out, const struct quality_totals *t)
{
    print_family(out, "quality_values", &counter_type, NULL,
                 "Values of a quality figure of the workload, after the warm-up.");
    for (unsigned i = 0; i < t->count; i++) {
        print_name(out, "quality_values", "_total", NULL, "figure", t->quality[i].name);
        fprintf(out->stream, "%" PRIu64 "\n", t->quality[i].count);
    }
    print_family(out, "quality_values_sum", &gauge_type, NULL, "Sum of these values.");
    for (unsigned i = 0; i < t->count; i++) {
        print_name(out, "quality_values_sum", "", NULL, "figure", t->quality[i].name);
        fprintf(out->stream, "%.15g\n", t->quality[i].mean * (double)t->quality[i].count);
    }
}

void openmetrics_print(FILE *stream, enum metrics_format format, const struct snapshot *total,
                       struct gauges gauges, bool timed)
{
    const struct text *out = &(struct text){stream, format};
    const uint64_t *counter = total->counter;
    print_family(out, "build", &info_type, NULL, "The program.");
    fputs("sysrate_build_info{version=\"" VERSION "\"} 1\n", stream);
    print_counter(out, "requests_completed", "Requests completed.", counter[COUNTER_EVENT]);
    print_counter(out, "requests_failed", "Requests given up.", counter[COUNTER_FAILED]);
    print_counter(out, "errors", "Errors of statements.", counter[COUNTER_ERROR]);
    print_counter(out, "reconnects", "Reconnects.", counter[COUNTER_RECONNECT]);
    print_family(out, "statements", &counter_type, NULL, "Statements, by kind.");
    print_statements(out, "statements", NULL, counter);
    print_counter(out, "no_op_writes", "Writes that changed nothing, after the warm-up.",
                  effects_no_ops(&total->effects, WRITE_KINDS));
    print_gauge(out, "workers", "Workers that are running.", gauges.threads_running);
    print_gauge(out, "busy", "Workers that execute a request.", gauges.concurrency);
    if (gauges.idle_wanted > 0)
        print_gauge(out, "idle_connections", "Open idle connections.", gauges.idle_open);
    print_histogram(out, "response_seconds",
                    "Arrival to completion; in a closed loop, start to completion.",
                    &total->metric[METRIC_RESPONSE]);
    if (timed)
        print_timed(out, total, gauges);
    if (total->metric[METRIC_CONNECTION_WAIT].count > 0) {
        print_histogram(out, "connection_wait_seconds", "Waits for a connection of the pool.",
                        &total->metric[METRIC_CONNECTION_WAIT]);
        print_counter(out, "pool_timeouts", "Waits for a connection that took too long.",
                      counter[COUNTER_POOL_TIMEOUT]);
    }
    if (total->connects.time.count > 0 || total->connects.failed > 0)
        print_connects(out, &total->connects);
    if (total->staleness.time.count > 0 || total->staleness.failed > 0)
        print_staleness(out, &total->staleness);
    if (total->qualities->count > 0)
        print_qualities(out, total->qualities);
    if (total->targets->count > 0)
        print_hosts(out, total->targets, timed);
    if (gauges.waits != NULL)
        print_waits(out, gauges.waits);
    if (format == METRICS_OPENMETRICS)
        fputs("# EOF\n", stream);
}
