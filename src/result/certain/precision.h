/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the mean and the percentiles of the response times of a run are worth: the 95 %
 * confidence interval of each. */
#ifndef PRECISION_H
#define PRECISION_H

#include "options/settings.h"
#include "options/until.h"
#include "stats/certain/batch_series.h"

/* Percentiles of the last lines of a report, which are printed whatever --percentile is. */
#define HEADLINE_PERCENTILES 4
extern const int64_t headline_percentile[HEADLINE_PERCENTILES];

struct precision_figure {
    int64_t percentile; /* in millionths of a percent; −1 for the mean */
    struct confidence confidence;
};

struct precision {
    unsigned batches; /* number of batches that were used; 0 if nothing is known */
    unsigned count;
    struct precision_figure figure[MAX_PERCENTILES + HEADLINE_PERCENTILES + 1];
    /* Goals of --until, and the precision of each at the last look, as a share of the figure;
     * INFINITY if not known. */
    unsigned goals;
    double reached[UNTIL_MAX];
};

#define PRECISION_MEAN INT64_C(-1)

/* Returns the intervals of the mean, of the percentiles in the settings, and of those of the last
 * lines. `all` has the response times of the whole measured part. */
struct precision precision_estimate(const struct batch_series *batches, const struct distribution *all,
                              const struct settings *settings);

/* Returns the interval of a percentile, or of the mean (PRECISION_MEAN), which may be unknown. */
struct confidence precision_find(const struct precision *precision, int64_t percentile);
/* Adds a figure. If it is already there or there is no room, it is ignored. */
void precision_add(struct precision *precision, int64_t percentile, struct confidence confidence);

#endif
