/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/probe_sums.h"

#include <math.h>

#include "base/util.h"

/* A value that has decreased is a counter that was reset: its growth since the previous sample is
 * not known and is left out. */
void probe_sums_sample(struct probe_sums *sums, const double *value, const double *before,
                       int64_t span_ns, bool levels)
{
    sums->samples++;
    for (unsigned i = 0; i < PROBE_VALUES; i++) {
        if (isnan(value[i]))
            continue;
        sums->value[i].level += levels ? value[i] : 0;
        sums->value[i].levels += levels;
        if (before != NULL && value[i] >= before[i]) {
            sums->value[i].growth += value[i] - before[i];
            sums->value[i].span_ns += span_ns;
        }
    }
}

void probe_sums_add(struct probe_sums *to, const struct probe_sums *from)
{
    to->samples += from->samples;
    to->took_ns += from->took_ns;
    to->took_max_ns = max_i64(to->took_max_ns, from->took_max_ns);
    to->late = to->late || from->late;
    for (unsigned i = 0; i < PROBE_VALUES; i++) {
        to->value[i].level += from->value[i].level;
        to->value[i].levels += from->value[i].levels;
        to->value[i].growth += from->value[i].growth;
        to->value[i].span_ns += from->value[i].span_ns;
    }
}

static double divide(double x, double by)
{
    return by > 0 ? x / by : NAN;
}

static double figure_of(const struct probe_sums *sums, const struct probe_series *series)
{
    const double growth = sums->value[series->value].growth;
    const int64_t span_ns = sums->value[series->value].span_ns;
    switch (series->kind) {
    case PROBE_LEVEL:
        return divide(sums->value[series->value].level, sums->value[series->value].levels);
    case PROBE_RATE:
        return divide(growth, ns_to_seconds(span_ns));
    case PROBE_SHARE:
        return span_ns > 0 ? 100 * divide(growth, sums->value[series->per].growth) : NAN;
    case PROBE_REST:
        return span_ns > 0 ? 100 - 100 * divide(growth, sums->value[series->per].growth) : NAN;
    }
    return NAN;
}

void probe_sums_figures(const struct probe_sums *sums, const struct probe_table *table,
                        double *figure)
{
    for (size_t i = 0; i < table->count; i++) {
        const double unit = table->series[i].unit;
        figure[i] = figure_of(sums, &table->series[i]) / (unit > 0 ? unit : 1);
    }
}
