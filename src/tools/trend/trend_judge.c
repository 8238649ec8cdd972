/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "stats/noise.h"
#include "tools/trend/trend.h"
#include "tools/trend/trend_memory.h"

/* Probability of a false step in any figure of a series. */
#define CHANCE 0.01
/* Changes of less than 5 % are not steps. */
#define LEAST 0.05
/* Smallest number of runs on a level from which the next run is predicted. */
#define EXPECT_LEAST 6
#define EXPECT_CHANCE 0.01

bool trend_is_judged(const struct trend_series *series)
{
    return series->valid_runs >= CHANGE_POINTS_LEAST;
}

double trend_change_percent(const struct change_point *step)
{
    return 100 * expm1(step->after - step->before);
}

bool trend_is_worse(enum trend_figure figure, const struct change_point *step)
{
    return (step->after > step->before) == (figure == TREND_P99);
}

/* Compares the newest value with the prediction interval of one more value of a normal
 * distribution. */
static void judge_newest(struct trend_course *course, enum trend_figure figure, const double *level,
                         size_t count)
{
    double sum = 0, newest = level[count - 1];
    course->newest = TREND_UNKNOWN;
    if (--count < EXPECT_LEAST)
        return;
    for (size_t i = 0; i < count; i++)
        sum += level[i];
    struct noise noise = noise_of_repeats(level, count);
    noise.variance *= 1 + 1 / (double)count;
    double mean = sum / (double)count, limit = noise_limit(noise, EXPECT_CHANCE);
    limit = fmax(limit, log1p(LEAST));
    course->low = exp(mean - limit);
    course->high = exp(mean + limit);
    bool worse = figure == TREND_P99 ? newest > mean + limit : newest < mean - limit;
    course->newest = worse ? TREND_SUSPECT : TREND_EXPECTED;
}

static double *logarithms(const struct trend_series *s, enum trend_figure figure)
{
    double *value = xcalloc(s->valid_runs + 1, sizeof(*value));
    for (size_t i = 0; i < s->valid_runs; i++)
        value[i] = log(s->run[s->valid[i]].value[figure]);
    return value;
}

static int figures_of(const struct trend_series *s)
{
    int count = 0;
    for (int figure = 0; figure < TREND_FIGURES; figure++)
        count += trend_has(s, figure);
    return count;
}

static void judge_course(struct trend_series *s, enum trend_figure figure, struct archive *archive)
{
    const struct change_rules rules = {.chance = CHANCE / figures_of(s), .least = log1p(LEAST)};
    struct trend_course *course = &s->course[figure];
    double *value = logarithms(s, figure);
    struct change_state state = {0};
    if (archive != NULL)
        trend_recall(&state, archive, s->number, figure, value, s->valid_runs);
    const size_t done = state.done;
    course->steps = change_points_find(value, s->valid_runs, &rules, &state, &course->step);
    if (archive != NULL && state.done != done)
        trend_remember(&state, archive, s->number, figure, value);
    size_t from = course->steps > 0 ? course->step[course->steps - 1].at : 0;
    if (s->valid_runs > 0)
        judge_newest(course, figure, value + from, s->valid_runs - from);
    change_state_fini(&state);
    free(value);
}

void trend_judge(struct trend *trend, struct archive *archive)
{
    for (size_t i = 0; i < trend->count; i++)
        for (int figure = 0; figure < TREND_FIGURES; figure++)
            if (trend_has(&trend->series[i], figure))
                judge_course(&trend->series[i], figure, archive);
}

const struct trend_series *trend_newest_series(const struct trend *trend)
{
    const struct trend_series *newest = NULL;
    for (size_t i = 0; i < trend->count; i++) {
        const struct trend_series *s = &trend->series[i];
        if (newest == NULL ||
            strcmp(s->run[s->runs - 1].started, newest->run[newest->runs - 1].started) > 0)
            newest = s;
    }
    return newest;
}

bool trend_became_worse(const struct trend_series *series, size_t within)
{
    for (int figure = 0; figure < TREND_FIGURES; figure++) {
        const struct trend_course *course = &series->course[figure];
        for (size_t i = 0; i < course->steps; i++)
            if (course->step[i].at + within >= series->valid_runs &&
                trend_is_worse(figure, &course->step[i]))
                return true;
    }
    return false;
}
