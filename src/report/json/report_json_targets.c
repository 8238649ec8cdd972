/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts, types of events, types of deferred work, and ranks in the JSON report. */
#include "report/json/report_json_value.h"
#include "report/text/report_text.h"

/* Adds the members that hosts and types have in common. */
static void add_totals(json_t *object, const struct target_total *t,
                       const struct settings *settings, int64_t span_ns, bool timed, bool whole)
{
    const struct distribution *response = &t->metric[METRIC_RESPONSE];
    const uint64_t completed = t->counter[COUNTER_EVENT];

    value_set(object, "completed", value_count(completed));
    value_set(object, "completed_per_s", value_real(report_rate(completed, span_ns)));
    value_set(object, "failed", value_count(t->counter[COUNTER_FAILED]));
    value_set(object, "counters", value_counters(t->counter));
    value_set(object, "response_ms",
              value_distribution(response, NS_PER_MS, settings->percentile, settings->percentiles));
    if (timed)
        value_set(object, "service_ms",
                  value_distribution(&t->metric[METRIC_SERVICE], NS_PER_MS, settings->percentile,
                                     settings->percentiles));
    if (whole) {
        value_set(object, "histogram", value_buckets(response->buckets));
        value_set(object, "sums", value_sums(response));
    }
}

static json_t *value_target(const struct target_total *t, const struct settings *settings,
                            int64_t span_ns, bool whole)
{
    json_t *object = value_object();
    value_set(object, "name", value_text(t->name));
    value_set(object, "connections", json_integer(t->connections));
    value_set(object, "lost", json_integer(t->lost));
    add_totals(object, t, settings, span_ns, settings->rate > 0, whole);
    return object;
}

json_t *value_targets(const struct target_totals *t, const struct settings *settings,
                      int64_t span_ns, bool whole)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->count; i++)
        value_append(array, value_target(&t->target[i], settings, span_ns, whole));
    return array;
}

static json_t *value_type(const struct target_total *t, const struct settings *settings,
                          int64_t span_ns, bool timed, bool whole)
{
    json_t *object = value_object();
    value_set(object, "type", value_text(t->name));
    add_totals(object, t, settings, span_ns, timed, whole);
    if (whole)
        value_set(object, "censored", value_buckets(t->metric[METRIC_RESPONSE].censored_buckets));
    return object;
}

json_t *value_event_types(const struct target_totals *t, const struct settings *settings,
                          int64_t span_ns, bool whole)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->count; i++)
        value_append(array,
                     value_type(&t->target[i], settings, span_ns, settings->rate > 0, whole));
    return array;
}

static json_t *value_deferred_type(const struct target_total *t, const struct settings *settings,
                                   int64_t span_ns, bool whole)
{
    json_t *object = value_type(t, settings, span_ns, true, whole);
    value_set(object, "queued", value_count(t->counter[COUNTER_QUEUED]));
    if (whole)
        value_set(object, "unfinished", value_count(t->counter[COUNTER_UNFINISHED]));
    return object;
}

json_t *value_deferred(const struct target_totals *t, const struct settings *settings,
                       int64_t span_ns, bool whole)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < t->count; i++)
        value_append(array, value_deferred_type(&t->target[i], settings, span_ns, whole));
    return array;
}

/* An interval may have a thousand ranks, so only the figures that the page draws are included.
 * They are null if the rank has not reported this interval. */
static json_t *value_interval_rank(const struct interval_rank *rank, int64_t span_ns,
                                   const struct settings *settings)
{
    const unsigned last = settings->percentiles > 0 ? settings->percentiles - 1 : 0;
    json_t *object = value_object();
    value_set(object, "rank", json_integer(rank->number));
    value_set(object, "completed", rank->known ? value_count(rank->completed) : json_null());
    value_set(object, "completed_per_s",
              rank->known ? value_real(report_rate(rank->completed, span_ns)) : json_null());
    value_set(object, "response_ms",
              value_distribution(&rank->response, NS_PER_MS, &settings->percentile[last],
                                 settings->percentiles - last));
    return object;
}

json_t *value_interval_ranks(const struct interval *interval, const struct settings *settings)
{
    const int64_t span_ns = interval->snapshot.to_ns - interval->snapshot.from_ns;
    json_t *array = value_array();
    for (unsigned i = 0; i < interval->ranks; i++)
        value_append(array, value_interval_rank(&interval->rank[i], span_ns, settings));
    return array;
}
