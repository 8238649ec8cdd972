/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that the JSON report is made of. */
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
#include "stats/probe.h"

/* The value of an option in its type; null for "off" and for none. */
json_t *value_option(const struct option_spec *row, const struct option_value *value);

/* {"p99": {value, censored}, …} in units of `unit_ns`. */
json_t *value_percentiles(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                          unsigned percentiles);
/*
 * {count, censored, min, mean, max, …, percentiles} in units of `unit_ns`; null for figures of no
 * values.
 */
json_t *value_distribution(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                           unsigned percentiles);

/* Errors by class and code: [{class, code, state, count, ignored, message}, …]. */
json_t *value_errors(const struct operation_totals *t);
/* Operations by class. */
json_t *value_operations(const struct operation_totals *t, const int64_t *percentile,
                         unsigned percentiles);

/* What was watched: over an interval, {"server": {figures}, …}, and over the run with all there is
 * to say. */
json_t *value_probe_figures(const struct probe_report *report);
json_t *value_probes(const struct probe_report *report);

json_t *value_verdict(const struct verdict *verdict);
json_t *value_outages(const struct outages *outages);

/* Targets, in the order of their numbers; with all of the response times where it is a `whole` part
 * of the run. */
json_t *value_targets(const struct target_totals *t, const struct settings *settings,
                      int64_t span_ns, bool whole);

/* The same of the types of events. */
json_t *value_event_types(const struct target_totals *t, const struct settings *settings,
                          int64_t span_ns, bool whole);
/* The same of the types of deferred work. */
json_t *value_deferred(const struct target_totals *t, const struct settings *settings,
                       int64_t span_ns, bool whole);

/* What each rank had in an interval: completed requests and the response time, of whose percentiles
 * the last one. */
json_t *value_interval_ranks(const struct interval *interval, const struct settings *settings);

/* {figures: {…}, audits: […], deviations: […]} */
json_t *value_remarks(const struct remarks *remarks);

/* Counts of the requests of a whole run, or of a rank. */
json_t *value_requests(const struct requests *r);

json_t *value_counters(const uint64_t counter[COUNTER_TYPES]);

/*
 * Everything that a distribution holds, as whole numbers: buckets and exact sums of each kind of
 * time.
 */
json_t *value_histograms(const struct snapshot *s);

/* [[lower bound in ns, count], …], empty buckets left out; `buckets` NULL: all are empty. */
json_t *value_buckets(const uint64_t *buckets);

/*
 * The same in few buckets, for a heat map: every power of two is split into four, so that each is
 * 14 to 25 % wide.
 */
#define HEAT_SUB_BITS 2
json_t *value_heat(const struct distribution *d);

/* {count, sum_ns, min_ns, …}: what a distribution holds beside its buckets. */
json_t *value_sums(const struct distribution *d);

#endif
