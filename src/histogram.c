/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

#include <sys/mman.h>

int64_t histogram_lower_ns(unsigned index)
{
    unsigned octave = index >> HISTOGRAM_SUB_BITS;
    if (octave < 2)
        return index;
    /* Every octave but the first holds mantissas from 2^B to 2^(B+1) − 1, shifted by octave − 1. */
    int64_t mantissa = HISTOGRAM_SUB_BUCKETS | (index & (HISTOGRAM_SUB_BUCKETS - 1));
    return mantissa << (octave - 1);
}

int64_t histogram_middle_ns(unsigned index)
{
    unsigned octave = index >> HISTOGRAM_SUB_BITS;
    int64_t half_width = octave < 2 ? 0 : (INT64_C(1) << (octave - 1)) / 2;
    return histogram_lower_ns(index) + half_width;
}

static uint64_t drain_octave(_Atomic uint64_t *bucket, uint64_t *counts)
{
    uint64_t moved = 0;
    for (unsigned i = 0; i < HISTOGRAM_SUB_BUCKETS; i++) {
        if (atomic_load_explicit(&bucket[i], memory_order_relaxed) == 0)
            continue;
        uint64_t n = atomic_exchange(&bucket[i], 0);
        counts[i] += n;
        moved += n;
    }
    return moved;
}

uint64_t histogram_drain(struct histogram *h, uint64_t *counts)
{
    uint64_t moved = 0;
    for (unsigned octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
        if (!atomic_load(&h->dirty[octave]))
            continue;
        /* Cleared before the counts are read: see histogram_record(). */
        atomic_store(&h->dirty[octave], 0);
        unsigned first = octave << HISTOGRAM_SUB_BITS;
        moved += drain_octave(&h->bucket[first], &counts[first]);
    }
    return moved;
}

struct histogram *histogram_create(unsigned count)
{
    /* Straight from the kernel, which gives zeroed pages when they are first touched. */
    void *p = mmap(NULL, count * sizeof(struct histogram), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return checked_alloc(p == MAP_FAILED ? NULL : p);
}

void histogram_destroy(struct histogram *h, unsigned count)
{
    if (h != NULL)
        munmap(h, count * sizeof(struct histogram));
}
