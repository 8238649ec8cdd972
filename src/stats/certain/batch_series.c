/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/certain/batch_series.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "stats/certain/batch_noise.h"

/* Eight buckets of the histogram are one cell: values of a cell differ by at most 1.6 %. */
#define CELL_BUCKETS 8
#define CELLS (HISTOGRAM_BUCKETS / CELL_BUCKETS)
/* The probability with which an interval does not contain the true figure. */
#define DOUBT 0.05
/* If more values than this are expected beyond a percentile, their number is taken as normal. */
#define NORMAL_FROM 500.0
/* With fewer independent values, the mean of values that depend on each other is not known. They
 * depend on each other if the design effect exceeds DEPENDENT_FROM. */
#define MEAN_MIN 50.0
#define DEPENDENT_FROM 1.5
/* A quiet stretch of a queue has few long response times, and these depend on each other less than
 * usual: the percentile and the design effect are too low together. Therefore the design effect is
 * multiplied by 1 + CALM / √m, where m independent values are expected beyond the percentile. For
 * the mean, m is the share MEAN_TAIL of all independent values. Chosen so that simulated intervals
 * are right in 93 to 97 % (test_coverage). */
#define CALM 0.5
#define MEAN_TAIL (1.0 / 16)
/* An effect that exceeds 1 by less than this many of its standard errors counts as 1. */
#define EFFECT_ERRORS 1.0
/* A run without congestion may have slow requests that needed much service and do not depend on
 * each other, while the next run has congestion. Lower percentiles show the dependence more
 * reliably, because more values are beyond them. So the design effect of a percentile above p80 is
 * at least a share of the one that p80 implies, and above p95, also of the one that p95 implies
 * (implied_effect()). If the implied effect leaves m > IMPLIED_BEYOND independent values beyond the
 * percentile, it is multiplied by IMPLIED_BEYOND / m, because the percentile's own effect is
 * reliable then. For CALM, the values beyond the lower percentile count if the implied effect is
 * used. These numbers were chosen as CALM was. */
#define IMPLYING_LOW (80 * PERCENT)
#define IMPLYING_HIGH (95 * PERCENT)
#define IMPLIED_SHARE 0.9
#define IMPLIED_BEYOND 20.0
/* The effect falls this many times as fast above the lower percentile as from p50 to it. */
#define IMPLIED_FALL 2.5
/* Stands for an unlimited number of degrees of freedom. */
#define CERTAIN_DEGREES 1e9

struct batch {
    uint64_t count;
    double sum_ns;
    int64_t span_ns; /* 0 while the batch is open */
    uint32_t cell[CELLS];
};

void batch_series_init(struct batch_series *b, int64_t from_ns, int64_t span_ns)
{
    *b = (struct batch_series){.batch = xcalloc(BATCH_SERIES_MAX, sizeof(*b->batch)),
                               .from_ns = from_ns,
                               .span_ns = span_ns};
}

void batch_series_fini(struct batch_series *b)
{
    free(b->batch);
}

static void join(struct batch *sum, const struct batch *more)
{
    sum->count += more->count;
    sum->sum_ns += more->sum_ns;
    sum->span_ns += more->span_ns;
    for (unsigned i = 0; i < CELLS; i++)
        sum->cell[i] += more->cell[i];
}

static void join_neighbours(struct batch_series *b)
{
    for (size_t i = 0; i < BATCH_SERIES_MAX / 2; i++) {
        if (i > 0)
            b->batch[i] = b->batch[2 * i];
        join(&b->batch[i], &b->batch[2 * i + 1]);
    }
    b->count = BATCH_SERIES_MAX / 2;
    memset(&b->batch[b->count], 0, (BATCH_SERIES_MAX - b->count) * sizeof(*b->batch));
    b->span_ns *= 2;
}

bool batch_series_due(const struct batch_series *b, int64_t at_ns)
{
    return at_ns - b->from_ns >= b->span_ns;
}

void batch_series_add(struct batch_series *b, int64_t at_ns, const struct distribution *d)
{
    if (!b->open && b->count == BATCH_SERIES_MAX)
        join_neighbours(b);
    b->count += !b->open;
    b->open = !batch_series_due(b, at_ns);
    struct batch *batch = &b->batch[b->count - 1];
    if (!b->open) {
        batch->span_ns = at_ns - b->from_ns;
        b->from_ns = at_ns;
    }
    batch->sum_ns += (double)d->sum_ns;
    if (d->count == 0)
        return;
    const unsigned last = histogram_index(d->max_ns);
    batch->count += d->count;
    for (unsigned i = histogram_index(d->min_ns); i <= last; i++)
        batch->cell[i / CELL_BUCKETS] += (uint32_t)d->buckets[i];
}

/* Returns the variance that the mean of `all` would have if its values were independent. */
static double independent_variance(const struct distribution *all)
{
    const double mean = distribution_mean_ns(all), count = (double)all->count;
    double square = 0;
    for (unsigned i = histogram_index(all->min_ns); i <= histogram_index(all->max_ns); i++) {
        const double deviation = (double)histogram_middle_ns(i) - mean;
        square += (double)all->buckets[i] * deviation * deviation;
    }
    return square / (count * count);
}

/* Returns the factor by which a design effect is multiplied if m independent values are expected
 * beyond the figure. */
static double calm_factor(double m)
{
    return 1 + CALM / sqrt(m);
}

static struct confidence mean_confidence(const struct noise_series *series,
                                         const struct distribution *all, double doubt)
{
    struct batch_noise noise = batch_noise(series);
    const double mean = distribution_mean_ns(all), independent = independent_variance(all);
    const double effect = independent > 0 ? noise.noise.variance / independent : 1;
    const double n = (double)all->count / effect;
    double below, above;
    if (effect > DEPENDENT_FROM && n < MEAN_MIN)
        return (struct confidence){.needs = fmax(2, ceil(MEAN_MIN / n))};
    if (effect > 1)
        noise.noise.variance *= calm_factor(n * MEAN_TAIL);
    batch_noise_limits(&noise, doubt, &below, &above);
    return (struct confidence){.known = true,
                               .low_ns = (int64_t)fmax(0, mean - below),
                               .high_ns = (int64_t)(mean + above)};
}

struct confidence batch_series_mean_at(const struct batch_series *b, const struct distribution *all,
                                       double doubt)
{
    struct noise_series series = {0};
    struct confidence result = {0};
    for (size_t i = 0; i < b->count; i++)
        if (b->batch[i].count > 0)
            noise_series_add(&series, b->batch[i].sum_ns, (double)b->batch[i].count);
    if (series.count >= BATCH_SERIES_MIN && !distribution_mean(all).censored)
        result = mean_confidence(&series, all, doubt);
    noise_series_fini(&series);
    return result;
}

struct confidence batch_series_mean(const struct batch_series *b, const struct distribution *all)
{
    return batch_series_mean_at(b, all, DOUBT);
}

double batch_series_throughput_precision(const struct batch_series *b, double doubt)
{
    struct noise_series series = {0};
    double count = 0, ns = 0, below, above, precision = INFINITY;
    for (size_t i = 0; i < b->count; i++) {
        const struct batch *batch = &b->batch[i];
        if (batch->span_ns <= 0)
            continue;
        noise_series_add(&series, (double)batch->count, (double)batch->span_ns);
        count += (double)batch->count;
        ns += (double)batch->span_ns;
    }
    if (series.count >= BATCH_SERIES_MIN && count > 0) {
        const struct batch_noise noise = batch_noise(&series);
        batch_noise_limits(&noise, doubt, &below, &above);
        precision = fmax(below, above) * ns / count;
    }
    noise_series_fini(&series);
    return precision;
}

/* Number of values in the cells up to `last`. */
static uint64_t count_until(const struct batch *batch, unsigned last)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i <= last; i++)
        sum += batch->cell[i];
    return sum;
}

static double share_until(const struct batch_series *b, unsigned last)
{
    uint64_t below = 0, all = 0;
    for (size_t i = 0; i < b->count; i++) {
        below += count_until(&b->batch[i], last);
        all += b->batch[i].count;
    }
    return all > 0 ? (double)below / (double)all : 0;
}

/* The design effect of a percentile. */
struct effect {
    double value;   /* at least 1 */
    double degrees; /* degrees of freedom of the estimate, CERTAIN_DEGREES if `value` is 1 */
    double share;   /* the share of values below the percentile at which it was estimated */
};

/*
 * Returns the design effect of the share of values in the cells up to `last`: the variance of the
 * share by the scatter of the batches, divided by its variance if all values were independent. It
 * is 1 if chance explains that it exceeds 1. `share` is the exact share of the percentile.
 */
static struct effect design_effect(const struct batch_series *b, unsigned last, double share)
{
    struct noise_series series = {0};
    uint64_t all = 0;
    for (size_t i = 0; i < b->count; all += b->batch[i++].count)
        if (b->batch[i].count > 0)
            noise_series_add(&series, (double)count_until(&b->batch[i], last),
                             (double)b->batch[i].count);
    const struct noise noise = batch_noise(&series).noise;
    noise_series_fini(&series);
    const double until = share_until(b, last);
    const double value = noise.variance * (double)all / (until * (1 - until));
    if (!(value > 1 + EFFECT_ERRORS * sqrt(2 / noise.degrees)))
        return (struct effect){1, CERTAIN_DEGREES, share};
    return (struct effect){value, noise.degrees, share};
}

static double percentile_share(int64_t percentile)
{
    return (double)percentile / (double)(100 * PERCENT);
}

/* Returns the design effect at the border of cells that is nearest to the percentile. All values in
 * one cell have no border, and count as independent. */
static struct effect own_effect(const struct batch_series *b, const struct distribution *all,
                                int64_t percentile)
{
    const double share = percentile_share(percentile);
    const unsigned cell =
        histogram_index(distribution_percentile(all, percentile).ns) / CELL_BUCKETS;
    const double above = share_until(b, cell), below = cell > 0 ? share_until(b, cell - 1) : 0;
    if (above < 1 && (below <= 0 || above - share <= share - below))
        return design_effect(b, cell, share);
    return below > 0 ? design_effect(b, cell - 1, share)
                     : (struct effect){1, CERTAIN_DEGREES, share};
}

/*
 * Returns the least design effect at `share`, of `count` values, that a lower percentile implies.
 * Long queues delay many requests in a row, however high the percentile, so their effect rises to a
 * constant. The effect of other series falls, the faster the higher the percentile, as a power of
 * the share of values beyond it. The effects of p50 and of the lower percentile show the power.
 */
static struct effect implied_effect(struct effect p50, struct effect lower, double share,
                                    double count)
{
    const double fall =
        log(p50.value / lower.value) / log((1 - p50.share) / (1 - lower.share)) * IMPLIED_FALL;
    const double value =
        IMPLIED_SHARE * lower.value * pow((1 - share) / (1 - lower.share), fmax(0, fall));
    const double beyond = count * (1 - share) / value;
    lower.value = fmax(1, value * fmin(1, IMPLIED_BEYOND / beyond));
    return lower;
}

/* Returns the design effect of a percentile: its own, or a larger one that p80 or p95 implies. */
static struct effect percentile_effect(const struct batch_series *b, const struct distribution *all,
                                       int64_t percentile)
{
    static const int64_t implying[] = {IMPLYING_LOW, IMPLYING_HIGH};
    struct effect effect = own_effect(b, all, percentile);
    if (percentile <= IMPLYING_LOW)
        return effect;
    const struct effect p50 = own_effect(b, all, 50 * PERCENT);
    for (unsigned i = 0; i < ARRAY_SIZE(implying) && percentile > implying[i]; i++) {
        const struct effect implied = implied_effect(
            p50, own_effect(b, all, implying[i]), percentile_share(percentile), (double)all->count);
        if (implied.value > effect.value)
            effect = implied;
    }
    return effect;
}

/*
 * Sets *first to the largest k with P(X < k) ≤ doubt, and *last to the smallest m with
 * P(X < m) ≥ 1 − doubt, for a binomial X of n values with the mean n · q ≤ NORMAL_FROM, so that the
 * probability of 0 can be represented.
 */
static void binomial_ranks(double n, double q, double doubt, double *first, double *last)
{
    double p = exp(n * log1p(-q)), below = 0, k = 0;
    *first = 0;
    for (; k <= n && below < 1 - doubt; k++) {
        if (below <= doubt)
            *first = k;
        below += p;
        p *= (n - k) / (k + 1) * q / (1 - q);
    }
    *last = k;
}

/*
 * Sets *low and *high to the ranks, as shares of n, of the two order statistics that enclose the
 * true percentile. `limit` is the quantile of Student's t for the interval. Returns false if one of
 * the two does not exist, because all n values may be on the same side of the percentile. The
 * number of values on the rarer side is binomial (H. A. David and H. N. Nagaraja, Order Statistics,
 * 2003, section 7.1).
 */
static bool enclosing_shares(double n, double share, double limit, double *low, double *high)
{
    const double q = fmin(share, 1 - share);
    double first, last;
    n = floor(n);
    if (n * q > NORMAL_FROM) {
        const double error = limit * sqrt(share * (1 - share) / n);
        *low = share - error;
        *high = share + error;
        return true;
    }
    binomial_ranks(n, q, erfc(limit * M_SQRT1_2) / 2, &first, &last);
    if (first < 1 || last > n)
        return false;
    *low = share <= 0.5 ? first / n : (n - last + 1) / n;
    *high = share <= 0.5 ? last / n : (n - first + 1) / n;
    return true;
}

/* Returns the smallest number of independent values for an interval: with fewer, the rarer side is
 * empty with a probability of more than `doubt` / 2. */
static double least_count(double share, double doubt)
{
    return log(doubt / 2) / log1p(-fmin(share, 1 - share));
}

static int64_t millionths(double share)
{
    return (int64_t)(share * (double)(100 * PERCENT));
}

struct confidence batch_series_percentile_at(const struct batch_series *b,
                                             const struct distribution *all, int64_t percentile,
                                             double doubt)
{
    const struct bounded value = distribution_percentile(all, percentile);
    const double share = percentile_share(percentile);
    double low, high;
    size_t filled = 0;
    for (size_t i = 0; i < b->count; i++)
        filled += b->batch[i].count > 0;
    if (filled < BATCH_SERIES_MIN || value.censored || !(share > 0 && share < 1))
        return (struct confidence){0};
    const struct effect effect = percentile_effect(b, all, percentile);
    double n = (double)all->count / effect.value;
    if (effect.value > 1)
        n /= calm_factor(n * fmin(effect.share, 1 - effect.share));
    const double limit = noise_limit((struct noise){1, effect.degrees}, doubt);
    const double least = least_count(share, doubt);
    if (n < least || !enclosing_shares(n, share, limit, &low, &high))
        return (struct confidence){.needs = fmax(2, ceil(least / n))};
    const struct bounded from = distribution_percentile(all, millionths(low));
    const struct bounded to = distribution_percentile(all, millionths(high));
    return (struct confidence){
        .known = !to.censored, .low_ns = min_i64(from.ns, value.ns), .high_ns = to.ns};
}

struct confidence batch_series_percentile(const struct batch_series *b,
                                          const struct distribution *all, int64_t percentile)
{
    return batch_series_percentile_at(b, all, percentile, DOUBT);
}
