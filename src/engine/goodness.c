/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/goodness.h"

#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/util.h"

/* Gaps in operational time are counted in millionths: the mean gap is a million. */
#define GAP_UNIT 1e6

void goodness_init(struct goodness *g, const struct arrival_plan *asked)
{
    *g = (struct goodness){
        .kind = asked->kind, .profile = &asked->profile, .share = arrival_plan_share(asked)};
}

static double operational_time(const struct goodness *g, int64_t made_ns)
{
    return g->share * rate_profile_arrivals(g->profile, ns_to_seconds(made_ns));
}

void goodness_skip(struct goodness *g, int64_t asked_ns, int64_t made_ns)
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

void goodness_add(struct goodness *g, int64_t asked_ns, int64_t made_ns)
{
    if (stood_still(g, asked_ns, made_ns))
        g->resumed_ns = made_ns;
    if (asked_ns < g->resumed_ns) {
        goodness_skip(g, asked_ns, made_ns);
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
    goodness_skip(g, asked_ns, made_ns);
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
    if (g->kind == ARRIVAL_POISSON)
        return ks_distance(g);
    return g->asked_ns > 0 ? g->deviation_ns / g->asked_ns : 0;
}
