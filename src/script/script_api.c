/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers and histograms of script_api.h; script_report.c has its reports, command.c its
 * commands.
 */
#include "script/script_api.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "measure/histogram_text.h"
#include "script/script_internal.h"

static _Thread_local struct rand *rand_of_thread;

void script_bind_rand(struct rand *rand)
{
    rand_of_thread = rand;
}

#define DEFINE_DISTRIBUTION(name)                                                                  \
    double script_rand_##name(double a, double b)                                                  \
    {                                                                                              \
        return rand_##name(rand_of_thread, a, b);                                                  \
    }                                                                                              \
    uint32_t sb_rand_##name(uint32_t a, uint32_t b)                                                \
    {                                                                                              \
        return (uint32_t)rand_##name(rand_of_thread, a, b);                                        \
    }

DEFINE_DISTRIBUTION(default)
DEFINE_DISTRIBUTION(uniform)
DEFINE_DISTRIBUTION(gaussian)
DEFINE_DISTRIBUTION(special)
DEFINE_DISTRIBUTION(pareto)
DEFINE_DISTRIBUTION(zipfian)

uint32_t sb_rand_unique(void)
{
    return rand_unique(rand_of_thread);
}

uint64_t sb_rand_uniform_uint64(void)
{
    return rand_stream_u64(&rand_of_thread->stream);
}

double sb_rand_uniform_double(void)
{
    return rand_stream_double(&rand_of_thread->stream);
}

void sb_rand_str(const char *fmt, char *buf)
{
    rand_string(rand_of_thread, fmt, buf);
}

uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len)
{
    return (uint32_t)rand_varstring(rand_of_thread, buf, min_len, max_len);
}

/* Step i stands for min · ratio^i; a value counts in the step nearest to it on the logarithmic
 * scale. */
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
