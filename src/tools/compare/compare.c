/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/quantity.h"
#include "tools/compare/compare_settings.h"
#include "tools/report_paths.h"

/* Functions that read reports. */

static struct compare_run *new_run(struct compare_side *side)
{
    side->run = xrealloc(side->run, (side->runs + 1) * sizeof(*side->run));
    return &side->run[side->runs++];
}

/* Only the settings of the first run are kept. */
static int check_repeat(const struct compare_side *side)
{
    const struct compare_run *newest = &side->run[side->runs - 1];
    if (side->runs == 1)
        return 0;
    const int status = compare_settings_check_repeat(&side->run[0], newest);
    json_object_clear(newest->document.head);
    return status;
}

static int add_run(struct compare_side *side, const char *path)
{
    return compare_run_load(new_run(side), path) == 0 ? check_repeat(side) : -1;
}

int compare_side_add(struct compare_side *side, const char *name, char *text, size_t bytes)
{
    int status = compare_run_read(new_run(side), xstrdup(name), text, bytes);
    return status == 0 ? check_repeat(side) : -1;
}

static int add_runs(struct compare_side *side, struct report_paths *paths)
{
    int status = 0;
    if (paths->count < 2) {
        log_text(LOG_FATAL,
                 "cannot use '%s': a folder of repeats needs two reports (*.json) at least, "
                 "but has %zu",
                 side->path, paths->count);
        status = -1;
    }
    for (size_t i = 0; i < paths->count && status == 0; i++)
        status = add_run(side, xstrdup(paths->path[i]));
    return status;
}

static int load_folder(struct compare_side *side)
{
    struct report_paths paths = {0};
    int status = report_paths_add(&paths, side->path);
    if (status == 0)
        status = add_runs(side, &paths);
    report_paths_fini(&paths);
    return status;
}

int compare_side_load(struct compare_side *side, const char *path)
{
    *side = (struct compare_side){.path = path};
    return report_paths_is_folder(path) ? load_folder(side) : add_run(side, xstrdup(path));
}

void compare_side_fini(struct compare_side *side)
{
    for (size_t i = 0; i < side->runs; i++) {
        free((char *)side->run[i].path);
        compare_run_fini(&side->run[i]);
    }
    free(side->run);
}

/* Functions that compare figures. */

bool compare_has_repeats(const struct compare *c)
{
    return c->a.runs > 1 || c->b.runs > 1;
}

/* A figure over all runs of a side. */
struct pool {
    double mean;
    bool is_bound, is_sparse;
    struct noise noise; /* noise of one run: from repeats, or for a single run from its intervals */
};

/* Returns false if a run of the side lacks the figure. */
static bool pool_figure(const struct compare_side *side, const char *name, struct pool *pool)
{
    double *value = xcalloc(side->runs, sizeof(*value));
    const struct compare_figure *figure = NULL;
    *pool = (struct pool){0};
    for (size_t i = 0; i < side->runs; i++) {
        figure = compare_run_figure(&side->run[i], name);
        if (figure == NULL)
            break;
        value[i] = figure->value;
        pool->mean += figure->value / (double)side->runs;
        pool->is_bound = pool->is_bound || figure->lower_bound;
    }
    if (figure != NULL) {
        pool->noise = side->runs > 1 ? noise_of_repeats(value, side->runs) : figure->noise;
        pool->is_sparse = figure->is_sparse;
    }
    free(value);
    return figure != NULL;
}

/* If nothing has changed, both sides have the same scatter, so the repeats of both sides together
 * estimate the noise of each. */
static struct noise noise_between(const struct compare *c, const struct pool *a,
                                  const struct pool *b)
{
    if (!compare_has_repeats(c))
        return noise_of_difference(a->noise, b->noise);
    struct noise noise = c->a.runs == 1   ? b->noise
                         : c->b.runs == 1 ? a->noise
                                          : noise_pooled(a->noise, b->noise);
    noise.variance *= 1 / (double)c->a.runs + 1 / (double)c->b.runs;
    return noise;
}

/* If the smaller figure is a lower bound, its true value may be as large as the other figure. */
static bool bounds_hide(const struct comparison *c)
{
    return c->b > c->a ? c->a_is_bound : c->b_is_bound;
}

static enum compare_result judge(const struct comparison *c, double min_difference)
{
    if (isinf(c->noise))
        return COMPARE_UNKNOWN;
    double difference = fabs(c->b - c->a);
    if (c->is_noisy && difference <= c->noise)
        return COMPARE_UNKNOWN;
    if (difference <= fmax(c->noise, min_difference))
        return COMPARE_SAME;
    return bounds_hide(c) ? COMPARE_UNKNOWN : COMPARE_DIFFERENT;
}

/* For percentages, noise of one percentage point is small, however small the percentage is. */
static bool is_noisy(const struct comparison *c, double max_noise)
{
    double least = strcmp(c->unit, "%") == 0 ? 1 : 0;
    return c->noise > fmax(max_noise / 100 * c->a, least);
}

static void add_comparison(struct compare *c, const struct compare_figure *figure)
{
    struct pool a, b;
    if (!pool_figure(&c->a, figure->name, &a) || !pool_figure(&c->b, figure->name, &b))
        return;
    c->comparison[c->count++] = (struct comparison){.name = figure->name,
                                                    .unit = figure->unit,
                                                    .a = a.mean,
                                                    .b = b.mean,
                                                    .a_is_bound = a.is_bound,
                                                    .b_is_bound = b.is_bound,
                                                    .a_is_vague = isinf(a.noise.variance),
                                                    .is_sparse = a.is_sparse || b.is_sparse,
                                                    .error = noise_between(c, &a, &b)};
}

/* Number of figures in which chance can produce a difference; figures without scatter are not
 * counted. */
static size_t count_chances(const struct compare *c)
{
    size_t chances = 0;
    for (size_t i = 0; i < c->count; i++)
        chances += c->comparison[i].error.variance > 0 && !isinf(c->comparison[i].error.variance);
    return chances > 0 ? chances : 1;
}

void compare_figures(struct compare *c)
{
    const struct compare_run *first = &c->a.run[0];
    c->comparison = xcalloc(first->figures, sizeof(*c->comparison));
    for (size_t i = 0; i < first->figures; i++)
        add_comparison(c, &first->figure[i]);
    double share = COMPARE_CHANCE / (double)count_chances(c);
    for (size_t i = 0; i < c->count; i++) {
        struct comparison *one = &c->comparison[i];
        one->noise = noise_limit(one->error, share);
        one->is_noisy = is_noisy(one, c->max_noise);
        one->result = judge(one, c->min_change / 100 * one->a);
    }
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

double compare_change_percent(const struct comparison *c)
{
    if (c->a == c->b)
        return 0;
    return c->a > 0 ? 100 * (c->b - c->a) / c->a : INFINITY;
}

int compare_check_noise(const struct compare *c)
{
    const struct compare_run *run = &c->a.run[0];
    if (compare_has_repeats(c))
        return 0;
    if (compare_run_has_noise(run))
        run = &c->b.run[0];
    if (compare_run_has_noise(run))
        return 0;
    log_text(LOG_FATAL,
             "cannot distinguish noise from change: '%s' has %zu measured intervals, 5 are needed: "
             "run with --report-interval=1, or compare folders of repeats",
             run->path, run->intervals);
    return -1;
}

const char *compare_reason(const struct comparison *c)
{
    if (c->result != COMPARE_UNKNOWN)
        return NULL;
    if (isinf(c->noise))
        return c->is_sparse ? "too few independent requests" : "too few intervals";
    return fabs(c->b - c->a) <= c->noise ? "too much noise" : "a lower bound";
}

static bool is_same(const struct compare *c, const char *figure)
{
    const struct comparison *one = compare_find(c, figure);
    return one != NULL && one->result == COMPARE_SAME;
}

enum compare_result compare_judge(const struct compare *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->comparison[i].result == COMPARE_DIFFERENT)
            return COMPARE_DIFFERENT;
    if (is_same(c, "throughput") && (is_same(c, "mean") || is_same(c, "typical")))
        return COMPARE_SAME;
    log_text(LOG_FATAL,
             "cannot decide whether the runs differ: there is no significant difference, but the "
             "noise of throughput, and of mean or typical, must be at most %g %%: measure longer, "
             "or compare folders of repeats",
             c->max_noise);
    return COMPARE_UNKNOWN;
}

/* Functions for conditions (--fail-if). */

/* Reads a percentage without a sign at the end of the text. */
static bool parse_percent(const char *text, double *percent)
{
    return quantity_read_plain(&text, percent) && strcmp(text, "%") == 0;
}

int compare_condition_parse(struct compare_condition *condition, const char *text)
{
    size_t length = strcspn(text, "<>");
    const char *limit = text + length;
    double sign = *limit == '<' ? -1 : 1;
    if (length == 0 || *limit == '\0')
        return -1;
    limit++;
    if (*limit == (sign < 0 ? '-' : '+'))
        limit++;
    else if (sign < 0)
        return -1;
    if (!parse_percent(limit, &condition->percent))
        return -1;
    condition->percent *= sign;
    condition->text = text;
    condition->figure = checked_alloc(strndup(text, length));
    return 0;
}

static bool is_met(const struct compare_condition *condition, const struct comparison *c)
{
    double change = compare_change_percent(c);
    bool beyond =
        signbit(condition->percent) ? change < condition->percent : change > condition->percent;
    return beyond && fabs(c->b - c->a) > c->noise;
}

/* Returns true if the noise is so large that the true change may exceed the limit. */
static bool noise_hides(const struct compare_condition *condition, const struct comparison *c)
{
    double limit = condition->percent / 100 * c->a, change = c->b - c->a;
    if (!c->is_noisy || c->noise <= fabs(limit))
        return false;
    return signbit(condition->percent) ? change - c->noise < limit : change + c->noise > limit;
}

/* If a figure of A is a lower bound, the true change may be smaller; if a figure of B is one,
 * larger. */
bool compare_condition_hangs_on_a(const struct compare_condition *condition,
                                  const struct comparison *c)
{
    if (isinf(c->noise))
        return c->a_is_vague;
    return is_met(condition, c) != (bool)signbit(condition->percent);
}

enum compare_result compare_condition_judge(const struct compare_condition *condition,
                                            const struct comparison *c)
{
    bool is_bound = compare_condition_hangs_on_a(condition, c) ? c->a_is_bound : c->b_is_bound;
    if (isinf(c->noise) || is_bound)
        return COMPARE_UNKNOWN;
    if (is_met(condition, c))
        return COMPARE_DIFFERENT;
    return noise_hides(condition, c) ? COMPARE_UNKNOWN : COMPARE_SAME;
}
