/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/capacity/capacity_change.h"

#include <math.h>

#include "base/util.h"
#include "stats/noise.h"

/* Smallest number of probes on either side of a change. */
#define SIDE_MIN 3
/* Error probability of one look at all possible changes. The looks of a search have much in common:
 * tests/unit/tools/capacity/test_capacity_search.c shows how often a whole search is wrong. */
#define DOUBT 0.005

struct point {
    size_t probe; /* index */
    double x, y;  /* ln rate and margin */
};

/* Means of a group, and sums of products of the deviations from these means. */
struct group {
    double n, x, y, xx, xy, yy;
};

static bool is_clamped(const struct change_probe *p, double bound)
{
    return fabs(p->margin) >= bound;
}

/* Far from the edge, margins are at their bound and say nothing. If a rate misses by far although a
 * higher rate did not, or the other way round, something has changed. */
static bool is_telling(const struct change_probe *p, double bound, double lowest, double highest)
{
    return !is_clamped(p, bound) || (p->margin < 0 ? p->rate <= highest : p->rate >= lowest);
}

/* Selects probes that say something, in their order. Returns their number. */
static size_t collect(const struct change_probe *probe, size_t count, double bound,
                      struct point *point)
{
    double lowest = INFINITY, highest = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_clamped(&probe[i], bound)) {
            lowest = fmin(lowest, probe[i].rate);
            highest = fmax(highest, probe[i].rate);
        }
    for (size_t i = 0; i < count; i++)
        if (is_telling(&probe[i], bound, lowest, highest))
            point[n++] = (struct point){probe[i].number, log(probe[i].rate), probe[i].margin};
    return n;
}

static struct group sum_up(const struct point *point, size_t n)
{
    struct group g = {.n = (double)n};
    for (size_t i = 0; i < n; i++) {
        g.x += point[i].x / g.n;
        g.y += point[i].y / g.n;
    }
    for (size_t i = 0; i < n; i++) {
        const double dx = point[i].x - g.x, dy = point[i].y - g.y;
        g.xx += dx * dx;
        g.xy += dx * dy;
        g.yy += dy * dy;
    }
    return g;
}

/* Two parallel lines, one for each side of a change. */
struct lines {
    double slope;
    double step;        /* distance of the second line from the first */
    struct noise noise; /* of the step */
    double root[2];
};

/* Returns the rate at which a line is 0, limited to the rates of its probes: margins at their bound
 * make the line too flat to be used beyond them. */
static double root_within(const struct point *point, size_t n, double x)
{
    double lowest = point[0].x, highest = point[0].x;
    for (size_t i = 1; i < n; i++) {
        lowest = fmin(lowest, point[i].x);
        highest = fmax(highest, point[i].x);
    }
    return exp(fmin(fmax(x, lowest), highest));
}

/* Returns false if the lines do not fall. */
static bool fit_lines(const struct point *point, size_t n, size_t split, struct lines *lines)
{
    const struct group a = sum_up(point, split), b = sum_up(point + split, n - split);
    const double xx = a.xx + b.xx, xy = a.xy + b.xy, yy = a.yy + b.yy;
    if (!(xx > 0) || !(xy < 0))
        return false;
    const double apart = b.x - a.x, freedom = (double)n - 3;
    const double variance = fmax(0, yy - xy * xy / xx) / freedom;
    lines->slope = xy / xx;
    lines->step = b.y - a.y - lines->slope * apart;
    lines->noise = (struct noise){variance * (1 / a.n + 1 / b.n + apart * apart / xx), freedom};
    lines->root[0] = root_within(point, split, a.x - a.y / lines->slope);
    lines->root[1] = root_within(point + split, n - split, b.x - b.y / lines->slope);
    return true;
}

/* Returns how many times as large as chance explains the step is; 0 if there is none. */
static double excess(const struct lines *lines, size_t splits, double least)
{
    const double limit = noise_limit(lines->noise, DOUBT / (double)splits);
    if (fabs(log(lines->root[1] / lines->root[0])) <= least || fabs(lines->step) <= limit)
        return 0;
    return limit > 0 ? fabs(lines->step) / limit : INFINITY;
}

static struct capacity_change find_step(const struct point *point, size_t n, double least)
{
    struct capacity_change change = {0};
    double largest = 0;
    for (size_t split = SIDE_MIN; split + SIDE_MIN <= n; split++) {
        struct lines lines;
        if (!fit_lines(point, n, split, &lines))
            continue;
        const double size = excess(&lines, n - 2 * SIDE_MIN + 1, least);
        if (!(size > largest))
            continue;
        largest = size;
        change = (struct capacity_change){true, point[split].probe, lines.root[0], lines.root[1]};
    }
    return change;
}

struct capacity_change capacity_find_change(const struct change_probe *probe, size_t count,
                                            double bound, double least)
{
    struct point *point = xcalloc(count + 1, sizeof(*point));
    const struct capacity_change change =
        find_step(point, collect(probe, count, bound, point), least);
    free(point);
    return change;
}
