/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

bool compare_has_repeats(const struct compare *c)
{
    return c->a.runs > 1 || c->b.runs > 1;
}

/* A figure over all runs of a side. */
struct pool {
    struct effect_value *value; /* as many as there are runs */
    double least;               /* the smallest figure */
    bool is_bound, is_sparse, is_vague;
};

/* Returns false if a run of the side lacks the figure. The caller frees the values in any case. */
static bool pool_figure(const struct compare_side *side, const char *name, struct pool *pool)
{
    *pool = (struct pool){.value = xcalloc(side->runs, sizeof(*pool->value)), .least = INFINITY};
    for (size_t i = 0; i < side->runs; i++) {
        const struct compare_figure *figure = compare_run_figure(&side->run[i], name);
        if (figure == NULL)
            return false;
        pool->value[i] = (struct effect_value){figure->value, figure->noise};
        pool->least = fmin(pool->least, figure->value);
        pool->is_bound = pool->is_bound || figure->lower_bound;
        pool->is_sparse = pool->is_sparse || figure->is_sparse;
        pool->is_vague = pool->is_vague || isinf(figure->noise.variance);
    }
    return true;
}

static void take_logarithms(struct pool *pool, size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        struct effect_value *v = &pool->value[i];
        v->noise.variance /= v->x * v->x;
        v->x = log(v->x);
    }
}

static double center(const struct pool *pool, size_t runs, bool is_ratio)
{
    double sum = 0;
    for (size_t i = 0; i < runs; i++)
        sum += pool->value[i].x / (double)runs;
    return is_ratio ? exp(sum) : sum;
}

/* Both sides of a figure, while it is compared. */
struct pools {
    struct pool a, b;
};

static struct effect_side side_of(const struct pool *pool, size_t runs)
{
    return (struct effect_side){pool->value, runs};
}

static void estimate(const struct compare *c, struct comparison *one, struct pools *p)
{
    one->is_ratio = strcmp(one->unit, "%") != 0 && p->a.least > 0 && p->b.least > 0;
    if (one->is_ratio) {
        take_logarithms(&p->a, c->a.runs);
        take_logarithms(&p->b, c->b.runs);
    }
    struct effect_side a = side_of(&p->a, c->a.runs), b = side_of(&p->b, c->b.runs);
    one->a = center(&p->a, c->a.runs, one->is_ratio);
    one->b = center(&p->b, c->b.runs, one->is_ratio);
    one->a_is_bound = p->a.is_bound;
    one->b_is_bound = p->b.is_bound;
    one->a_is_vague = p->a.is_vague;
    one->is_sparse = p->a.is_sparse || p->b.is_sparse;
    effect_estimate(&one->effect, &a, &b, c->paired);
}

/* Adds the figure if both sides have it. */
static void add_comparison(struct compare *c, const struct compare_figure *figure,
                           struct pools *pools)
{
    struct pools *p = &pools[c->count];
    bool both = pool_figure(&c->a, figure->name, &p->a);
    both = pool_figure(&c->b, figure->name, &p->b) && both;
    if (both) {
        struct comparison *one = &c->comparison[c->count++];
        *one = (struct comparison){.name = figure->name, .unit = figure->unit};
        estimate(c, one, p);
    } else {
        free(p->a.value);
        free(p->b.value);
    }
}

/* If the smaller figure is a lower bound, its true value may be as large as the other figure. */
static bool bounds_hide(const struct comparison *c)
{
    return c->b > c->a ? c->a_is_bound : c->b_is_bound;
}

bool compare_is_significant(const struct comparison *c)
{
    return c->effect.low > 0 || c->effect.high < 0;
}

static enum compare_result judge(const struct comparison *c, double min_change)
{
    if (!compare_is_known(c))
        return COMPARE_UNKNOWN;
    if (c->is_noisy && !compare_is_significant(c))
        return COMPARE_UNKNOWN;
    if (!compare_is_significant(c) || fabs(compare_change_percent(c)) <= min_change)
        return COMPARE_SAME;
    return bounds_hide(c) ? COMPARE_UNKNOWN : COMPARE_DIFFERENT;
}

/* For percentages, noise of one percentage point is small, however small the percentage is. */
static bool is_noisy(const struct comparison *c, double max_noise)
{
    const struct run_effect *e = &c->effect;
    if (strcmp(c->unit, "%") == 0 && fmax(e->high - e->change, e->change - e->low) <= 1)
        return false;
    return compare_noise_percent(c) > max_noise;
}

/* Returns true if the arrival process sets the throughput: both sides had the same arrival rate and
 * completed what was offered, except for less than a change that matters. */
static bool is_given(const struct compare *c)
{
    const double least = 1 - c->min_change / 100;
    const json_t *a = json_object_get(c->a.run[0].document.head, "config");
    const json_t *b = json_object_get(c->b.run[0].document.head, "config");
    bool given = json_equal(json_object_get(a, "rate"), json_object_get(b, "rate"));
    for (size_t i = 0; i < c->a.runs; i++)
        given = given && c->a.run[i].completed_share > 0 && c->a.run[i].completed_share >= least;
    for (size_t i = 0; i < c->b.runs; i++)
        given = given && c->b.run[i].completed_share > 0 && c->b.run[i].completed_share >= least;
    return given;
}

/* Returns true for waits that are too short to matter: they are the time to wake up a worker, or
 * less than a change of the response time that matters. */
static bool is_negligible_wait(const struct compare *c, const struct comparison *one)
{
    const struct comparison *mean = compare_find(c, "mean");
    double limit = COMPARE_LEAST_WAIT_MS;
    if (strcmp(one->name, "wait") != 0)
        return false;
    if (mean != NULL)
        limit = fmax(limit, c->min_change / 100 * fmin(mean->a, mean->b));
    return fmax(one->a, one->b) < limit;
}

static bool is_left_out(const struct compare *c, const struct comparison *one)
{
    return strcmp(one->name, "throughput") == 0 ? is_given(c) : is_negligible_wait(c, one);
}

/* Number of figures in which chance can produce a difference; figures without scatter are not
 * counted, nor are those that are left out. */
static size_t count_chances(const struct compare *c)
{
    size_t chances = 0;
    for (size_t i = 0; i < c->count; i++)
        chances += c->comparison[i].result != COMPARE_LEFT_OUT &&
                   c->comparison[i].effect.error.variance > 0 &&
                   !isinf(c->comparison[i].effect.error.variance);
    return chances > 0 ? chances : 1;
}

static void judge_figure(const struct compare *c, struct comparison *one, const struct pools *p,
                         double share)
{
    struct effect_side a = side_of(&p->a, c->a.runs), b = side_of(&p->b, c->b.runs);
    effect_span(&one->effect, &a, &b, c->paired, share);
    one->is_noisy = is_noisy(one, c->max_noise);
    if (one->result != COMPARE_LEFT_OUT)
        one->result = judge(one, c->min_change);
}

void compare_figures(struct compare *c)
{
    compare_side_order(&c->a);
    compare_side_order(&c->b);
    c->paired = compare_side_rounds(&c->a, &c->b);
    const struct compare_run *first = &c->a.run[0];
    struct pools *pools = xcalloc(first->figures, sizeof(*pools));
    c->comparison = xcalloc(first->figures, sizeof(*c->comparison));
    for (size_t i = 0; i < first->figures; i++)
        if (c->figure == NULL || strcmp(first->figure[i].name, c->figure) == 0)
            add_comparison(c, &first->figure[i], pools);
    for (size_t i = 0; i < c->count; i++)
        if (c->figure == NULL && is_left_out(c, &c->comparison[i]))
            c->comparison[i].result = COMPARE_LEFT_OUT;
    double share = (c->chance > 0 ? c->chance : COMPARE_CHANCE) / (double)count_chances(c);
    for (size_t i = 0; i < c->count; i++) {
        judge_figure(c, &c->comparison[i], &pools[i], share);
        free(pools[i].a.value);
        free(pools[i].b.value);
    }
    free(pools);
}

const struct comparison *compare_find(const struct compare *c, const char *figure)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->comparison[i].name, figure) == 0)
            return &c->comparison[i];
    return NULL;
}

static const char *run_without(const struct compare_side *side, const char *figure)
{
    size_t i = 0;
    while (i < side->runs && compare_run_figure(&side->run[i], figure) != NULL)
        i++;
    return i < side->runs ? side->run[i].path : NULL;
}

const char *compare_find_missing(const struct compare *c, const char *figure)
{
    const char *path = run_without(&c->a, figure);
    return path != NULL ? path : run_without(&c->b, figure);
}

/* Converts a difference on the scale of the effect to percent of A's figure. */
static double to_percent(const struct comparison *c, double difference)
{
    if (c->is_ratio)
        return 100 * expm1(difference);
    if (c->a > 0 || difference == 0)
        return difference == 0 ? 0 : 100 * difference / c->a;
    return difference > 0 ? INFINITY : -INFINITY;
}

double compare_change_percent(const struct comparison *c)
{
    return to_percent(c, c->effect.change);
}

double compare_low_percent(const struct comparison *c)
{
    return to_percent(c, c->effect.low);
}

double compare_high_percent(const struct comparison *c)
{
    return to_percent(c, c->effect.high);
}

double compare_noise_percent(const struct comparison *c)
{
    const struct run_effect *e = &c->effect;
    return to_percent(c, fmax(e->high - e->change, e->change - e->low));
}

bool compare_is_known(const struct comparison *c)
{
    return !isinf(c->effect.low) && !isinf(c->effect.high);
}

const char *compare_reason(const struct comparison *c)
{
    if (c->result == COMPARE_LEFT_OUT)
        return strcmp(c->name, "wait") == 0 ? "too short to matter" : "set by the arrival rate";
    if (c->result != COMPARE_UNKNOWN)
        return NULL;
    if (!compare_is_known(c))
        return c->is_sparse ? "too few independent requests" : "too few intervals";
    return compare_is_significant(c) ? "a lower bound" : "too much noise";
}

/* Returns the run that has too few intervals; NULL if the noise can be estimated. */
static const struct compare_run *run_without_noise(const struct compare *c)
{
    if (compare_has_repeats(c))
        return NULL;
    if (!compare_run_has_noise(&c->a.run[0]))
        return &c->a.run[0];
    return compare_run_has_noise(&c->b.run[0]) ? NULL : &c->b.run[0];
}

static bool is_same(const struct compare *c, const char *figure)
{
    const struct comparison *one = compare_find(c, figure);
    return one != NULL && one->result == COMPARE_SAME;
}

static bool is_left_out_figure(const struct compare *c, const char *figure)
{
    const struct comparison *one = compare_find(c, figure);
    return one != NULL && one->result == COMPARE_LEFT_OUT;
}

enum compare_result compare_judge(const struct compare *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->comparison[i].result == COMPARE_DIFFERENT)
            return COMPARE_DIFFERENT;
    bool throughput = is_same(c, "throughput") || is_left_out_figure(c, "throughput");
    if (run_without_noise(c) == NULL && throughput && (is_same(c, "mean") || is_same(c, "typical")))
        return COMPARE_SAME;
    return COMPARE_UNKNOWN;
}

const char *compare_remedy(const struct compare *c)
{
    return c->a.runs > 1 && c->b.runs > 1 ? "Measure longer, or compare more repeats."
                                          : "Measure longer, or compare folders of repeats.";
}

char *compare_explain(const struct compare *c)
{
    const struct compare_run *run = run_without_noise(c);
    char *text;
    int length = 0;
    if (compare_judge(c) != COMPARE_UNKNOWN)
        return NULL;
    if (run != NULL)
        length = asprintf(&text,
                          "Noise and change cannot be distinguished: '%s' has %zu measured "
                          "intervals, but 5 are needed. Run with --report-interval=1, or compare "
                          "folders of repeats.",
                          run->path, run->intervals);
    else
        length = asprintf(&text,
                          "It cannot be decided whether the runs differ: no difference is "
                          "significant, but the noise of %smean or typical exceeds %g %% and may "
                          "hide one. %s",
                          is_left_out_figure(c, "throughput") ? "" : "throughput, or of ",
                          c->max_noise, compare_remedy(c));
    return length < 0 ? checked_alloc(NULL) : text;
}
