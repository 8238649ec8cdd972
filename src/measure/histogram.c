/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/histogram.h"

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

static void drain_bucket(struct histogram *h, unsigned i, uint64_t *counts,
                         struct histogram_moved *moved)
{
    if (atomic_load_explicit(&h->bucket[i], memory_order_relaxed) == 0)
        return;
    uint64_t n = atomic_exchange(&h->bucket[i], 0);
    counts[i] += n;
    moved->first = moved->count == 0 ? i : moved->first;
    moved->last = i;
    moved->count += n;
}

struct histogram_moved histogram_drain(struct histogram *h, uint64_t *counts)
{
    struct histogram_moved moved = {0};
    for (unsigned group = 0; group < HISTOGRAM_GROUPS; group++) {
        if (LIKELY(!atomic_load(&h->dirty[group])))
            continue;
        /* Cleared before the counts are read: see histogram_record(). */
        atomic_store(&h->dirty[group], 0);
        unsigned first = group << HISTOGRAM_GROUP_BITS;
        for (unsigned i = first; i < first + HISTOGRAM_GROUP_BUCKETS; i++)
            drain_bucket(h, i, counts, &moved);
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
