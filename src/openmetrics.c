/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "openmetrics.h"

#include <inttypes.h>

#include "util.h"

/* Upper bounds of the buckets, and how they are written: as OpenMetrics wants numbers to be. */
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

/* The text that is being written. */
struct text {
    FILE *stream;
    enum metrics_format format;
};

/* In the older text a family is named as its samples are, and there is no info. */
struct family_type {
    const char *name, *classic_name;
    const char *suffix; /* of the samples */
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

static void print_counter(const struct text *out, const char *name, const char *help,
                          uint64_t value)
{
    print_family(out, name, &counter_type, NULL, help);
    fprintf(out->stream, "sysrate_%s_total %" PRIu64 "\n", name, value);
}

static void print_gauge(const struct text *out, const char *name, const char *help, uint64_t value)
{
    print_family(out, name, &gauge_type, NULL, help);
    fprintf(out->stream, "sysrate_%s %" PRIu64 "\n", name, value);
}

static void print_histogram(const struct text *out, const char *name, const char *help,
                            const struct distribution *d)
{
    uint64_t passed = 0;
    unsigned bucket = 0;
    print_family(out, name, &histogram_type, "seconds", help);
    for (unsigned i = 0; i < ARRAY_SIZE(bound); i++) {
        while (bucket < HISTOGRAM_BUCKETS && histogram_middle_ns(bucket) <= bound[i].ns)
            passed += d->buckets[bucket++];
        fprintf(out->stream, "sysrate_%s_bucket{le=\"%s\"} %" PRIu64 "\n", name, bound[i].text,
                passed);
    }
    fprintf(out->stream, "sysrate_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, d->count);
    fprintf(out->stream, "sysrate_%s_count %" PRIu64 "\n", name, d->count);
    fprintf(out->stream, "sysrate_%s_sum %" PRIu64 ".%09" PRIu64 "\n", name, d->sum_ns / NS_PER_SEC,
            d->sum_ns % NS_PER_SEC);
}

static void print_statements(const struct text *out, const uint64_t *counter)
{
    print_family(out, "statements", &counter_type, NULL, "Statements, by kind.");
    fprintf(out->stream, "sysrate_statements_total{kind=\"read\"} %" PRIu64 "\n",
            counter[COUNTER_READ]);
    fprintf(out->stream, "sysrate_statements_total{kind=\"write\"} %" PRIu64 "\n",
            counter[COUNTER_WRITE]);
    fprintf(out->stream, "sysrate_statements_total{kind=\"other\"} %" PRIu64 "\n",
            counter[COUNTER_OTHER]);
}

/* What only a run at an arrival rate has. */
static void print_timed(const struct text *out, const struct snapshot *total, struct gauges gauges)
{
    print_counter(out, "requests_offered", "Requests that arrived.", total->offered);
    print_counter(out, "requests_dropped", "Requests that found the queue full.", total->dropped);
    print_gauge(out, "queue_length", "Requests that wait for a worker.", gauges.queue_length);
    print_histogram(out, "wait_seconds", "Arrival to start.", &total->metric[METRIC_WAIT]);
    print_histogram(out, "service_seconds", "Start to completion.", &total->metric[METRIC_SERVICE]);
    print_histogram(out, "generator_lag_seconds",
                    "By how much requests were queued later than scheduled.", &total->lag);
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
    print_counter(out, "errors", "Errors that were ignored.", counter[COUNTER_ERROR]);
    print_counter(out, "reconnects", "Connections made anew.", counter[COUNTER_RECONNECT]);
    print_statements(out, counter);
    print_gauge(out, "threads", "Workers that run.", gauges.threads_running);
    print_gauge(out, "requests_in_service", "Requests that are being executed.",
                gauges.concurrency);
    print_histogram(out, "response_seconds",
                    "Arrival to completion; in a closed loop, start to completion.",
                    &total->metric[METRIC_RESPONSE]);
    if (timed)
        print_timed(out, total, gauges);
    if (format == METRICS_OPENMETRICS)
        fputs("# EOF\n", stream);
}
