/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of nanoseconds that any number of threads may share.
 *
 * Precision: values below 2^(B+1) ns have a bucket each (B = 9); above, every power of two is split
 * into 2^B equal buckets. A bucket that starts at v ≥ 2^(B+1) is at most v / 2^B wide, so its
 * middle is at most v / 2^(B+1) = 0.098 % away from any value in it. The last octave ends at 2^46
 * ns = 19.5 hours; longer values count in the last bucket.
 *
 * Recording is an integer shift and one atomic addition; it never waits (wait-free on x86-64). One
 * thread drains.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/util.h"

#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_SUB_BUCKETS (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_MAX_BITS 46
#define HISTOGRAM_OCTAVES (HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1)
#define HISTOGRAM_BUCKETS (HISTOGRAM_OCTAVES * HISTOGRAM_SUB_BUCKETS)

/* Buckets are drained in groups: at a low rate most have nothing new. */
#define HISTOGRAM_GROUP_BITS 6
#define HISTOGRAM_GROUP_BUCKETS (1 << HISTOGRAM_GROUP_BITS)
#define HISTOGRAM_GROUPS (HISTOGRAM_BUCKETS / HISTOGRAM_GROUP_BUCKETS)

struct histogram {
    /* Which groups have been added to since they were last drained. */
    _Alignas(CACHE_ALIGN) atomic_uchar dirty[HISTOGRAM_GROUPS];
    _Alignas(CACHE_ALIGN) _Atomic uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* The bucket of `value_ns`; negative counts as 0. */
static inline unsigned histogram_index(int64_t value_ns)
{
    const int64_t limit = (INT64_C(1) << HISTOGRAM_MAX_BITS) - 1;
    uint64_t v = (uint64_t)(value_ns < 0 ? 0 : value_ns > limit ? limit : value_ns);
    int shift = 63 - __builtin_clzll(v | HISTOGRAM_SUB_BUCKETS) - HISTOGRAM_SUB_BITS;
    return ((unsigned)shift << HISTOGRAM_SUB_BITS) + (unsigned)(v >> shift);
}

/* The smallest value of a bucket, and the middle that stands for all of it, in nanoseconds. */
int64_t histogram_lower_ns(unsigned index);
int64_t histogram_middle_ns(unsigned index);

static inline void histogram_record(struct histogram *h, int64_t value_ns)
{
    unsigned index = histogram_index(value_ns);
    atomic_fetch_add(&h->bucket[index], 1);
    /* After the addition, and both in the one order of sequentially consistent operations: the
     * comment of histogram_drain() rests on it. */
    atomic_uchar *dirty = &h->dirty[index >> HISTOGRAM_GROUP_BITS];
    if (UNLIKELY(!atomic_load(dirty)))
        atomic_store(dirty, 1);
}

/* What a drain moved: so many values, of buckets `first` … `last`; 0 where there were none. */
struct histogram_moved {
    uint64_t count;
    unsigned first, last;
};

/*
 * Moves all counts to `counts` (added; HISTOGRAM_BUCKETS long): each recorded value is moved by
 * exactly one drain. Only one thread may drain a histogram at a time.
 */
struct histogram_moved histogram_drain(struct histogram *h, uint64_t *counts);

/*
 * An array of `count` empty histograms; pages are touched when used. Free with histogram_destroy().
 */
struct histogram *histogram_create(unsigned count);
void histogram_destroy(struct histogram *h, unsigned count);

#endif
