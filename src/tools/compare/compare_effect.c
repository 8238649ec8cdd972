/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_effect.h"

#include <math.h>

#include "base/util.h"

/* Mean of several values, and what their own noise and their scatter say about its error. */
struct sample {
    double mean;
    struct noise within; /* mean noise of one value, from the intervals of the runs */
    struct noise total;  /* noise of one value, including differences between runs */
};

static double mean_of(const struct effect_value *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i].x;
    return sum / (double)n;
}

/* The variances are averaged; the degrees of freedom are those of B. L. Welch (1947). The variance
 * is INFINITY if that of one value is unknown. */
static struct noise mean_noise(const struct effect_value *v, size_t n)
{
    struct noise sum = v[0].noise;
    for (size_t i = 1; i < n; i++)
        sum = noise_of_difference(sum, v[i].noise);
    sum.variance /= (double)n;
    return sum;
}

/*
 * Combines the noise within runs with the scatter between them (R. DerSimonian, N. Laird, 1986).
 * The scatter contains the noise within runs. The excess over this noise is the variance between
 * runs. The total is never less than the noise within runs. The variance between runs is known with
 * few degrees of freedom, and the total has those of the sum of both (Welch).
 */
static struct noise total_noise(struct noise within, struct noise scatter)
{
    if (isinf(within.variance))
        return scatter;
    struct noise between = {fmax(0, scatter.variance - within.variance), scatter.degrees};
    return noise_of_difference(within, between);
}

static struct sample sample_of(const struct effect_value *v, size_t n)
{
    struct sample s = {.mean = mean_of(v, n), .within = mean_noise(v, n)};
    s.total = s.within;
    if (n == 1)
        return s;
    double *x = xcalloc(n, sizeof(*x));
    for (size_t i = 0; i < n; i++)
        x[i] = v[i].x;
    s.total = total_noise(s.within, noise_of_repeats(x, n));
    free(x);
    return s;
}

static struct noise divided(struct noise noise, size_t n)
{
    noise.variance /= (double)n;
    return noise;
}

/* The differences of all pairs; the caller frees them. */
static struct effect_value *differences(const struct effect_side *a, const struct effect_side *b)
{
    struct effect_value *d = xcalloc(a->runs, sizeof(*d));
    for (size_t i = 0; i < a->runs; i++)
        d[i] =
            (struct effect_value){.x = b->run[i].x - a->run[i].x,
                                  .noise = noise_of_difference(a->run[i].noise, b->run[i].noise)};
    return d;
}

/* A single run shows no scatter between runs, so the scatter of the other side is used. */
static struct noise noise_like(const struct effect_side *side, const struct sample *own,
                               const struct sample *other)
{
    bool larger = isinf(own->total.variance) || other->total.variance > own->total.variance;
    return side->runs == 1 && larger ? other->total : own->total;
}

static void estimate_sides(struct run_effect *effect, const struct effect_side *a,
                           const struct effect_side *b)
{
    struct sample x = sample_of(a->run, a->runs), y = sample_of(b->run, b->runs);
    bool repeats = a->runs > 1 || b->runs > 1;
    struct noise of_a = repeats ? noise_like(a, &x, &y) : x.total;
    struct noise of_b = repeats ? noise_like(b, &y, &x) : y.total;
    effect->change = y.mean - x.mean;
    effect->error = noise_of_difference(divided(of_a, a->runs), divided(of_b, b->runs));
}

void effect_estimate(struct run_effect *effect, const struct effect_side *a,
                     const struct effect_side *b, bool paired)
{
    *effect = (struct run_effect){0};
    if (!paired) {
        estimate_sides(effect, a, b);
        return;
    }
    struct effect_value *d = differences(a, b);
    struct sample s = sample_of(d, a->runs);
    effect->change = s.mean;
    effect->error = divided(s.total, a->runs);
    free(d);
}

/* The span of the intervals of the single pairs of runs. */
struct span {
    const struct effect_side *a, *b;
    bool paired;
    double low, high;
};

/* Extends the span by the intervals of all pairs. If `quantile` is 0, Student's quantile is
 * computed for each pair. */
static void add_pairs(struct span *span, double quantile, double share)
{
    for (size_t i = 0; i < span->a->runs; i++)
        for (size_t k = span->paired ? i : 0; k < (span->paired ? i + 1 : span->b->runs); k++) {
            const struct effect_value *a = &span->a->run[i], *b = &span->b->run[k];
            struct noise noise = noise_of_difference(a->noise, b->noise);
            double limit =
                quantile > 0 ? quantile * sqrt(noise.variance) : noise_limit(noise, share);
            span->low = fmin(span->low, b->x - a->x - limit);
            span->high = fmax(span->high, b->x - a->x + limit);
        }
}

/* The span is first computed with the quantile of the normal distribution, which is quick.
 * Student's quantile is never smaller, so the true span is at least as wide. If the first span
 * already contains the interval, the true span does not limit it. */
void effect_span(struct run_effect *effect, const struct effect_side *a,
                 const struct effect_side *b, bool paired, double share)
{
    const struct span none = {a, b, paired, INFINITY, -INFINITY};
    const double noise = noise_limit(effect->error, share);
    struct span span = none;
    effect->low = effect->change - noise;
    effect->high = effect->change + noise;
    add_pairs(&span, noise_limit((struct noise){1, INFINITY}, share), share);
    if (span.low <= effect->low && span.high >= effect->high)
        return;
    span = none;
    add_pairs(&span, 0, share);
    effect->low = fmax(span.low, effect->low);
    effect->high = fmin(span.high, effect->high);
}
