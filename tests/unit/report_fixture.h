/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A summary and an interval to fill, and a stream to print them to. */
#ifndef TEST_REPORT_FIXTURE_H
#define TEST_REPORT_FIXTURE_H

#include <check.h>
#include <string.h>

#include "report/text/report.h"

static struct settings settings;
__attribute__((unused)) static struct report_format events_format = {.settings = &settings};
static struct summary summary;
static struct interval interval;

static FILE *out;
static char *text;
static size_t text_bytes;

static inline void setup(void)
{
    settings = (struct settings){.threads = 2, .percentiles = 1};
    settings.percentile[0] = 95 * PERCENT;
    summary = (struct summary){0};
    interval = (struct interval){.threads_running = 2};
    snapshot_init(&summary.snapshot);
    snapshot_init(&interval.snapshot);
    out = open_memstream(&text, &text_bytes);
}

static inline void teardown(void)
{
    fclose(out);
    free(text);
    snapshot_fini(&summary.snapshot);
    snapshot_fini(&interval.snapshot);
}

/* What was printed since the last call is `expected`. */
static inline void assert_text(const char *expected)
{
    fflush(out);
    ck_assert_str_eq(text, expected);
    rewind(out);
    memset(text, 0, text_bytes);
}

static inline void record_ms(struct snapshot *s, enum metric metric, double ms, int times)
{
    for (int i = 0; i < times; i++)
        distribution_record(&s->metric[metric], (int64_t)(ms * NS_PER_MS));
}

static inline void fill_summary(void)
{
    struct snapshot *s = &summary.snapshot;
    s->counter[COUNTER_EVENT] = 63128;
    s->counter[COUNTER_READ] = 896238;
    s->counter[COUNTER_WRITE] = 253492;
    s->counter[COUNTER_OTHER] = 127145;
    s->counter[COUNTER_ERROR] = 889;
    s->to_ns = summary.elapsed_ns = INT64_C(182796600000);
    record_ms(s, METRIC_RESPONSE, 1.5, 90);
    record_ms(s, METRIC_RESPONSE, 20, 10);
    summary.fairness = (struct fairness){63.128, 5.921, 181.471, 0.668};
}

#define THROUGHPUT                                                                                 \
    "\n"                                                                                           \
    "Throughput:\n"                                                                                \
    "    events/s (eps):                      345.3456\n"                                          \
    "    time elapsed:                        182.7966s\n"                                         \
    "    total number of events:              63128\n"                                             \
    "\n"
#define FAIRNESS                                                                                   \
    "Threads fairness:\n"                                                                          \
    "    events (avg/stddev):           63.1280/5.92\n"                                            \
    "    execution time (avg/stddev):   181.4710/0.67\n"                                           \
    "\n"
#define LATENCY                                                                                    \
    "Latency (ms):\n"                                                                              \
    "         min:                                    1.50\n"                                      \
    "         avg:                                    3.35\n"                                      \
    "         max:                                   20.00\n"                                      \
    "         95th percentile:                       20.00\n"                                      \
    "         sum:                                  335.00\n"                                      \
    "\n"

#endif
