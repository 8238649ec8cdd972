/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/report_json_value.h"

#include <math.h>
#include <string.h>

#include "base/secret.h"
#include "options/percentiles.h"
#include "report/json/figures.h"

static json_t *value_list(char *const *list)
{
    json_t *array = value_array();
    for (; list != NULL && *list != NULL; list++)
        value_append(array, value_text(*list));
    return array;
}

static json_t *value_masked_list(char *const *list)
{
    json_t *array = value_array();
    for (; list != NULL && *list != NULL; list++) {
        char *masked = secret_mask(*list);
        value_append(array, value_text(masked));
        free(masked);
    }
    return array;
}

json_t *value_option(const struct option_spec *row, const struct option_value *value)
{
    if (row->type == OPTION_BOOL)
        return json_boolean(value->integer);
    if (row->type == OPTION_LIST)
        return value_list(value->list);
    if (row->repeats)
        return value_masked_list(value->list);
    if (value->off || value->text == NULL)
        return json_null();
    switch (row->type) {
    case OPTION_INT:
    case OPTION_SIZE:
        return json_integer(value->integer);
    case OPTION_DOUBLE:
    case OPTION_SECONDS:
        return value_real(value->number);
    default:
        return value->is_number ? value_real(value->number) : value_text(value->text);
    }
}

static json_t *value_time(int64_t ns, int64_t unit_ns)
{
    return value_real((double)ns / (double)unit_ns);
}

json_t *value_percentiles(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                          unsigned percentiles)
{
    const bool empty = d->count + d->censored == 0;
    json_t *object = value_object();
    for (unsigned i = 0; i < percentiles; i++) {
        char name[24];
        struct bounded figure = distribution_percentile(d, percentile[i]);
        json_t *entry = value_object();
        value_set(entry, "value", empty ? json_null() : value_time(figure.ns, unit_ns));
        value_set(entry, "censored", json_boolean(figure.censored));
        value_set(object, percentile_label(percentile[i], name, sizeof(name)), entry);
    }
    return object;
}

json_t *value_distribution(const struct distribution *d, int64_t unit_ns, const int64_t *percentile,
                           unsigned percentiles)
{
    const uint64_t n = d->count + d->censored;
    const struct bounded max = distribution_max(d);
    json_t *object = value_object();

    value_set(object, "count", value_count(d->count));
    value_set(object, "censored", value_count(d->censored));
    value_set(object, "min", d->count > 0 ? value_time(distribution_min(d), unit_ns) : json_null());
    value_set(object, "mean", value_real(distribution_mean_ns(d) / (double)unit_ns));
    value_set(object, "max", n > 0 ? value_time(max.ns, unit_ns) : json_null());
    value_set(object, "mean_censored", json_boolean(distribution_mean(d).censored));
    value_set(object, "max_censored", json_boolean(max.censored));
    value_set(object, "percentiles", value_percentiles(d, unit_ns, percentile, percentiles));
    return object;
}

json_t *value_requests(const struct requests *r)
{
    json_t *object = value_object();
    figures_write(object, figures_of_requests, r);
    value_set(object, "unfinished", value_count(r->queued + r->in_service));
    return object;
}

json_t *value_counters(const uint64_t counter[COUNTER_TYPES])
{
    json_t *object = value_object();
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        if (counter_name(i) != NULL)
            value_set(object, counter_name(i), value_count(counter[i]));
    return object;
}

json_t *value_buckets(const uint64_t *buckets)
{
    json_t *array = value_array();
    for (unsigned i = 0; buckets != NULL && i < HISTOGRAM_BUCKETS; i++) {
        if (buckets[i] == 0)
            continue;
        json_t *pair = value_array();
        value_append(pair, json_integer(histogram_lower_ns(i)));
        value_append(pair, value_count(buckets[i]));
        value_append(array, pair);
    }
    return array;
}

/* Returns the lower bound of the heat map's bucket: the first HEAT_SUB_BITS + 1 binary digits of
 * the value; the other digits become 0. */
static int64_t heat_lower_ns(int64_t ns)
{
    const int digits = 64 - __builtin_clzll((uint64_t)ns | 1);
    const int dropped = digits > HEAT_SUB_BITS + 1 ? digits - HEAT_SUB_BITS - 1 : 0;
    return ns >> dropped << dropped;
}

static void append_heat(json_t *array, int64_t lower_ns, uint64_t count)
{
    json_t *pair = value_array();
    value_append(pair, json_integer(lower_ns));
    value_append(pair, value_count(count));
    value_append(array, pair);
}

json_t *value_heat(const struct distribution *d)
{
    json_t *array = value_array();
    const unsigned end = d->count > 0 ? histogram_index(d->max_ns) + 1 : 0;
    int64_t lower_ns = 0;
    uint64_t count = 0;
    for (unsigned i = end > 0 ? histogram_index(d->min_ns) : 0; i < end; i++) {
        const int64_t next_ns = heat_lower_ns(histogram_lower_ns(i));
        if (next_ns != lower_ns && count > 0) {
            append_heat(array, lower_ns, count);
            count = 0;
        }
        lower_ns = next_ns;
        count += d->buckets[i];
    }
    if (count > 0)
        append_heat(array, lower_ns, count);
    return array;
}

/* Readers of JSON, such as jansson, limit whole numbers to 64 bits, so larger sums are written
 * as real numbers. */
static json_t *value_sum(unsigned __int128 ns)
{
    return ns <= INT64_MAX ? json_integer((json_int_t)ns) : value_real((double)ns);
}

json_t *value_sums(const struct distribution *d)
{
    json_t *object = value_object();
    value_set(object, "count", value_count(d->count));
    value_set(object, "sum_ns", value_sum(d->sum_ns));
    value_set(object, "min_ns", d->count > 0 ? json_integer(d->min_ns) : json_null());
    value_set(object, "max_ns", d->count > 0 ? json_integer(d->max_ns) : json_null());
    value_set(object, "censored", value_count(d->censored));
    value_set(object, "censored_sum_ns", value_sum(d->censored_sum_ns));
    value_set(object, "censored_max_ns",
              d->censored > 0 ? json_integer(d->censored_max_ns) : json_null());
    return object;
}

json_t *value_histograms(const struct snapshot *s)
{
    json_t *object = value_object(), *censored = value_object(), *sums = value_object();

    for (unsigned i = 0; i < FIGURE_TIMES; i++) {
        const char *name = figure_time_name(i);
        const struct distribution *d = figure_distribution((struct snapshot *)s, i);
        if ((i == FIGURE_SESSION || i == FIGURE_CONNECTION_WAIT) && d->count + d->censored == 0)
            continue;
        value_set(object, name, value_buckets(d->buckets));
        value_set(censored, name, value_buckets(d->censored_buckets));
        value_set(sums, name, value_sums(d));
    }
    value_set(object, "censored", censored);
    value_set(object, "sums", sums);
    return object;
}
