/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/capacity/capacity_search.h"

#include <math.h>

#include "base/util.h"

/* Factor between rates while no rate is known to be too high. */
#define GROWTH 4
/* Ratio of rates (as a logarithm) at which the random probes begin: within it the margin is nearly
 * linear. */
#define NARROW_SPAN 0.2
/* Smallest number of random probes for an estimate, and of those on either side of the limit. */
#define EDGE_MIN 10
#define EDGE_MIN_EITHER 2
/* Largest number of random probes, even if the estimate is not precise enough. */
#define EDGE_MAX 60
/* Farthest distance of random rates from the centre, as a multiple of the noise of one probe, and
 * its bound. */
#define REACH_NOISE 2
#define REACH_MAX 0.1
/* Largest number of doublings of the steps in which the centre is moved to find the edge. */
#define MOVES_MAX 5
/* Largest number of repetitions of a probe in which the client was late. */
#define REPEATS_MAX 3

void capacity_search_init(struct capacity_search *s, const struct capacity_goal *goal)
{
    *s = (struct capacity_search){.goal = *goal, .reach = REACH_MAX, .length = 1};
    rand_stream_init(&s->stream, goal->seed, RAND_WORKLOAD, 0);
}

void capacity_search_fini(struct capacity_search *s)
{
    free(s->probe);
}

/* Choice of the next rate. */

static double bracket_rate(const struct capacity_search *s)
{
    return s->low > 0 ? fmin(GROWTH * s->low, s->goal.max_rate) : s->goal.min_rate;
}

/*
 * Rates are chosen in pairs, one below and one above the centre in random order. No rate is close
 * to the centre, because such a rate does not help to estimate the slope.
 */
static double edge_rate(struct capacity_search *s)
{
    if (s->side == 0)
        s->side = rand_stream_below(&s->stream, 2) == 0 ? 1 : -1;
    double off = s->reach * (0.3 + 0.7 * rand_stream_double(&s->stream));
    double rate = exp(s->centre + s->side * off);
    return fmin(fmax(rate, s->goal.min_rate), s->goal.max_rate);
}

static double next_rate(struct capacity_search *s)
{
    switch (s->phase) {
    case CAPACITY_BRACKET:
        return bracket_rate(s);
    case CAPACITY_NARROW:
        return sqrt(s->low * s->high);
    case CAPACITY_EDGE:
        return edge_rate(s);
    default:
        return exp(s->fit.root);
    }
}

bool capacity_search_next(struct capacity_search *s, struct capacity_probe *probe)
{
    if (s->finished)
        return false;
    const struct capacity_probe *last = s->count > 0 ? &s->probe[s->count - 1] : NULL;
    *probe = (struct capacity_probe){.phase = s->phase, .length = s->length};
    probe->rate = last != NULL && !last->counts ? last->rate : next_rate(s);
    probe->seed = 1 + (int64_t)rand_stream_below(&s->stream, INT32_MAX);
    return true;
}

/* Evaluation of a probe. */

/*
 * A rate is too high only if it misses the objectives twice: a short disturbance must not end the
 * bracket far too low.
 */
static void after_bracket(struct capacity_search *s, const struct capacity_probe *probe)
{
    if (probe->margin > 0)
        s->low = probe->rate;
    else if (s->missed_rate == probe->rate)
        s->high = probe->rate;
    else
        s->missed_rate = probe->rate;
    s->finished = s->low == s->goal.max_rate || (s->low == 0 && s->high > 0);
    if (s->high > 0)
        s->phase = CAPACITY_NARROW;
}

static void begin_edge(struct capacity_search *s)
{
    s->phase = CAPACITY_EDGE;
    s->centre = (log(s->low) + log(s->high)) / 2;
}

static void after_narrow(struct capacity_search *s, const struct capacity_probe *probe)
{
    *(probe->margin > 0 ? &s->low : &s->high) = probe->rate;
    if (s->high <= s->low * (1 + NARROW_SPAN))
        begin_edge(s);
}

/* Probes within reach of the centre. */
struct nearby {
    struct fit_point *point;
    size_t count, met;
    double lowest, highest; /* smallest and largest x (ln rate) */
    double sum;             /* sum of the margins */
};

static bool is_near(const struct capacity_search *s, const struct capacity_probe *p)
{
    bool whole = p->phase == CAPACITY_NARROW || p->phase == CAPACITY_EDGE;
    return whole && p->counts && fabs(log(p->rate) - s->centre) <= 1.5 * s->reach;
}

static struct nearby collect_nearby(const struct capacity_search *s)
{
    struct nearby near = {
        .point = xcalloc(s->count, sizeof(*near.point)), .lowest = INFINITY, .highest = -INFINITY};
    for (size_t i = 0; i < s->count; i++) {
        const struct capacity_probe *p = &s->probe[i];
        if (!is_near(s, p))
            continue;
        struct fit_point point = {log(p->rate), p->margin};
        near.lowest = fmin(near.lowest, point.x);
        near.highest = fmax(near.highest, point.x);
        near.met += p->margin > 0;
        near.sum += p->margin;
        near.point[near.count++] = point;
    }
    return near;
}

/*
 * If all nearby probes meet the objectives, or none does, or the margin does not fall with the
 * rate, the edge is not near the centre.
 */
static bool is_elsewhere(const struct capacity_search *s, const struct nearby *near)
{
    return near->met == 0 || near->met == near->count ||
           (s->fit.n >= EDGE_MIN && s->fit.slope >= 0);
}

/*
 * Returns the nearest probe beyond `from`, in the direction `up`, with the opposite outcome, as ln
 * rate; NAN if no probe has it. Short probes count, too.
 */
static double other_side(const struct capacity_search *s, double from, bool up)
{
    double nearest = NAN;
    for (size_t i = 0; i < s->count; i++) {
        const struct capacity_probe *p = &s->probe[i];
        double x = log(p->rate);
        bool other = p->counts && (p->margin > 0) != up && (up ? x > from : x < from);
        if (other && (isnan(nearest) || fabs(x - from) < fabs(nearest - from)))
            nearest = x;
    }
    return nearest;
}

/* Moves the centre half the way to the nearest probe with the opposite outcome. If that does not
 * exist, moves by steps that grow. */
static void leave(struct capacity_search *s, const struct nearby *near)
{
    bool up = near->sum > 0;
    double from = up ? near->highest : near->lowest;
    double other = other_side(s, from, up);
    if (!isnan(other)) {
        s->centre = (from + other) / 2;
        return;
    }
    s->centre = from + (up ? s->reach : -s->reach) * (1 << s->moves);
    s->moves += s->moves < MOVES_MAX;
}

/* Moves the centre to the zero of the fitted line, but not far beyond the probed rates. */
static void move_centre(struct capacity_search *s, const struct nearby *near)
{
    if (near->count < 2)
        return;
    if (is_elsewhere(s, near)) {
        leave(s, near);
        return;
    }
    s->moves = 0;
    if (s->fit.n > 3 && s->fit.slope < 0)
        s->centre = fmin(fmax(s->fit.root, near->lowest - s->reach), near->highest + s->reach);
}

static void move_reach(struct capacity_search *s)
{
    if (s->fit.n >= EDGE_MIN / 2 && s->fit.slope < 0)
        s->reach =
            fmin(fmax(REACH_NOISE * s->fit.noise / -s->fit.slope, s->goal.precision), REACH_MAX);
}

static bool is_precise(const struct capacity_search *s)
{
    const struct fit *f = &s->fit;
    return f->bounded && exp(f->high - f->root) - exp(f->low - f->root) <= 2 * s->goal.precision;
}

static bool edge_is_done(const struct capacity_search *s, const struct nearby *near, size_t probes)
{
    bool both = near->met >= EDGE_MIN_EITHER && near->count - near->met >= EDGE_MIN_EITHER;
    return (near->count >= EDGE_MIN && both && is_precise(s)) || probes >= EDGE_MAX;
}

static size_t count_phase(const struct capacity_search *s, enum capacity_phase phase)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += s->probe[i].phase == phase && s->probe[i].counts;
    return n;
}

static struct capacity_change find_change(const struct capacity_search *s)
{
    struct change_probe *edge = xcalloc(s->count, sizeof(*edge));
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct capacity_probe *p = &s->probe[i];
        if (p->phase == CAPACITY_EDGE && p->counts && p->trusted)
            edge[n++] = (struct change_probe){i, p->rate, p->margin};
    }
    const struct capacity_change change =
        capacity_find_change(edge, n, CAPACITY_MARGIN_MAX, s->goal.precision);
    free(edge);
    return change;
}

static void after_edge(struct capacity_search *s)
{
    struct nearby near = collect_nearby(s);
    s->fit = fit_line(near.point, near.count);
    s->side = s->second ? 0 : -s->side;
    s->second = !s->second;
    s->change = find_change(s);
    if (s->change.found) {
        s->finished = true;
    } else if (edge_is_done(s, &near, count_phase(s, CAPACITY_EDGE))) {
        s->phase = CAPACITY_BELOW;
        s->finished = s->goal.pairs == 0 || !s->fit.bounded;
    } else {
        move_centre(s, &near);
        move_reach(s);
    }
    free(near.point);
}

static void after_pair(struct capacity_search *s)
{
    s->phase = s->phase == CAPACITY_BELOW ? CAPACITY_ABOVE : CAPACITY_BELOW;
    s->finished = count_phase(s, CAPACITY_ABOVE) == s->goal.pairs;
}

/* Returns true if the probe has to be repeated, and sets how. */
static bool ask_again(struct capacity_search *s, const struct capacity_probe *probe)
{
    /* A late client can only lengthen response times: a probe that meets the objectives anyway is
     * good. */
    bool good = probe->trusted || (probe->phase == CAPACITY_BRACKET && probe->margin > 0);
    if (probe->empty) {
        s->length *= 2;
        return true;
    }
    if (!good && s->repeats < REPEATS_MAX) {
        s->repeats++;
        return true;
    }
    s->repeats = 0;
    s->length = 1;
    return false;
}

void capacity_search_add(struct capacity_search *s, const struct capacity_probe *probe)
{
    bool again = ask_again(s, probe);
    s->probe = xrealloc(s->probe, (s->count + 1) * sizeof(*s->probe));
    s->probe[s->count] = *probe;
    s->probe[s->count++].counts = !again;
    if (again)
        return;
    if (probe->phase == CAPACITY_BRACKET)
        after_bracket(s, probe);
    else if (probe->phase == CAPACITY_NARROW)
        after_narrow(s, probe);
    else if (probe->phase == CAPACITY_EDGE)
        after_edge(s);
    else
        after_pair(s);
}

/* Computation of the result. */

static double mean_margin(const struct capacity_search *s, enum capacity_phase phase)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->probe[i].phase == phase && s->probe[i].counts) {
            sum += s->probe[i].margin;
            n++;
        }
    return n > 0 ? sum / (double)n : NAN;
}

/* Compares the difference of two means over the pairs with the noise of the probes at the edge. */
static void compare_directions(const struct capacity_search *s, struct capacity_result *r)
{
    r->below = mean_margin(s, CAPACITY_BELOW);
    r->above = mean_margin(s, CAPACITY_ABOVE);
    double chance = fit_limit(&s->fit, 2 / fmax(1, (double)s->goal.pairs));
    r->hysteresis = fabs(r->above - r->below) > chance;
}

struct capacity_result capacity_search_result(const struct capacity_search *s)
{
    struct capacity_result r = {
        .low = s->low, .high = s->high > 0 ? s->high : INFINITY, .below = NAN, .above = NAN};
    if (s->change.found) {
        r.low = fmin(s->change.before, s->change.after);
        r.high = fmax(s->change.before, s->change.after);
    } else if (s->fit.bounded) {
        r = (struct capacity_result){.outcome = CAPACITY_FOUND,
                                     .precise = s->phase >= CAPACITY_BELOW && is_precise(s),
                                     .rate = exp(s->fit.root),
                                     .low = exp(s->fit.low),
                                     .high = exp(s->fit.high),
                                     .used = (unsigned)s->fit.n};
        compare_directions(s, &r);
    } else if (s->finished && s->low == s->goal.max_rate) {
        r.outcome = CAPACITY_ABOVE_MAX;
    } else if (s->finished && s->low == 0) {
        r.outcome = CAPACITY_BELOW_MIN;
    }
    return r;
}
