/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/goodness.h"

#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/util.h"

/* Gaps in operational time are counted in millionths: the mean gap is a million. */
#define GAP_UNIT 1e6
/* Gaps of a renewal process are judged by cells of this length. The mean gap is 1. */
#define GAP_CELL 0.1
/* Multiples of the golden ratio are spread evenly over the unit interval. */
#define GOLDEN_FRACTION 0.6180339887498949
/* With fewer windows, the index of dispersion is not computed. */
#define DISPERSION_WINDOWS 10

static double operational_time(const struct goodness *g, int64_t made_ns)
{
    return g->share * rate_profile_arrivals(g->profile, ns_to_seconds(made_ns));
}

static void skip_plain(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    if (g->kind == ARRIVAL_POISSON)
        g->last_operational = operational_time(g, made_ns);
    g->last_asked_ns = asked_ns;
    g->last_made_ns = made_ns;
}

/*
 * True if the arrival became due during a stall of the generator. A generator that cannot keep up
 * is late too, but it still produces arrivals, so the time since the last one is checked as well.
 */
static bool stood_still(const struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    return made_ns - asked_ns >= GENERATOR_STALL_NS &&
           made_ns - g->last_made_ns >= GENERATOR_STALL_NS;
}

static void add_plain(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    if (stood_still(g, asked_ns, made_ns))
        g->resumed_ns = made_ns;
    if (asked_ns < g->resumed_ns) {
        skip_plain(g, asked_ns, made_ns);
        return;
    }
    if (g->kind == ARRIVAL_POISSON) {
        double gap = operational_time(g, made_ns) - g->last_operational;
        g->gaps[histogram_index((int64_t)(gap * GAP_UNIT))]++;
    }
    int64_t asked_gap_ns = asked_ns - g->last_asked_ns, made_gap_ns = made_ns - g->last_made_ns;
    g->deviation_ns += fabs((double)(made_gap_ns - asked_gap_ns));
    g->asked_ns += (double)asked_gap_ns;
    g->count++;
    skip_plain(g, asked_ns, made_ns);
}

static double shaped_time(struct goodness *g, int64_t made_ns)
{
    return g->share * modulation_arrivals(&g->modulation, ns_to_seconds(made_ns));
}

static void skip_shaped(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    g->last_operational = shaped_time(g, made_ns);
    g->last_asked_ns = asked_ns;
    g->last_made_ns = made_ns;
}

/* Transforms a gap of a renewal process to a unit exponential one. */
static double renewal_hazard(const struct goodness *g, double gap)
{
    const double begin = floor(gap / GAP_CELL) * GAP_CELL;
    const double low = arrival_law_hazard(g->law, begin);
    const double high = arrival_law_hazard(g->law, begin + GAP_CELL);
    const double turn = (double)g->count * GOLDEN_FRACTION;
    const double part = turn - floor(turn);
    /* Interpolates between the two probabilities exp(−low) and exp(−high). */
    return low - log1p(part * expm1(low - high));
}

static void count_windows(struct goodness *g, int64_t made_ns)
{
    for (unsigned i = 0; i < DISPERSION_SCALES; i++) {
        struct window_counts *w = &g->windows[i];
        const int64_t window = made_ns / goodness_scale_ns(i);
        if (w->window < 0) {
            /* The first window is left out: a part of it may be before the measurement. */
            w->window = window + 1;
            continue;
        }
        if (window > w->window) {
            w->count += (double)(window - w->window);
            w->sum += w->present;
            w->squares += w->present * w->present;
            w->present = 0;
            w->window = window;
        }
        if (window == w->window)
            w->present++;
    }
}

static void add_shaped(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    if (stood_still(g, asked_ns, made_ns))
        g->resumed_ns = made_ns;
    count_windows(g, made_ns);
    if (asked_ns >= g->resumed_ns) {
        double gap = shaped_time(g, made_ns) - g->last_operational;
        if (g->by_law && arrival_law_is_renewal(g->law))
            gap = renewal_hazard(g, gap);
        if (g->by_law)
            g->gaps[histogram_index((int64_t)(gap * GAP_UNIT))]++;
        int64_t asked_gap_ns = asked_ns - g->last_asked_ns;
        g->deviation_ns += fabs((double)(made_ns - g->last_made_ns - asked_gap_ns));
        g->asked_ns += (double)asked_gap_ns;
        g->count++;
    }
    skip_shaped(g, asked_ns, made_ns);
}

void goodness_init(struct goodness *g, const struct arrival_plan *asked)
{
    *g = (struct goodness){
        .kind = asked->kind,
        .profile = &asked->profile,
        .share = arrival_plan_share(asked),
        .add = add_plain,
        .skip = skip_plain,
    };
}

void goodness_follow(struct goodness *g, const struct arrival_plan *asked, uint64_t seed)
{
    g->add = add_shaped;
    g->skip = skip_shaped;
    g->law = &asked->law;
    g->by_law = arrival_plan_has_law(asked);
    modulation_init(&g->modulation, asked, seed);
    for (unsigned i = 0; i < DISPERSION_SCALES; i++)
        g->windows[i].window = -1;
}

int64_t goodness_scale_ns(unsigned i)
{
    static const int64_t scale_ns[DISPERSION_SCALES] = {NS_PER_SEC / 10, NS_PER_SEC,
                                                        10 * NS_PER_SEC};
    return scale_ns[i];
}

double goodness_dispersion(const struct goodness *g, unsigned i)
{
    const struct window_counts *w = &g->windows[i];
    if (g->law == NULL || w->count < DISPERSION_WINDOWS || w->sum == 0)
        return 0;
    const double mean = w->sum / w->count;
    return (w->squares - w->sum * mean) / (w->count - 1) / mean;
}

/* At the lower border of bucket i, the number of smaller gaps is exactly the sum of the buckets
 * before it, so the distances are computed there. */
static double ks_distance(const struct goodness *g)
{
    double distance = 0;
    uint64_t below = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        double expected = -expm1(-(double)histogram_lower_ns(i) / GAP_UNIT);
        distance = fmax(distance, fabs((double)below / (double)g->count - expected));
        below += g->gaps[i];
    }
    return distance;
}

double goodness_distance(const struct goodness *g)
{
    if (g->count == 0)
        return 0;
    if (g->kind == ARRIVAL_POISSON || g->by_law)
        return ks_distance(g);
    return g->asked_ns > 0 ? g->deviation_ns / g->asked_ns : 0;
}
