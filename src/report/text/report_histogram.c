/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The histogram of response times in the steps that sysbench uses: 1024 logarithmic steps from
 * 0.001 ms to 100 s.
 */
#include "report/text/report.h"

#include <inttypes.h>
#include <math.h>

#include "stats/histogram_text.h"

enum { STEPS = 1024 };
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
    histogram_text_rows(out, values, counts, STEPS);
    if (distribution->censored > 0)
        fprintf(out, "%" PRIu64 " more requests did not complete, so they have no value\n",
                distribution->censored);
    fputs(" \n", out);
}
