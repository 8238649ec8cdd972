/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares distributions in all that they hold. */
#ifndef TEST_DISTRIBUTIONS_H
#define TEST_DISTRIBUTIONS_H

#include <string.h>

#include "stats/distribution.h"

static inline bool same_buckets(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, HISTOGRAM_BUCKETS * sizeof(*a)) == 0;
}

static inline bool same_distributions(const struct distribution *a, const struct distribution *b)
{
    if (a->count != b->count || a->sum_ns != b->sum_ns || a->min_ns != b->min_ns ||
        a->max_ns != b->max_ns || a->censored != b->censored ||
        a->censored_sum_ns != b->censored_sum_ns || a->censored_max_ns != b->censored_max_ns)
        return false;
    return same_buckets(a->buckets, b->buckets) &&
           (a->censored == 0 || same_buckets(a->censored_buckets, b->censored_buckets));
}

#endif
