/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ranks of a run in the JSON report. */
#include "options/percentiles.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

static json_t *value_share(double share)
{
    return share >= 0 ? value_real(share) : json_null();
}

static json_t *value_started(const struct rank_result *r)
{
    return r->start_wall_ns > 0 ? value_real(ns_to_seconds(r->start_wall_ns)) : json_null();
}

static json_t *value_rank(const struct rank_result *r)
{
    static const int64_t lag_percentile[] = {50 * PERCENT, 99 * PERCENT};
    const struct settings *settings = &r->settings;
    const struct summary *total = &r->result.total;
    const struct snapshot *s = &total->snapshot;
    json_t *object = value_object();
    value_set(object, "rank", json_integer(settings->rank.number));
    value_set(object, "host", value_text(r->host));
    value_set(object, "workers", json_integer(settings->threads));
    value_set(object, "started_at", value_started(r));
    value_set(object, "end", value_text(judgement_end_name(&r->result.ending)));
    value_set(object, "partial", json_boolean(r->partial));
    value_set(object, "elapsed_s", value_real(ns_to_seconds(total->elapsed_ns)));
    value_set(object, "requests", value_requests(&total->requests));
    value_set(object, "response_ms",
              value_distribution(&s->metric[METRIC_RESPONSE], NS_PER_MS, settings->percentile,
                                 settings->percentiles));
    if (settings->rate > 0) {
        value_set(object, "wait_ms",
                  value_distribution(&s->metric[METRIC_WAIT], NS_PER_MS, settings->percentile,
                                     settings->percentiles));
        value_set(
            object, "generator_lag_us",
            value_distribution(&s->lag, NS_PER_US, lag_percentile, ARRAY_SIZE(lag_percentile)));
    }
    value_set(object, "client_cpu", value_share(r->judgement.trust.evidence.client_cpu));
    value_set(object, "outages", value_outages(&r->result.outages));
    value_set(object, "verdict", value_verdict(&r->judgement.trust.verdict));
    return object;
}

static json_t *value_alignment(const struct ranks *ranks)
{
    json_t *object = value_object();
    value_set(object, "apart_ms", value_real(ns_to_ms(ranks->spread_ns)));
    value_set(object, "bound_ms",
              ranks->bound_ns >= 0 ? value_real(ns_to_ms(ranks->bound_ns)) : json_null());
    value_set(object, "drift_ms",
              ranks->drift_ns >= 0 ? value_real(ns_to_ms(ranks->drift_ns)) : json_null());
    value_set(object, "ends_apart_ms", value_real(ns_to_ms(ranks->ends_apart_ns)));
    return object;
}

void report_json_ranks(struct report_json *json, const struct ranks *ranks)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < ranks->count; i++)
        value_append(array, value_rank(&ranks->rank[i]));
    report_json_add(json, ranks->repeats ? "repeats" : "ranks", array);
    if (!ranks->repeats)
        report_json_add(json, "alignment", value_alignment(ranks));
}
