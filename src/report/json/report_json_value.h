/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that create the parts of a JSON report. Each returns a new value. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include <jansson.h>

#include "options/options.h"
#include "options/settings.h"
#include "report/json/json_value.h"
#include "result/outage.h"
#include "result/remarks.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "result/waits/wait_span.h"
#include "stats/probe.h"

/* The value of an option as a JSON value of the option's type; null if the option is "off" or
 * has no value. */
json_t *value_option(const struct option_spec *row, const struct option_value *value);

/* Percentiles in units of `unit_ns` nanoseconds, as {"p99": {value, censored}, …}. */
json_t *value_percentiles(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                          unsigned percentiles);
/*
 * Statistics in units of `unit_ns` nanoseconds, as {count, censored, min, mean, max, …,
 * percentiles}. Figures are null if there are no values.
 */
json_t *value_distribution(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                           unsigned percentiles);

/* Errors by class and code: [{class, code, state, count, ignored, message}, …]. */
json_t *value_errors(const struct operation_totals *t);
/* Statements by class; with histograms and sums if `whole` is true, which intervals do not have. */
json_t *value_operations(const struct operation_totals *t, const int64_t *percentile,
                         unsigned percentiles, bool whole);

/* Observations of the server and the machine: value_probe_figures() has the figures of an
 * interval, as {"server": {figures}, …}; value_probes() has those of the whole run, with the
 * names of the sources, gaps and checks. */
json_t *value_probe_figures(const struct probe_report *report);
json_t *value_probes(const struct probe_report *report);

json_t *value_verdict(const struct verdict *verdict);
json_t *value_outages(const struct outages *outages);

/* Targets (hosts) in the order of their numbers. If `whole`, for a summary or checkpoint, the
 * histogram of response times is included. */
json_t *value_targets(const struct target_totals *t, const struct settings *settings,
                      int64_t span_ns, bool whole);

/* Types of events, in the same form. */
json_t *value_event_types(const struct target_totals *t, const struct settings *settings,
                          int64_t span_ns, bool whole);
/* Types of deferred work, in the same form. */
json_t *value_deferred(const struct target_totals *t, const struct settings *settings,
                       int64_t span_ns, bool whole);

/* The completed requests and the response time of each rank in an interval; of the percentiles
 * only the last one that the settings ask for. */
json_t *value_interval_ranks(const struct interval *interval, const struct settings *settings);

/* What requests waited for in a span of time, as {samples, events: {"name": percent, …}}; for an
 * interval with the parts of all time and the kinds of waits, which add up to 100. */
json_t *value_wait_span(const struct wait_span *span);
json_t *value_interval_waits(const struct wait_span *span);

/* Remarks of the workload, as {figures: {…}, audits: […], deviations: […]}. */
json_t *value_remarks(const struct remarks *remarks);

/* Counts of the requests of a whole run, or of a rank. */
json_t *value_requests(const struct requests *r);

/* Quality figures by name, as {"recall": {count, mean, low, high}, …}. Figures that are not known are
 * null. qualities_from_json() reads the count, the mean and the spread again. */
json_t *value_qualities(const struct quality_totals *t);
void qualities_from_json(struct quality_totals *t, const json_t *object);

json_t *value_counters(const uint64_t counter[COUNTER_TYPES]);

/*
 * The buckets and exact sums of each kind of time, as whole numbers: a reader can rebuild the
 * distributions.
 */
json_t *value_histograms(const struct snapshot *s);

/* Buckets as [[lower bound in ns, count], …] without the empty ones. If `buckets` is NULL, all
 * buckets are empty. */
json_t *value_buckets(const uint64_t *buckets);

/*
 * The same with few buckets, for a heat map: every power of two is split into four buckets, each 14
 * to 25 % wide.
 */
#define HEAT_SUB_BITS 2
json_t *value_heat(const struct distribution *d);

/* The figures of a distribution in addition to its buckets, as {count, sum_ns, min_ns, …}. */
json_t *value_sums(const struct distribution *d);

/* Write and read the intervals of the response times: "precision" of the summary. If `object` is
 * NULL, nothing is known. */
json_t *value_precision(const struct precision *precision);
void precision_from_json(struct precision *precision, const json_t *object);

#endif
