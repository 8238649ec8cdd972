/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/arrival.h"

#include <math.h>

#include "base/util.h"

void arrival_init(struct arrival *a, const struct settings *settings, unsigned rank, unsigned ranks)
{
    *a = (struct arrival){.kind = settings->arrivals.kind,
                          .profile = &settings->arrivals.profile,
                          .trace = &settings->arrivals.trace,
                          .ranks = ranks,
                          .index = rank};
    rand_stream_init(&a->stream, settings->rand.seed, RAND_ARRIVAL, rank);
    /* Evenly spaced ranks take turns: the first of rank r is arrival r + 1 of the whole. */
    if (a->kind == ARRIVAL_CONSTANT)
        a->operational = (double)rank + 1 - ranks;
}

static int64_t next_of_trace(struct arrival *a)
{
    if (a->index >= a->trace->count)
        return INT64_MAX;
    int64_t next_ns = a->trace->times_ns[a->index];
    a->index += (size_t)a->ranks;
    return next_ns;
}

int64_t arrival_next(struct arrival *a)
{
    if (a->kind == ARRIVAL_TRACE)
        return next_of_trace(a);
    double gap = a->kind == ARRIVAL_CONSTANT ? 1 : rand_stream_exponential(&a->stream);
    a->operational += a->ranks * gap;
    double ns = rate_profile_time(a->profile, a->operational) * 1e9;
    return ns < 9e18 ? llround(ns) : INT64_MAX;
}
