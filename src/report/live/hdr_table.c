/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of percentiles (.hgrm), which HdrHistogram's plotters read. */
#include <inttypes.h>
#include <math.h>

#include "base/util.h"
#include "report/live/hdr_log.h"

#define TICKS_PER_HALF_DISTANCE 5

/* Position in the sorted list of all values, both observed ones and lower bounds. */
struct cursor {
    const struct distribution *d;
    unsigned bucket;
    uint64_t passed; /* number of values in all buckets up to this one, including it */
};

static uint64_t bucket_count(const struct distribution *d, unsigned i)
{
    return d->buckets[i] + (d->censored_buckets != NULL ? d->censored_buckets[i] : 0);
}

static uint64_t total(const struct distribution *d)
{
    return d->count + d->censored;
}

/* Moves to the bucket that holds the value with this rank, counted from 1. */
static void seek(struct cursor *c, uint64_t rank)
{
    while (c->passed < rank)
        c->passed += bucket_count(c->d, ++c->bucket);
}

static int64_t largest_ns(const struct distribution *d)
{
    return max_i64(d->max_ns, d->censored > 0 ? d->censored_max_ns : 0);
}

static double cursor_ms(const struct cursor *c)
{
    int64_t middle = min_i64(largest_ns(c->d), histogram_middle_ns(c->bucket));
    return ns_to_ms(c->d->censored > 0 ? middle : max_i64(c->d->min_ns, middle));
}

/* Returns the next percentile of the table. Each time the remaining distance to 100 % is halved,
 * the step is halved, too. */
static double next_level(double level)
{
    double halvings = floor(log2(100 / (100 - level))) + 1;
    return level + 100 / (TICKS_PER_HALF_DISTANCE * exp2(halvings));
}

static double stddev_ms(const struct distribution *d, double mean_ms)
{
    double sum = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        double distance = ns_to_ms(histogram_middle_ns(i)) - mean_ms;
        sum += (double)bucket_count(d, i) * distance * distance;
    }
    return total(d) > 0 ? sqrt(sum / (double)total(d)) : 0;
}

static void print_rows(FILE *out, const struct distribution *d)
{
    struct cursor c = {.d = d, .passed = bucket_count(d, 0)};
    const uint64_t n = total(d);
    for (double level = 0; n > 0; level = next_level(level)) {
        seek(&c, (uint64_t)max_i64(1, (int64_t)ceil(level / 100 * (double)n)));
        fprintf(out, "%12.6f %2.12f %10" PRIu64 " %14.2f\n", cursor_ms(&c), level / 100, c.passed,
                100 / (100 - level));
        if (c.passed == n)
            break;
    }
    if (n > 0)
        fprintf(out, "%12.6f %2.12f %10" PRIu64 "\n", ns_to_ms(largest_ns(d)), 1.0, n);
}

void hgrm_print(FILE *out, const struct distribution *d)
{
    const double mean_ms = ns_to_ms(distribution_mean(d).ns);
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    print_rows(out, d);
    fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", mean_ms, stddev_ms(d, mean_ms));
    fprintf(out, "#[Max     = %12.6f, Total count    = %12" PRIu64 "]\n",
            total(d) > 0 ? ns_to_ms(largest_ns(d)) : 0.0, total(d));
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", HISTOGRAM_OCTAVES,
            HISTOGRAM_SUB_BUCKETS);
}
