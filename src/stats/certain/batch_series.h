/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The response times of a run in batches: consecutive spans of time, each with its count, its sum
 * and a coarse histogram. The scatter of the batches shows how much the figures of the run are
 * worth. Response times depend on each other, because a long queue delays many requests, so n of
 * them count as n/D independent ones. The design effect D (L. Kish, 1965) is estimated for each
 * percentile from the shares of the batches that are beyond it. docs/definitions.md has the method,
 * its sources and its measured coverage.
 *
 * Batches are used by one thread only.
 */
#ifndef BATCH_SERIES_H
#define BATCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/distribution.h"

/* If there are this many batches, neighbours are joined, and later batches span twice the time. */
#define BATCH_SERIES_MAX 256
/* With fewer batches, nothing is estimated. */
#define BATCH_SERIES_MIN 5

struct batch;

struct batch_series {
    struct batch *batch; /* BATCH_SERIES_MAX elements */
    size_t count;        /* number of batches, including an unfinished last one */
    bool open;           /* true if the last batch is unfinished */
    int64_t from_ns;     /* begin of the last batch */
    int64_t span_ns;     /* least length of a batch */
};

/* The confidence interval of a figure. */
struct confidence {
    bool known; /* true if the bounds are known */
    int64_t low_ns, high_ns;
    /* If the run had too few requests for both bounds, how many times as many requests are needed,
     * at least 2; otherwise 0. */
    double needs;
};

/* A batch ends with the first addition at which it has lasted `span_ns`. If `span_ns` is 0, each
 * addition is a batch. The first batch begins at `from_ns`. */
void batch_series_init(struct batch_series *b, int64_t from_ns, int64_t span_ns);
void batch_series_fini(struct batch_series *b);

/* Adds the observed values of `d`, which were recorded since the last addition, until `at_ns`. If
 * `d` has only sums (stats_drain_sums()), `at_ns` must be 0, so that no batch ends between the sums
 * and their counts. */
void batch_series_add(struct batch_series *b, int64_t at_ns, const struct distribution *d);

/* Returns true if an addition at `at_ns` would end a batch. */
bool batch_series_due(const struct batch_series *b, int64_t at_ns);

/* Return the interval of the mean, or of a percentile in millionths of a percent, of `all`, which
 * has at least the values of all batches. Nothing is known if the figure is only a lower bound. */
struct confidence batch_series_mean(const struct batch_series *b, const struct distribution *all);
struct confidence batch_series_percentile(const struct batch_series *b,
                                          const struct distribution *all, int64_t percentile);

/* The same for intervals that do not contain the true figure with the probability `doubt` (0 <
 * doubt < 1). */
struct confidence batch_series_mean_at(const struct batch_series *b, const struct distribution *all,
                                       double doubt);
struct confidence batch_series_percentile_at(const struct batch_series *b,
                                             const struct distribution *all, int64_t percentile,
                                             double doubt);

/* Returns the precision of the throughput (values per time): the distance from the figure to the
 * farther bound of such an interval, as a share of the figure. Returns INFINITY if the interval is
 * not known. Only finished batches count. */
double batch_series_throughput_precision(const struct batch_series *b, double doubt);

#endif
