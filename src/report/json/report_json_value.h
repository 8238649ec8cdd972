/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that the JSON report is made of. Memory that jansson cannot get ends the process. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include <jansson.h>

#include "options/options.h"
#include "options/settings.h"
#include "result/outage.h"
#include "result/remarks.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "stats/probe.h"

/* Adds a value, which it takes over, to an object or an array. */
void value_set(json_t *object, const char *key, json_t *value);
void value_append(json_t *array, json_t *value);

json_t *value_object(void);
json_t *value_array(void);
json_t *value_count(uint64_t count);
/* null when it is not finite: JSON has no word for that. */
json_t *value_real(double x);
/* null for NULL. Bytes that are no UTF-8 are taken for Latin-1, so that any text can be written. */
json_t *value_text(const char *text);

/* The value of an option in its type; null for "off" and for none. */
json_t *value_option(const struct option_spec *row, const struct option_value *value);

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

/* What writes came to, by kind: {update: {count, no_ops, …}, …}, kinds without any left out. */
json_t *value_effects(const struct effects *e);
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
