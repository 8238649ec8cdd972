/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/certain/precision.h"

#include "base/util.h"

const int64_t headline_percentile[HEADLINE_PERCENTILES] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT,
                                                           99 * PERCENT + 9 * PERCENT / 10};

static const struct precision_figure *find(const struct precision *precision, int64_t percentile)
{
    for (unsigned i = 0; i < precision->count; i++)
        if (precision->figure[i].percentile == percentile)
            return &precision->figure[i];
    return NULL;
}

struct confidence precision_find(const struct precision *precision, int64_t percentile)
{
    const struct precision_figure *figure = find(precision, percentile);
    return figure != NULL ? figure->confidence : (struct confidence){0};
}

void precision_add(struct precision *precision, int64_t percentile, struct confidence confidence)
{
    if (find(precision, percentile) == NULL && precision->count < ARRAY_SIZE(precision->figure))
        precision->figure[precision->count++] = (struct precision_figure){percentile, confidence};
}

struct precision precision_estimate(const struct batch_series *batches, const struct distribution *all,
                              const struct settings *settings)
{
    struct precision p = {0};
    if (batches->count < BATCH_SERIES_MIN || all->count == 0)
        return p;
    p.batches = (unsigned)batches->count;
    precision_add(&p, PRECISION_MEAN, batch_series_mean(batches, all));
    for (unsigned i = 0; i < HEADLINE_PERCENTILES; i++)
        precision_add(&p, headline_percentile[i],
                      batch_series_percentile(batches, all, headline_percentile[i]));
    for (unsigned i = 0; i < settings->percentiles; i++)
        precision_add(&p, settings->percentile[i],
                      batch_series_percentile(batches, all, settings->percentile[i]));
    return p;
}
