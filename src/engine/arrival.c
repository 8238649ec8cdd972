/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/arrival.h"

#include <math.h>

#include "base/util.h"

#define FINGERPRINT_ARRIVALS 1000

void arrival_init(struct arrival *a, const struct settings *settings)
{
    *a = (struct arrival){.kind = settings->arrivals.kind,
                          .profile = &settings->arrivals.profile,
                          .trace = &settings->arrivals.trace,
                          .rank = settings->rank};
    rand_stream_init(&a->stream, settings->rand.seed, RAND_ARRIVAL, 0);
    rand_stream_init(&a->owners, settings->rand.seed, RAND_OWNER, 0);
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

static int64_t next_of_trace(struct arrival *a)
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

int64_t arrival_next(struct arrival *a)
{
    if (a->source != NULL)
        return next_of_source(a);
    if (a->kind == ARRIVAL_TRACE)
        return next_of_trace(a);
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
