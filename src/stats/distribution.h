/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distribution of one kind of time over one span of the run, as drained from histograms: counts
 * per bucket, sum and extremes. A distribution is used by one thread only.
 *
 * A distribution can hold censored values: lower bounds of times whose end was not observed. For
 * example, a request that was dropped or left unfinished took at least as long as its age. Censored
 * values count in every rank. A percentile that they make uncertain is flagged.
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"

/* Sums and extremes may have been drained before the counts (stats_drain_sums()). They agree with
 * the counts once all drains have been added up. */
struct distribution {
    uint64_t count; /* number of observed values */
    /* Exact sum of observed values; 64 bits are too few if many requests wait for hours. */
    unsigned __int128 sum_ns;
    int64_t min_ns; /* smallest observed value, exact; INT64_MAX if `count` is 0 */
    int64_t max_ns; /* largest observed value, exact; −1 if `count` is 0 */
    /* HISTOGRAM_BUCKETS counts of observed values; 0 outside the buckets of min_ns and max_ns */
    uint64_t *buckets;
    uint64_t censored; /* number of values known only by a lower bound */
    unsigned __int128 censored_sum_ns;
    int64_t censored_max_ns; /* largest lower bound; −1 if `censored` is 0 */
    /* HISTOGRAM_BUCKETS counts of lower bounds; NULL before the first */
    uint64_t *censored_buckets;
};

/* A time. If `censored` is true, it is a lower bound: the true value may be larger. If `unknown` is
 * true, there was no value to compute it from, and `ns` is 0. */
struct bounded {
    int64_t ns;
    bool censored;
    bool unknown;
};

void distribution_init(struct distribution *d);
void distribution_fini(struct distribution *d);
void distribution_reset(struct distribution *d);

/* Adds `src` to `dst`. The result is the same as if all values had been recorded in `dst`. */
void distribution_add(struct distribution *dst, const struct distribution *src);

/* Adds one observed value. For tests and for merging from files; workers record into a struct
 * histogram instead. */
void distribution_record(struct distribution *d, int64_t value_ns);
/* Returns the buckets of censored values, which are created on first use. */
uint64_t *distribution_bounds(struct distribution *d);
/* Adds one censored value, or `count` of them. */
void distribution_censor(struct distribution *d, int64_t lower_bound_ns);
void distribution_censor_many(struct distribution *d, int64_t lower_bound_ns, uint64_t count);
/* Adds every observed value of `bounds` as a censored value. */
void distribution_censor_all(struct distribution *d, const struct distribution *bounds);

/* Adds the extremes that a thread has recorded (counter.h) and resets them. */
void distribution_take_extremes(struct distribution *d, _Atomic int64_t *min_ns,
                                _Atomic int64_t *max_ns);

/*
 * Adds the values recorded in `h` since the last drain. A value may be drained from its bucket
 * shortly before or after its extreme is taken. The drained buckets therefore also limit the
 * extremes: min_ns is at most the upper end of the lowest bucket, and max_ns is at least the lower
 * end of the highest bucket. So all values are between the extremes, to within a bucket. Over the
 * whole run the extremes are exact, because each extreme is taken once.
 */
void distribution_drain(struct distribution *d, struct histogram *h);

/*
 * Returns a percentile by the nearest-rank method: the ⌈n·p/100⌉-th smallest of n values, observed
 * and censored together (the smallest rank is 1). `percentile` is p in millionths of a percent,
 * from 0 to 100·10^6. The result is within 0.1 % of the exact value and never outside [min, max].
 * The 100th percentile is the exact maximum. The result is unknown if the distribution is empty.
 *
 * The result is flagged as censored if there are fewer observed values than the rank. It is also
 * flagged if the censored values below it could shift the rank by more than its standard error,
 * sqrt(n·q·(1−q)) with q = p/100, which is the rank noise of any sample of n values.
 */
struct bounded distribution_percentile(const struct distribution *d, int64_t percentile);

/*
 * Return the mean and the maximum of observed and censored values together, which are unknown if
 * there are no values. The mean is flagged as censored if there are more censored values than the
 * standard error of the median's rank.
 */
struct bounded distribution_mean(const struct distribution *d);
struct bounded distribution_max(const struct distribution *d);
/* Returns the mean in nanoseconds without rounding, or NAN if there are no values. */
double distribution_mean_ns(const struct distribution *d);
/* Returns the smallest observed value, or 0 if no value was observed. */
int64_t distribution_min(const struct distribution *d);

#endif
