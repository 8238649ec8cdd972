/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of one source added up over a span of time, and the figures of its series. */
#ifndef PROBE_SUMS_H
#define PROBE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/probe_series.h"

struct probe_sums {
    unsigned samples;
    int64_t took_ns, took_max_ns; /* by taking them */
    struct {
        double level; /* sum over `levels` samples */
        unsigned levels;
        double growth; /* over span_ns */
        int64_t span_ns;
    } value[PROBE_VALUES];
};

/*
 * Adds one sample. `before` is the one before it, so many nanoseconds earlier; NULL: there is none
 * to compare it with. Without `levels` only what has grown counts: the sample shows how things
 * stand when there is no load.
 */
void probe_sums_sample(struct probe_sums *sums, const double *value, const double *before,
                       int64_t span_ns, bool levels);
void probe_sums_add(struct probe_sums *to, const struct probe_sums *from);
/* Fills figure[0..table->count). */
void probe_sums_figures(const struct probe_sums *sums, const struct probe_table *table,
                        double *figure);

#endif
