/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the samples of one probe source over a span of time, and computes the figures of its
 * series.
 */
#ifndef PROBE_SUMS_H
#define PROBE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/probe_series.h"

struct probe_sums {
    unsigned samples;
    int64_t took_ns, took_max_ns; /* total and longest duration of the reads */
    bool late; /* some of the growth may have happened before the span, or is missing */
    struct {
        double level; /* sum of the value over `levels` samples */
        unsigned levels;
        double growth; /* growth of the value during span_ns */
        int64_t span_ns;
    } value[PROBE_VALUES];
};

/*
 * Adds one sample. `before` is the previous sample, taken span_ns earlier, or NULL if there is
 * nothing to compare with. If `levels` is false, only the growth of values is added: the sample was
 * taken while there was no load, so its levels are not those of the run.
 */
void probe_sums_sample(struct probe_sums *sums, const double *value, const double *before,
                       int64_t span_ns, bool levels);
void probe_sums_add(struct probe_sums *to, const struct probe_sums *from);
/* Stores the figures in figure[0..table->count), with NAN for those that are not known. */
void probe_sums_figures(const struct probe_sums *sums, const struct probe_table *table,
                        double *figure);

#endif
