/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/util.h"
#include "report/json/report_json_value.h"
#include "stats/noise.h"
#include "tools/trend/trend.h"

/* Probability of a false step in any figure of a series. */
#define CHANCE 0.01
/* Changes of less than 5 % are not steps. */
#define LEAST 0.05
/* Smallest number of runs on a level from which the next run is predicted. */
#define EXPECT_LEAST 6
#define EXPECT_CHANCE 0.01
/* If the expected range reaches from a value to this multiple of the value, it says nothing. */
#define WIDE 10
/* Smallest number of runs before a change in a series that is too short for steps. */
#define SHORT_BEFORE (TREND_LEAST - 1)
/* Version of the method: saved results of another version are ignored. */
#define METHOD 1

bool trend_is_judged(const struct trend_series *series)
{
    return series->valid_runs >= CHANGE_POINTS_LEAST;
}

bool trend_is_unknown(const struct trend_series *series)
{
    return series->valid_runs <= SHORT_BEFORE;
}

bool trend_is_short(const struct trend_series *series)
{
    return !trend_is_judged(series) && !trend_is_unknown(series);
}

double trend_change_percent(const struct change_point *step)
{
    return 100 * expm1(step->after - step->before);
}

bool trend_is_worse(enum trend_figure figure, const struct change_point *step)
{
    return (step->after > step->before) == trend_is_time(figure);
}

/* Steps of the earlier runs of a series are saved in the archive. */

/* Checksum of the judged values, to detect runs that were added later or removed. */
static json_int_t crc_of(const double *value, size_t count)
{
    return (json_int_t)crc32_z(crc32(0, NULL, 0), (const Bytef *)value, count * sizeof(*value));
}

static size_t size_at(const json_t *object, const char *name)
{
    return (size_t)max_i64(0, json_integer_value(json_object_get(object, name)));
}

static bool is_of(const json_t *kept, const double *value, size_t count)
{
    size_t done = size_at(kept, "done");
    return size_at(kept, "method") == METHOD && done > 0 && done <= count &&
           size_at(kept, "from") <= done &&
           json_integer_value(json_object_get(kept, "crc")) == crc_of(value, done);
}

/* Fills in `state`, which must be all zero, if a saved result for these values exists. */
static void trend_recall(struct change_state *state, struct archive *archive, int64_t series,
                         enum trend_figure figure, const double *value, size_t count)
{
    char *text = archive_recall(archive, series, trend_figure_name(figure));
    json_t *kept = text != NULL ? json_loads(text, 0, NULL) : NULL, *step;
    size_t i;
    free(text);
    if (kept != NULL && is_of(kept, value, count)) {
        const json_t *steps = json_object_get(kept, "steps");
        *state = (struct change_state){.from = size_at(kept, "from"),
                                       .done = size_at(kept, "done"),
                                       .chance = json_number_value(json_object_get(kept, "chance")),
                                       .step = xcalloc(json_array_size(steps) + 1, sizeof(size_t)),
                                       .steps = json_array_size(steps)};
        json_array_foreach(steps, i, step) state->step[i] = (size_t)json_integer_value(step);
    }
    json_decref(kept);
}

static void trend_remember(const struct change_state *state, struct archive *archive,
                           int64_t series, enum trend_figure figure, const double *value)
{
    json_t *kept = value_object(), *steps = value_array();
    value_set(kept, "method", json_integer(METHOD));
    value_set(kept, "from", value_count(state->from));
    value_set(kept, "done", value_count(state->done));
    value_set(kept, "crc", json_integer(crc_of(value, state->done)));
    value_set(kept, "chance", json_real(state->chance));
    for (size_t i = 0; i < state->steps; i++)
        value_append(steps, value_count(state->step[i]));
    value_set(kept, "steps", steps);
    char *text = checked_alloc(json_dumps(kept, JSON_COMPACT));
    archive_remember(archive, series, trend_figure_name(figure), text);
    free(text);
    json_decref(kept);
}

static void set_newest(struct trend_course *course, bool worse)
{
    course->newest = worse                               ? TREND_SUSPECT
                     : course->high > WIDE * course->low ? TREND_WIDE
                                                         : TREND_EXPECTED;
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
    set_newest(course, trend_is_time(figure) ? newest > mean + limit : newest < mean - limit);
}

static struct noise scatter_of(const double *value, size_t count)
{
    return count > 1 ? noise_of_repeats(value, count) : (struct noise){0, 0};
}

static double mean_of(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

/* Returns the difference between the means before and after `at` that chance alone exceeds with the
 * probability `chance`. */
static double limit_at(const double *value, size_t at, size_t count, double chance)
{
    struct noise before = scatter_of(value, at), after = scatter_of(value + at, count - at);
    struct noise noise = noise_pooled(before, after);
    noise.variance *= 1 / (double)at + 1 / (double)(count - at);
    return fmax(noise_limit(noise, chance), log1p(LEAST));
}

/*
 * Judges a series that is too short for steps. The newest runs, from any place on, are suspect if
 * their mean is worse than that of all runs before the place by more than chance explains, and the
 * newest run itself is, too. The expected range follows from the runs before the place at which the
 * change is clearest.
 */
static void judge_short(struct trend_course *course, enum trend_figure figure, const double *value,
                        size_t count)
{
    const double chance = EXPECT_CHANCE / (double)(count - SHORT_BEFORE);
    const double sign = trend_is_time(figure) ? 1 : -1;
    double clearest = -INFINITY;
    for (size_t at = count - 1; at >= SHORT_BEFORE; at--) {
        double mean = mean_of(value, at), limit = limit_at(value, at, count, chance);
        double change = sign * (mean_of(value + at, count - at) - mean);
        if (change / limit <= clearest)
            continue;
        clearest = change / limit;
        const double newest = sign * (value[count - 1] - mean);
        course->low = exp(mean - limit);
        course->high = exp(mean + limit);
        set_newest(course, fmin(change, newest) > limit);
    }
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
    if (trend_is_short(s))
        judge_short(course, figure, value, s->valid_runs);
    else if (s->valid_runs > 0)
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

bool trend_newest_is(const struct trend_series *series, enum trend_newest newest)
{
    for (int figure = 0; figure < TREND_FIGURES; figure++)
        if (series->course[figure].newest == newest)
            return true;
    return false;
}
