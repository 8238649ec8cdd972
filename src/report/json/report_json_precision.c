/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the 95 % intervals of the response times, and reads them again. */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "report/json/report_json_value.h"

#define MEAN "mean"

static json_t *value_confidence(const struct confidence *c)
{
    json_t *object = value_object();
    value_set(object, "low", c->known ? value_real((double)c->low_ns / NS_PER_MS) : json_null());
    value_set(object, "high", c->known ? value_real((double)c->high_ns / NS_PER_MS) : json_null());
    if (c->needs > 0)
        value_set(object, "needs_times", value_real(c->needs));
    return object;
}

json_t *value_precision(const struct precision *precision)
{
    json_t *object = value_object(), *figures = value_object();
    value_set(object, "confidence", value_real(0.95));
    value_set(object, "batches", json_integer(precision->batches));
    for (unsigned i = 0; i < precision->count; i++) {
        const struct precision_figure *figure = &precision->figure[i];
        char label[24] = MEAN;
        if (figure->percentile != PRECISION_MEAN)
            percentile_label(figure->percentile, label, sizeof(label));
        value_set(figures, label, value_confidence(&figure->confidence));
    }
    value_set(object, "response_ms", figures);
    return object;
}

static int64_t ns_of_ms(const json_t *ms)
{
    return (int64_t)fmin(fmax(0, round(json_number_value(ms) * NS_PER_MS)), 0x1p62);
}

void precision_from_json(struct precision *precision, const json_t *object)
{
    const char *label;
    json_t *entry;
    *precision = (struct precision){
        .batches = (unsigned)json_integer_value(json_object_get(object, "batches"))};
    json_object_foreach(json_object_get(object, "response_ms"), label, entry)
    {
        const int64_t percentile = percentile_of_label(label);
        const json_t *low = json_object_get(entry, "low");
        if (percentile <= 0 && strcmp(label, MEAN) != 0)
            continue;
        precision_add(
            precision, percentile > 0 ? percentile : PRECISION_MEAN,
            (struct confidence){.known = json_is_number(low),
                                .low_ns = ns_of_ms(low),
                                .high_ns = ns_of_ms(json_object_get(entry, "high")),
                                .needs = json_number_value(json_object_get(entry, "needs_times"))});
    }
}
