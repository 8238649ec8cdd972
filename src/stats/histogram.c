/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/histogram.h"

#include <sys/mman.h>

int64_t histogram_lower_ns(unsigned index)
{
    unsigned octave = index >> HISTOGRAM_SUB_BITS;
    if (octave < 2)
        return index;
    /* Every octave except the first holds mantissas from 2^B to 2^(B+1) − 1, shifted left by octave
     * − 1. */
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
 * No value is lost: a recorder adds to a bucket (A) and then reads the mark of its group (B). A
 * drain clears the mark (C) and then reads the bucket (D). If the recorder saw the old mark and the
 * drain saw the old bucket, the value would remain in a group without a mark, perhaps forever. But
 * all four operations are sequentially consistent: there is one total order S of them, which agrees
 * with the order within each thread, with the values that loads return, and with the order of
 * changes to each object. If D does not see A, then D comes before A in S, and the order is C, D,
 * A, B. So B sees the cleared mark, and the recorder sets the mark; or B sees a mark that another
 * recorder has set since. In both cases the next drain finds the mark.
 *
 * With a relaxed load at D this would not follow, because nothing would order the load after C. A
 * processor could then read the bucket while its store to the mark is still pending. x86-64 does
 * not do this (the store at C is an exchange, and the load at D is the same instruction in both
 * cases), but arm64 may.
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
    /* A mapping from the kernel, which zeroes pages when they are first touched. */
    void *p = mmap(NULL, count * sizeof(struct histogram), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return checked_alloc(p == MAP_FAILED ? NULL : p);
}

void histogram_destroy(struct histogram *h, unsigned count)
{
    if (h != NULL)
        munmap(h, count * sizeof(struct histogram));
}
