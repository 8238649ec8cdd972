/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases of a changing arrival rate in the JSON report. */
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

static json_t *value_phase(const struct rate_phase *phase, const struct settings *settings)
{
    const struct distribution *d = &phase->response;
    json_t *object = value_object();
    value_set(object, "from_s", value_real(ns_to_seconds(phase->from_ns)));
    value_set(object, "to_s", value_real(ns_to_seconds(phase->to_ns)));
    value_set(object, "rate_from_per_s", value_real(phase->rate_from));
    value_set(object, "rate_to_per_s", value_real(phase->rate_to));
    value_set(object, "requests", value_count(d->count + d->censored));
    value_set(object, "response_ms",
              value_distribution(d, NS_PER_MS, settings->percentile, settings->percentiles));
    return object;
}

void report_json_phases(struct report_json *json, const struct settings *settings,
                        const struct rate_phase *phases, unsigned count)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < count; i++)
        value_append(array, value_phase(&phases[i], settings));
    report_json_add(json, "phases", array);
}
