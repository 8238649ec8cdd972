/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the histograms of script_api.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/util.h"
#include "stats/histogram_text.h"
#include "workloads/script/script_api.h"

/* Bucket i represents the value min · ratio^i. A value is counted in the bucket that is nearest on
 * the logarithmic scale. */
struct script_histogram {
    unsigned size;
    double log_min, log_ratio;
    double *values;
    uint64_t counts[];
};

script_histogram *script_histogram_create(double size, double min, double max)
{
    if (!(size >= 2 && size <= 1e7 && min > 0 && max > min && isfinite(max)))
        return NULL;
    unsigned n = (unsigned)size;
    struct script_histogram *h = xcalloc(1, sizeof(*h) + n * sizeof(h->counts[0]));
    h->size = n;
    h->log_min = log(min);
    h->log_ratio = (log(max) - h->log_min) / (n - 1);
    h->values = xcalloc(n, sizeof(*h->values));
    for (unsigned i = 0; i < n; i++)
        h->values[i] = exp(h->log_min + i * h->log_ratio);
    return h;
}

void script_histogram_update(script_histogram *h, double value)
{
    double step = value > 0 ? floor((log(value) - h->log_min) / h->log_ratio + 0.5) : 0;
    h->counts[(unsigned)fmin(fmax(step, 0), h->size - 1)]++;
}

void script_histogram_print(script_histogram *h)
{
    histogram_text_rows(stdout, h->values, h->counts, h->size);
    log_flush_stdout();
}

void script_histogram_destroy(script_histogram *h)
{
    if (h == NULL)
        return;
    free(h->values);
    free(h);
}
