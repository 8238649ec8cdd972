/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/trend/change_points.h"

#include <math.h>
#include <string.h>

#include "base/rand_stream.h"
#include "base/util.h"
#include "stats/noise.h"

/* Smallest number of values on either side of a step. */
#define SIDE 3
/*
 * A long series is searched in windows. A window begins at the last step or, if no step was found,
 * half a window after the previous one: so each place is in the middle of a window, and ten
 * thousand values take a hundred times as long as a hundred.
 */
#define WINDOW 100
/* If this many permutations have as good a split as the series, the split is not a step (Besag,
 * Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991). */
#define ENOUGH 10
#define ERROR_SHARE 0.01

struct search {
    const double *value;
    double least;
    double chance; /* error probability for each window */
    struct rand_stream random;
    size_t *at; /* positions of the steps, not sorted within a window */
    size_t count;
};

struct split {
    size_t at;     /* number of values before the split; 0 if there is no split */
    double energy; /* measure of the difference between the two sides */
};

/* Σ |x − v[i]|. */
static double distances(double x, const double *v, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(x - v[i]);
    return sum;
}

/* Sums of distances between and within both sides, and sums of the values of each side. */
struct sides {
    double within_left, within_right, between;
    double left, right;
};

/* Q of Matteson and James with α = 1, for a split into `n` and `m` values. */
static double energy_of(const struct sides *s, double n, double m)
{
    double between = 2 * s->between / (n * m);
    double within = 2 * s->within_left / (n * (n - 1)) + 2 * s->within_right / (m * (m - 1));
    return n * m / (n + m) * (between - within);
}

/* Returns the best split whose levels differ by at least `least`. */
static struct split best_split(const double *v, size_t count, double least)
{
    struct sides s = {0};
    struct split best = {0, 0};
    for (size_t i = 0; i < count; i++) {
        s.right += v[i];
        s.within_right += distances(v[i], v, i);
    }
    for (size_t i = 0; i + SIDE < count; i++) {
        double to_left = distances(v[i], v, i);
        double to_right = distances(v[i], v + i + 1, count - i - 1);
        s.within_left += to_left;
        s.within_right -= to_right;
        s.between += to_right - to_left;
        s.left += v[i];
        s.right -= v[i];
        double n = (double)(i + 1), m = (double)(count - i - 1);
        if (n < SIDE || fabs(s.left / n - s.right / m) < least)
            continue;
        double energy = energy_of(&s, n, m);
        if (energy > best.energy)
            best = (struct split){i + 1, energy};
    }
    return best;
}

/* Fisher–Yates shuffle. */
static void shuffle(struct rand_stream *random, double *v, size_t count)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = (size_t)rand_stream_below(random, i + 1);
        double x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
}

/*
 * Permutation test: returns true if the share of permutations with as good a split, counting the
 * series itself, is below the error probability.
 */
static bool is_rare(struct search *s, const double *v, size_t count, double energy)
{
    double copy[WINDOW];
    unsigned most = (unsigned)ceil(ENOUGH / s->chance), as_good = 0;
    memcpy(copy, v, count * sizeof(*copy));
    for (unsigned i = 1; i <= most; i++) {
        shuffle(&s->random, copy, count);
        as_good += best_split(copy, count, s->least).energy >= energy;
        /* Stop early: further permutations cannot change the result. */
        if (as_good >= ENOUGH)
            return false;
        if ((as_good + 1.0) / (i + 1) < s->chance / 4)
            return true;
    }
    return (as_good + 1.0) / (most + 1) < s->chance;
}

/* Splits the values from `from` to `to`, and then both parts recursively. */
static void split_all(struct search *s, size_t from, size_t to)
{
    if (to - from < 2 * SIDE)
        return;
    struct split split = best_split(s->value + from, to - from, s->least);
    if (split.at == 0 || !is_rare(s, s->value + from, to - from, split.energy))
        return;
    s->at[s->count++] = from + split.at;
    split_all(s, from, from + split.at);
    split_all(s, from + split.at, to);
}

static int by_place(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Rounded up to a power of two, so that a growing history seldom has to be judged again from its
 * beginning. */
static size_t windows_of(size_t count)
{
    size_t windows = 1;
    while (WINDOW + (windows - 1) * (WINDOW / 2) < count)
        windows *= 2;
    return windows;
}

/* Each window has its own random stream, which does not depend on earlier searches. */
static void search_window(struct search *s, size_t from, size_t to)
{
    size_t before = s->count;
    rand_stream_init(&s->random, 1, RAND_ORDER, (unsigned)from);
    split_all(s, from, to);
    qsort(s->at + before, s->count - before, sizeof(*s->at), by_place);
}

/* Searches the windows that are complete, except the last one. */
static void search_whole_windows(struct search *s, struct change_state *state, size_t count)
{
    while (count - state->from > WINDOW) {
        const size_t before = s->count;
        state->done = state->from + WINDOW;
        search_window(s, state->from, state->done);
        state->from = s->count > before ? s->at[s->count - 1] : state->from + WINDOW / 2;
    }
}

static void keep(struct change_state *state, const struct search *s)
{
    free(state->step);
    state->step = xcalloc(s->count + 1, sizeof(*state->step));
    memcpy(state->step, s->at, s->count * sizeof(*state->step));
    state->steps = s->count;
}

static void begin(struct search *s, struct change_state *state)
{
    if (state->chance != s->chance) {
        change_state_fini(state);
        state->chance = s->chance;
    }
    if (state->steps > 0)
        memcpy(s->at, state->step, state->steps * sizeof(*s->at));
    s->count = state->steps;
}

/* Mean of several values, and its noise. */
static struct noise mean_of(const double *v, size_t count, double *mean)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += v[i];
    *mean = sum / (double)count;
    struct noise noise = noise_of_repeats(v, count);
    noise.variance /= (double)count;
    return noise;
}

static struct change_point measure(const struct search *s, size_t i, size_t count)
{
    struct change_point point = {.at = s->at[i]};
    size_t from = i > 0 ? s->at[i - 1] : 0, to = i + 1 < s->count ? s->at[i + 1] : count;
    struct noise before = mean_of(s->value + from, point.at - from, &point.before);
    struct noise after = mean_of(s->value + point.at, to - point.at, &point.after);
    point.error = noise_limit(noise_of_difference(before, after), ERROR_SHARE);
    return point;
}

void change_state_fini(struct change_state *state)
{
    free(state->step);
    *state = (struct change_state){0};
}

size_t change_points_find(const double *value, size_t count, const struct change_rules *rules,
                          struct change_state *state, struct change_point **found)
{
    struct search s = {.value = value, .least = rules->least};
    *found = NULL;
    if (count < CHANGE_POINTS_LEAST)
        return 0;
    s.chance = rules->chance / (double)windows_of(count);
    s.at = xcalloc(count, sizeof(*s.at));
    begin(&s, state);
    search_whole_windows(&s, state, count);
    keep(state, &s);
    search_window(&s, state->from, count);
    *found = xcalloc(s.count + 1, sizeof(**found));
    for (size_t i = 0; i < s.count; i++)
        (*found)[i] = measure(&s, i, count);
    free(s.at);
    return s.count;
}
