/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/distribution.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#define BUCKET_BYTES (HISTOGRAM_BUCKETS * sizeof(uint64_t))

/*
 * Most buckets stay empty, and untouched pages of a fresh mapping cost nothing. Memory from malloc
 * would have to be cleared if it was used before: this was half of the work of adding up many
 * ranks.
 */
static uint64_t *buckets_create(void)
{
    void *buckets =
        mmap(NULL, BUCKET_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return checked_alloc(buckets != MAP_FAILED ? buckets : NULL);
}

static void buckets_destroy(uint64_t *buckets)
{
    if (buckets != NULL)
        munmap(buckets, BUCKET_BYTES);
}

static void set_empty(struct distribution *d, uint64_t *buckets, uint64_t *censored_buckets)
{
    *d = (struct distribution){.min_ns = INT64_MAX,
                               .max_ns = -1,
                               .buckets = buckets,
                               .censored_max_ns = -1,
                               .censored_buckets = censored_buckets};
}

void distribution_init(struct distribution *d)
{
    set_empty(d, buckets_create(), NULL);
}

void distribution_fini(struct distribution *d)
{
    buckets_destroy(d->buckets);
    buckets_destroy(d->censored_buckets);
}

/* Only the buckets between the extremes need to be cleared, usually a fifth of all. */
static void clear_observed(struct distribution *d)
{
    unsigned first = histogram_index(d->min_ns), last = histogram_index(d->max_ns);
    memset(&d->buckets[first], 0, (last - first + 1) * sizeof(d->buckets[0]));
}

void distribution_reset(struct distribution *d)
{
    if (d->count > 0)
        clear_observed(d);
    if (d->censored > 0)
        memset(d->censored_buckets, 0, BUCKET_BYTES);
    set_empty(d, d->buckets, d->censored_buckets);
}

uint64_t *distribution_bounds(struct distribution *d)
{
    if (d->censored_buckets == NULL)
        d->censored_buckets = buckets_create();
    return d->censored_buckets;
}

static void add_buckets(uint64_t *dst, const uint64_t *src, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        dst[i] += src[i];
}

static void add_observed(uint64_t *dst, const struct distribution *src)
{
    add_buckets(dst, src->buckets, histogram_index(src->min_ns), histogram_index(src->max_ns));
}

void distribution_add(struct distribution *dst, const struct distribution *src)
{
    if (src->count > 0)
        add_observed(dst->buckets, src);
    if (src->censored > 0)
        add_buckets(distribution_bounds(dst), src->censored_buckets, 0, HISTOGRAM_BUCKETS - 1);
    dst->count += src->count;
    dst->sum_ns += src->sum_ns;
    dst->min_ns = min_i64(dst->min_ns, src->min_ns);
    dst->max_ns = max_i64(dst->max_ns, src->max_ns);
    dst->censored += src->censored;
    dst->censored_sum_ns += src->censored_sum_ns;
    dst->censored_max_ns = max_i64(dst->censored_max_ns, src->censored_max_ns);
}

void distribution_record(struct distribution *d, int64_t value_ns)
{
    d->buckets[histogram_index(value_ns)]++;
    d->count++;
    d->sum_ns += (uint64_t)value_ns;
    d->min_ns = min_i64(d->min_ns, value_ns);
    d->max_ns = max_i64(d->max_ns, value_ns);
}

void distribution_censor_many(struct distribution *d, int64_t lower_bound_ns, uint64_t count)
{
    if (count == 0)
        return;
    distribution_bounds(d)[histogram_index(lower_bound_ns)] += count;
    d->censored += count;
    d->censored_sum_ns += (unsigned __int128)count * (uint64_t)lower_bound_ns;
    d->censored_max_ns = max_i64(d->censored_max_ns, lower_bound_ns);
}

void distribution_censor(struct distribution *d, int64_t lower_bound_ns)
{
    distribution_censor_many(d, lower_bound_ns, 1);
}

void distribution_censor_all(struct distribution *d, const struct distribution *bounds)
{
    if (bounds->count == 0)
        return;
    add_observed(distribution_bounds(d), bounds);
    d->censored += bounds->count;
    d->censored_sum_ns += bounds->sum_ns;
    d->censored_max_ns = max_i64(d->censored_max_ns, bounds->max_ns);
}

/* Returns ⌈n · percentile / 100 %⌉, at least 1, computed with integers. */
static uint64_t nearest_rank(uint64_t n, int64_t percentile)
{
    const unsigned __int128 whole = 100 * PERCENT;
    unsigned __int128 product = (unsigned __int128)n * (unsigned __int128)percentile;
    uint64_t rank = (uint64_t)((product + whole - 1) / whole);
    return rank == 0 ? 1 : rank;
}

/* Returns the number of observed and censored values in bucket `i`. */
static uint64_t bucket_count(const struct distribution *d, unsigned i)
{
    return d->buckets[i] + (d->censored > 0 ? d->censored_buckets[i] : 0);
}

/*
 * Returns true if `shift` more values below a percentile could move its rank by more than the
 * standard error. Both sides are squared: shift² > n · q · (1 − q), where q is the percentile as a
 * share of 1.
 */
static bool exceeds_rank_error(uint64_t shift, uint64_t n, int64_t percentile)
{
    double q = (double)percentile / (100.0 * PERCENT);
    return (double)shift * (double)shift > (double)n * q * (1 - q);
}

struct bounded distribution_max(const struct distribution *d)
{
    if (d->count + d->censored == 0)
        return (struct bounded){.unknown = true};
    bool censored = d->censored > 0 && d->censored_max_ns >= d->max_ns;
    return (struct bounded){.ns = max_i64(d->max_ns, d->censored_max_ns), .censored = censored};
}

int64_t distribution_min(const struct distribution *d)
{
    /* While both are known by their buckets only, min_ns may exceed max_ns: see
     * distribution_drain(). */
    return d->count > 0 ? min_i64(d->min_ns, d->max_ns) : 0;
}

/* Returns the bucket that holds the value of the given rank. Sets *bounds_below to the number of
 * censored values in this bucket and all lower ones. */
static unsigned bucket_of_rank(const struct distribution *d, uint64_t rank, uint64_t *bounds_below)
{
    uint64_t seen = 0;
    *bounds_below = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += bucket_count(d, i);
        *bounds_below += d->censored > 0 ? d->censored_buckets[i] : 0;
        if (seen >= rank)
            return i;
    }
    return HISTOGRAM_BUCKETS - 1;
}

struct bounded distribution_percentile(const struct distribution *d, int64_t percentile)
{
    uint64_t n = d->count + d->censored;
    if (n == 0 || percentile >= 100 * PERCENT)
        return distribution_max(d);

    uint64_t rank = nearest_rank(n, percentile);
    uint64_t bounds_below;
    int64_t ns = histogram_middle_ns(bucket_of_rank(d, rank, &bounds_below));
    int64_t max_ns = max_i64(d->max_ns, d->censored_max_ns);
    if (d->censored == 0)
        ns = max_i64(ns, d->min_ns);

    struct bounded result = {.ns = min_i64(ns, max_ns)};
    if (d->censored > 0)
        result.censored = rank > d->count || exceeds_rank_error(bounds_below, n, percentile);
    return result;
}

double distribution_mean_ns(const struct distribution *d)
{
    const uint64_t n = d->count + d->censored;
    return n > 0 ? ((double)d->sum_ns + (double)d->censored_sum_ns) / (double)n : NAN;
}

struct bounded distribution_mean(const struct distribution *d)
{
    uint64_t n = d->count + d->censored;
    if (n == 0)
        return (struct bounded){.unknown = true};
    unsigned __int128 sum = d->sum_ns + d->censored_sum_ns;
    return (struct bounded){.ns = (int64_t)((sum + n / 2) / n),
                            .censored = exceeds_rank_error(d->censored, n, 50 * PERCENT)};
}

void distribution_take_extremes(struct distribution *d, _Atomic int64_t *min_ns,
                                _Atomic int64_t *max_ns)
{
    d->min_ns = min_i64(d->min_ns, atomic_exchange(min_ns, INT64_MAX));
    d->max_ns = max_i64(d->max_ns, atomic_exchange(max_ns, -1));
}

void distribution_drain(struct distribution *d, struct histogram *h)
{
    struct histogram_moved moved = histogram_drain(h, d->buckets);
    if (moved.count == 0)
        return;
    d->count += moved.count;
    d->max_ns = max_i64(d->max_ns, histogram_lower_ns(moved.last));
    if (moved.first + 1 < HISTOGRAM_BUCKETS)
        d->min_ns = min_i64(d->min_ns, histogram_lower_ns(moved.first + 1) - 1);
}
