/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/arrival.h"

#include <math.h>

#include "base/util.h"

#define FINGERPRINT_ARRIVALS 1000
#define STEADY_GAPS 1000

static double draw_normal(struct rand_stream *s)
{
    const double r = sqrt(2 * rand_stream_exponential(s));
    return r * cos(2 * M_PI * rand_stream_double(s));
}

/* Marsaglia and Tsang 2000; shape ≥ 1. */
static double draw_large_gamma(struct rand_stream *s, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(s), root = 1 + c * x, v = root * root * root;
        if (root > 0 && -rand_stream_exponential(s) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

static double draw_gamma(struct rand_stream *s, double shape)
{
    if (shape >= 1)
        return draw_large_gamma(s, shape);
    return draw_large_gamma(s, shape + 1) * exp(-rand_stream_exponential(s) / shape);
}

/* Draws a gap with mean 1. */
static double draw_gap(struct arrival *a)
{
    const struct arrival_law *law = a->law;
    switch (law->kind) {
    case LAW_CONSTANT: return 1;
    case LAW_GAMMA: return law->scale * draw_gamma(&a->stream, law->shape);
    case LAW_WEIBULL: return law->scale * pow(rand_stream_exponential(&a->stream), 1 / law->shape);
    default: return rand_stream_exponential(&a->stream);
    }
}

/* The first arrival of a renewal process after time 0. */
static double steady_gap(struct arrival *a)
{
    double at = -STEADY_GAPS;
    while (at <= 0)
        at += draw_gap(a);
    return at;
}

static void init_shaped(struct arrival *a, const struct arrival_plan *plan, uint64_t seed)
{
    a->law = &plan->law;
    modulation_init(&a->modulation, plan, seed);
}

void arrival_init_plan(struct arrival *a, const struct arrival_plan *plan,
                       const struct settings *settings)
{
    *a = (struct arrival){.kind = plan->kind,
                          .profile = &plan->profile,
                          .trace = &plan->trace,
                          .rank = settings->rank};
    rand_stream_init(&a->stream, settings->rand.seed, RAND_ARRIVAL, 0);
    rand_stream_init(&a->owners, settings->rand.seed, RAND_OWNER, 0);
    if (a->kind == ARRIVAL_SHAPED)
        init_shaped(a, plan, settings->rand.seed);
}

void arrival_init(struct arrival *a, const struct settings *settings)
{
    arrival_init_plan(a, &settings->arrivals, settings);
}

void arrival_follow(struct arrival *a, int64_t (*source)(void *arg), void *arg)
{
    a->kind = ARRIVAL_TRACE;
    a->source = source;
    a->source_arg = arg;
}

/* Returns true if the arrival that was drawn last belongs to this rank. */
static bool is_own(struct arrival *a)
{
    if (rank_is_alone(&a->rank))
        return true;
    const uint64_t slots = (uint64_t)a->rank.threads;
    const uint64_t slot = a->kind == ARRIVAL_CONSTANT ? (a->number - 1) % slots
                                                      : rand_stream_below(&a->owners, slots);
    return rank_of_slot(&a->rank, slot) == a->rank.number;
}

static __attribute__((noinline)) int64_t next_of_trace(struct arrival *a)
{
    do {
        if (a->number >= a->trace->count)
            return INT64_MAX;
        a->number++;
    } while (!is_own(a));
    return a->trace->times_ns[a->number - 1];
}

static int64_t next_of_source(struct arrival *a)
{
    a->number++;
    return a->source(a->source_arg);
}

static int64_t to_ns(double seconds)
{
    const double ns = seconds * 1e9;
    return ns < 9e18 ? llround(ns) : INT64_MAX;
}

/* Not inlined, because the registers that this function saves would cost the other arrivals time. */
static __attribute__((noinline)) int64_t next_shaped(struct arrival *a)
{
    do {
        const bool starts = a->number == 0 && arrival_law_is_renewal(a->law);
        a->operational += starts ? steady_gap(a) : draw_gap(a);
        a->number++;
    } while (!is_own(a));
    return to_ns(modulation_time(&a->modulation, a->operational));
}

int64_t arrival_next(struct arrival *a)
{
    if (a->source != NULL)
        return next_of_source(a);
    if (UNLIKELY(a->kind >= ARRIVAL_TRACE))
        return a->kind == ARRIVAL_TRACE ? next_of_trace(a) : next_shaped(a);
    /* Only the arrivals of this rank are converted to a time, which is the expensive part. */
    do {
        a->operational += a->kind == ARRIVAL_CONSTANT ? 1 : rand_stream_exponential(&a->stream);
        a->number++;
    } while (!is_own(a));
    double ns = rate_profile_time(a->profile, a->operational) * 1e9;
    return ns < 9e18 ? llround(ns) : INT64_MAX;
}

uint64_t arrival_fingerprint(const struct settings *settings)
{
    struct arrival a;
    arrival_init(&a, settings);
    a.rank = (struct rank){0};
    uint64_t x = rand_mix64((uint64_t)a.kind + RAND_WEYL);
    for (unsigned i = 0; i < FINGERPRINT_ARRIVALS; i++)
        x = rand_mix64(x + RAND_WEYL * ((uint64_t)arrival_next(&a) + 1));
    return x;
}
