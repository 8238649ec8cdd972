/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was drained from histograms: the distribution of one kind of time over one span. Private to
 * one thread.
 *
 * A distribution can hold censored values: lower bounds of times that were not observed to their
 * end (a request that was dropped or left unfinished took at least its age). They count in every
 * rank; a percentile that they make uncertain is flagged.
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"

/* Sums and extremes may have been drained before the counts (stats_drain_sums()): they agree where
 * all has been added up. */
struct distribution {
    uint64_t count;           /* observed values */
    unsigned __int128 sum_ns; /* exact; many that wait for hours come to more than 64 bits */
    int64_t min_ns;           /* exact; INT64_MAX when count is 0 */
    int64_t max_ns; /* exact; −1 when count is 0; every observed value is in a bucket between */
    uint64_t *buckets; /* HISTOGRAM_BUCKETS counts of observed values */
    uint64_t censored; /* values known by a lower bound only */
    unsigned __int128 censored_sum_ns;
    int64_t censored_max_ns;    /* −1: none */
    uint64_t *censored_buckets; /* counts of the bounds; NULL until the first */
};

/* A figure with its flag: censored means "at least that much". */
struct bounded {
    int64_t ns;
    bool censored;
};

void distribution_init(struct distribution *d);
void distribution_fini(struct distribution *d);
void distribution_reset(struct distribution *d);

/*
 * dst += src. No information is lost: merging and recording in one place give the same result.
 */
void distribution_add(struct distribution *dst, const struct distribution *src);

/*
 * Adds one observed value (tests, merging from files; the hot path records to a struct histogram).
 */
void distribution_record(struct distribution *d, int64_t value_ns);
/* The buckets of censored values, made where there were none. */
uint64_t *distribution_bounds(struct distribution *d);
void distribution_censor(struct distribution *d, int64_t lower_bound_ns);
void distribution_censor_many(struct distribution *d, int64_t lower_bound_ns, uint64_t count);
/* Adds every observed value of `bounds` as a censored one. */
void distribution_censor_all(struct distribution *d, const struct distribution *bounds);

/* Moves the extremes that a thread has recorded (counter.h), leaving none. */
void distribution_take_extremes(struct distribution *d, _Atomic int64_t *min_ns,
                                _Atomic int64_t *max_ns);

/*
 * Adds what was recorded in `h` since it was last drained. A value may be drained from its bucket a
 * moment before or after its extreme is taken: in that span the buckets bound the extremes, the
 * minimum from above and the maximum from below. So all values lie between the extremes, and over
 * the whole run both are exact, since every extreme is taken once.
 */
void distribution_drain(struct distribution *d, struct histogram *h);

/*
 * Nearest rank: the ⌈n·p/100⌉-th smallest value, `percentile` in millionths of a percent (0 …
 * 100·10^6; the smallest rank is 1), n observed and censored together. Within 0.1 %, never outside
 * [min, max]; 100 % is the exact maximum. 0 when empty.
 *
 * Flagged censored when the percentile falls among the censored values: when there are not as many
 * observed values as the rank asks for, or when the bounds below it could shift the rank by more
 * than its own standard error, sqrt(n·q·(1−q)), the rank noise that a sample of n has anyway.
 */
struct bounded distribution_percentile(const struct distribution *d, int64_t percentile);

/* Mean and maximum over observed and censored values; 0 when empty. The mean is flagged as the
 * median would be. */
struct bounded distribution_mean(const struct distribution *d);
struct bounded distribution_max(const struct distribution *d);
/* The mean before it is rounded to whole nanoseconds; NAN when empty. */
double distribution_mean_ns(const struct distribution *d);
int64_t distribution_min(const struct distribution *d);

#endif
