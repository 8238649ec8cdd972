/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of times in nanoseconds that any number of threads may share.
 *
 * Precision: values below 2^(B+1) ns have a bucket each (B = 9). Above, every power of two is split
 * into 2^B equal buckets. A bucket that starts at v ≥ 2^(B+1) is at most v / 2^B wide, so its
 * middle is at most v / 2^(B+1) = 0.098 % away from any value in it. The last octave ends at 2^46
 * ns = 19.5 hours. Longer values count in the last bucket.
 *
 * Recording takes an integer shift and one atomic addition and never waits (wait-free on x86-64).
 * Any thread may record; one thread drains.
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

/* Buckets are drained in groups. At a low request rate most groups have no new values and are
 * skipped. */
#define HISTOGRAM_GROUP_BITS 6
#define HISTOGRAM_GROUP_BUCKETS (1 << HISTOGRAM_GROUP_BITS)
#define HISTOGRAM_GROUPS (HISTOGRAM_BUCKETS / HISTOGRAM_GROUP_BUCKETS)

struct histogram {
    /* 1 for each group to which values were added since the last drain */
    _Alignas(CACHE_ALIGN) atomic_uchar dirty[HISTOGRAM_GROUPS];
    _Alignas(CACHE_ALIGN) _Atomic uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Returns the index of the bucket of `value_ns`. Negative values count as 0. */
static inline unsigned histogram_index(int64_t value_ns)
{
    const int64_t limit = (INT64_C(1) << HISTOGRAM_MAX_BITS) - 1;
    uint64_t v = (uint64_t)(value_ns < 0 ? 0 : value_ns > limit ? limit : value_ns);
    int shift = 63 - __builtin_clzll(v | HISTOGRAM_SUB_BUCKETS) - HISTOGRAM_SUB_BITS;
    return ((unsigned)shift << HISTOGRAM_SUB_BITS) + (unsigned)(v >> shift);
}

/* Return the smallest value of a bucket, and its middle, which represents all values of the bucket.
 * Both are in nanoseconds. */
int64_t histogram_lower_ns(unsigned index);
int64_t histogram_middle_ns(unsigned index);

static inline void histogram_record(struct histogram *h, int64_t value_ns)
{
    unsigned index = histogram_index(value_ns);
    atomic_fetch_add(&h->bucket[index], 1);
    /* The mark is set after the addition, and all of these operations are sequentially consistent:
     * the proof at histogram_drain() (histogram.c) depends on it. */
    atomic_uchar *dirty = &h->dirty[index >> HISTOGRAM_GROUP_BITS];
    if (UNLIKELY(!atomic_load(dirty)))
        atomic_store(dirty, 1);
}

/* Result of a drain: the number of values moved, and the lowest and highest bucket they came from.
 * All three are 0 if no value was moved. */
struct histogram_moved {
    uint64_t count;
    unsigned first, last;
};

/* Adds all counts to `counts`, an array of HISTOGRAM_BUCKETS, and resets them in `h`. Each recorded
 * value is moved by exactly one drain. Only one thread may drain a histogram at a time. */
struct histogram_moved histogram_drain(struct histogram *h, uint64_t *counts);

/* Returns an array of `count` empty histograms. Memory pages are allocated when they are first
 * used. Free the array with histogram_destroy(). */
struct histogram *histogram_create(unsigned count);
void histogram_destroy(struct histogram *h, unsigned count);

#endif
