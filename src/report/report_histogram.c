/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of a distribution on sysbench's grid: 1024 logarithmic steps from 0.001 ms to 100 s.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

enum { STEPS = 1024, BAR_WIDTH = 40 };
#define GRID_MIN_MS 0.001
#define GRID_MAX_MS 100000.0

static double steps_per_log(void)
{
    return (STEPS - 1) / log(GRID_MAX_MS / GRID_MIN_MS);
}

static unsigned step_of(double ms)
{
    double step = floor((log(ms) - log(GRID_MIN_MS)) * steps_per_log() + 0.5);
    return (unsigned)fmin(fmax(step, 0), STEPS - 1); /* log 0 is −∞ */
}

void report_histogram_rows(FILE *out, const double *values, const uint64_t *counts, unsigned n)
{
    static const char bar[] = "****************************************";
    uint64_t largest = 0;

    for (unsigned i = 0; i < n; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    if (largest == 0)
        return;
    fputs("       value  ------------- distribution ------------- count\n", out);
    for (unsigned i = 0; i < n; i++) {
        if (counts[i] == 0)
            continue;
        int length = (int)floor((double)counts[i] / (double)largest * BAR_WIDTH + 0.5);
        fprintf(out, "%12.3f |%-40.*s %" PRIu64 "\n", values[i], length, bar, counts[i]);
    }
}

void report_histogram(FILE *out, const struct distribution *distribution)
{
    double values[STEPS];
    uint64_t counts[STEPS] = {0};

    for (unsigned i = 0; i < STEPS; i++)
        values[i] = GRID_MIN_MS * exp(i / steps_per_log());
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (distribution->buckets[i] > 0)
            counts[step_of(ns_to_ms(histogram_middle_ns(i)))] += distribution->buckets[i];

    fputs("Latency histogram (values are in milliseconds)\n", out);
    report_histogram_rows(out, values, counts, STEPS);
    if (distribution->censored > 0)
        fprintf(out, "%" PRIu64 " requests more did not complete, so they have no value\n",
                distribution->censored);
    fputs(" \n", out);
}
