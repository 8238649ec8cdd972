/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/ab/ab_figure.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "tools/ab/mean_sequence.h"
#include "stats/noise.h"

/* Probability that a note on drift is printed although chance explains the drift. */
#define NOTE_CHANCE 0.01

void ab_figure_add(struct ab_figure *figure, double a, double b)
{
    const size_t bytes = (figure->pairs + 1) * sizeof(double);
    figure->a = xrealloc(figure->a, bytes);
    figure->b = xrealloc(figure->b, bytes);
    figure->a[figure->pairs] = a;
    figure->b[figure->pairs++] = b;
    figure->is_ratio = strcmp(figure->unit, "%") != 0 && a > 0 && b > 0 &&
                       (figure->is_ratio || figure->pairs == 1);
}

void ab_figure_fini(struct ab_figure *figure)
{
    free(figure->a);
    free(figure->b);
}

/* Returns the difference of a pair on the scale on which differences add up. */
static double scaled(const struct ab_figure *figure, size_t pair)
{
    return figure->is_ratio ? log(figure->b[pair] / figure->a[pair])
                            : figure->b[pair] - figure->a[pair];
}

static double to_percent(const struct ab_figure *figure, double difference)
{
    return figure->is_ratio ? 100 * expm1(difference) : difference;
}

static double center(const struct ab_figure *figure, const double *value, size_t pairs)
{
    double sum = 0;
    for (size_t i = 0; i < pairs; i++)
        sum += (figure->is_ratio ? log(value[i]) : value[i]) / (double)pairs;
    return figure->is_ratio ? exp(sum) : sum;
}

/* If the smaller figure is a lower bound, its true value may be as large as the other figure. */
static bool bounds_hide(const struct ab_figure *figure, const struct ab_effect *e)
{
    return e->change > 0 ? figure->a_is_bound : figure->b_is_bound;
}

static enum ab_result judge(const struct ab_figure *figure, const struct ab_effect *e)
{
    const bool different = e->low > 0 || e->high < 0;
    const bool within = e->low >= -figure->precision && e->high <= figure->precision;
    const bool more_is_better = strcmp(figure->name, "throughput") == 0;
    if (!(figure->precision > 0))
        return AB_UNDECIDED;
    if (within || (e->precise && !different))
        return figure->a_is_bound || figure->b_is_bound ? AB_UNDECIDED : AB_SAME;
    if (!different || bounds_hide(figure, e))
        return AB_UNDECIDED;
    return (e->change > 0) == more_is_better ? AB_BETTER : AB_WORSE;
}

struct ab_effect ab_figure_judge(const struct ab_figure *figure, size_t pairs, double chance)
{
    double *difference = xcalloc(pairs, sizeof(*difference));
    for (size_t i = 0; i < pairs; i++)
        difference[i] = scaled(figure, i);
    struct mean_interval m = mean_sequence(difference, pairs, chance);
    free(difference);
    if (pairs < AB_LEAST_PAIRS)
        m.half = INFINITY;
    struct ab_effect e = {.a = center(figure, figure->a, pairs),
                          .b = center(figure, figure->b, pairs),
                          .change = to_percent(figure, m.mean),
                          .low = to_percent(figure, m.mean - m.half),
                          .high = to_percent(figure, m.mean + m.half),
                          .precise = to_percent(figure, m.half) <= figure->precision};
    if (isinf(m.half))
        e.low = -INFINITY;
    e.result = judge(figure, &e);
    return e;
}

double ab_figure_difference(const struct ab_figure *figure, size_t pair)
{
    return to_percent(figure, scaled(figure, pair));
}

size_t ab_figures_asked(const struct ab_figure *figure, size_t count)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++)
        asked += figure[i].precision > 0;
    return asked;
}

enum ab_result ab_figures_judge(const struct ab_figure *figure, size_t count, size_t pairs)
{
    size_t of[AB_BETTER + 1] = {0};
    const size_t asked = ab_figures_asked(figure, count);
    for (size_t i = 0; i < count && pairs > 0; i++)
        if (figure[i].precision > 0)
            of[ab_figure_judge(&figure[i], pairs, AB_CHANCE / (double)asked).result]++;
    if (of[AB_WORSE] > 0)
        return AB_WORSE;
    if (of[AB_BETTER] > 0)
        return AB_BETTER;
    return asked > 0 && of[AB_SAME] == asked ? AB_SAME : AB_UNDECIDED;
}

/* Returns the mean of the logarithms on one side of a split, and its noise; the number of values
 * must be at least 2. */
static double mean_of_side(const double *value, const bool *second, size_t n, bool side,
                           struct noise *noise)
{
    double *part = xcalloc(n, sizeof(*part)), mean = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (second[i] == side)
            part[count++] = log(value[i]);
    for (size_t i = 0; i < count; i++)
        mean += part[i] / (double)count;
    *noise = noise_of_repeats(part, count);
    noise->variance /= (double)count;
    free(part);
    return mean;
}

double ab_split_difference(const double *value, const bool *second, size_t n)
{
    struct noise noise[2];
    size_t of_second = 0;
    for (size_t i = 0; i < n; i++)
        of_second += second[i];
    if (of_second < 2 || n - of_second < 2)
        return 0;
    const double difference = mean_of_side(value, second, n, true, &noise[1]) -
                              mean_of_side(value, second, n, false, &noise[0]);
    const double limit = noise_limit(noise_of_difference(noise[0], noise[1]), NOTE_CHANCE);
    return fabs(difference) > limit ? difference : 0;
}
