/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How requests are to arrive: what --rate, --arrival, --arrival-trace and --arrival-wait ask for.
 */
#ifndef ARRIVAL_PLAN_H
#define ARRIVAL_PLAN_H

#include <stdint.h>

#include "options/arrivals/arrival_trace.h"
#include "options/arrivals/rate_profile.h"
#include "options/options.h"

/* Where arrival times come from. */
enum arrival_kind { ARRIVAL_POISSON, ARRIVAL_CONSTANT, ARRIVAL_TRACE };

/* How the generator waits for the next one (docs/definitions.md). */
enum arrival_wait { ARRIVAL_WAIT_AUTO, ARRIVAL_WAIT_SLEEP, ARRIVAL_WAIT_SPIN };

struct arrival_plan {
    enum arrival_kind kind;
    enum arrival_wait wait;
    struct rate_profile profile; /* the rate over time; for a trace its mean rate */
    struct arrival_trace trace;  /* ARRIVAL_TRACE */
    double elsewhere; /* the share of the arrivals that other ranks have; the rest is ours */
};

/* −1 after a logged message: options that exclude each other, a trace that cannot be read.
 * arrival_plan_fini() is due in either case. */
int arrival_plan_load(struct arrival_plan *plan, const struct options *set);
/* Arrivals that the workload brings, as those of a trace: arrival_trace_of_workload(). */
void arrival_plan_follow(struct arrival_plan *plan, const char *path, size_t count,
                         int64_t last_ns);
void arrival_plan_fini(struct arrival_plan *plan);

/*
 * The mean rate per second of all arrivals: over `span_ns` from the start, or, where that is 0,
 * over the time of the points of a rate that changes. 0: a closed loop.
 */
double arrival_plan_mean_rate(const struct arrival_plan *plan, int64_t span_ns);

/* Ours, of 1. */
static inline double arrival_plan_share(const struct arrival_plan *plan)
{
    return 1 - plan->elsewhere;
}

/* How many of our arrivals are asked for (a trace), or to be expected, from the start until then.
 */
double arrival_plan_count(const struct arrival_plan *plan, int64_t until_ns);

/* The mean rate of ours over `span_ns` from then on; `otherwise` where the rate over time is not
 * known, or there is no time. */
double arrival_plan_mean_between(const struct arrival_plan *plan, int64_t from_ns, int64_t span_ns,
                                 double otherwise);

#endif
