/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/histogram.h"

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
    if (atomic_load(&h->bucket[i]) == 0)
        return;
    uint64_t n = atomic_exchange(&h->bucket[i], 0);
    counts[i] += n;
    moved->first = moved->count == 0 ? i : moved->first;
    moved->last = i;
    moved->count += n;
}

/*
 * A recorder adds to a bucket (A) and then looks at the mark (B); a drain clears the mark (C) and
 * then looks at the bucket (D). Were a recorder to see the old mark and the drain the old bucket,
 * the value would stay behind without a mark, and perhaps for ever. All four are sequentially
 * consistent, so they stand in one order S that agrees with each thread's own, with what a load
 * reads, and with the order in which each object changes. If D does not see A, then D comes before
 * A in S: C, D, A, B. So B reads what C wrote, and the recorder sets the mark, or it reads a mark
 * that another recorder has set since; either is left for the next drain.
 *
 * With a relaxed load at D that does not follow: nothing orders it behind C. A processor may then
 * read the bucket while its store to the mark still waits. x86-64 does not (the store at C is an
 * exchange, and the load at D the same instruction in both cases), arm64 may.
 */
struct histogram_moved histogram_drain(struct histogram *h, uint64_t *counts)
{
    struct histogram_moved moved = {0};
    for (unsigned group = 0; group < HISTOGRAM_GROUPS; group++) {
        if (LIKELY(!atomic_load(&h->dirty[group])))
            continue;
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
