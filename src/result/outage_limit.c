/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/outage_limit.h"

#include <stdlib.h>

#include "base/util.h"
#include "result/outage.h"

/* The limit is LIMIT_RATIO times this percentile of the response times of the requests that waited
 * in no outage. At least REST_MIN such requests are needed. */
#define REST_PERCENTILE (99 * PERCENT)
#define LIMIT_RATIO 5
#define REST_MIN 20
/* Largest share of all requests that may wait in outages. If more requests wait in silences,
 * silences are usual in the run. */
#define WAITING_SHARE 0.5

static int by_length(const void *a, const void *b)
{
    const struct silence *x = a, *y = b;
    return (x->length_ns < y->length_ns) - (x->length_ns > y->length_ns);
}

/* Returns the limit if `waiting` requests, which are assumed to be the slowest, waited in
 * outages. */
static int64_t limit_without(const struct distribution *response, int64_t median_ns,
                             uint64_t waiting)
{
    const uint64_t all = response->count + response->censored;
    if (all < waiting + REST_MIN)
        return INT64_MAX;
    const double rest = (double)(all - waiting) / (double)all;
    const int64_t usual_ns =
        distribution_percentile(response, (int64_t)((double)REST_PERCENTILE * rest)).ns;
    return max_i64(OUTAGE_FLOOR_NS, max_i64(OUTAGE_MEDIANS * median_ns, LIMIT_RATIO * usual_ns));
}

/*
 * The requests that wait in outages are the slowest of the run, and may be more than 1 % of all. So
 * as many silences as possible are taken for outages, the longest ones first: each of them must
 * reach the limit that follows from the requests that waited in none of them.
 */
int64_t outage_limit_ns(const struct distribution *response, int64_t median_ns,
                        struct silence *silence, unsigned count)
{
    int64_t limit_ns = limit_without(response, median_ns, 0);
    const double all = (double)(response->count + response->censored);
    uint64_t waiting = 0;
    qsort(silence, count, sizeof(*silence), by_length);
    for (unsigned i = 0; i < count; i++) {
        waiting += silence[i].waiting;
        if (i > 0 && (double)waiting > WAITING_SHARE * all)
            break;
        const int64_t without_ns = limit_without(response, median_ns, waiting);
        if (silence[i].length_ns >= without_ns)
            limit_ns = min_i64(limit_ns, without_ns);
    }
    return limit_ns < INT64_MAX ? limit_ns : -1;
}
