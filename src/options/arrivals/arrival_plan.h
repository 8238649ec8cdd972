/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arrival process of a run as given by --rate, --arrival, --burst, --arrival-trace and
 * --arrival-wait.
 */
#ifndef ARRIVAL_PLAN_H
#define ARRIVAL_PLAN_H

#include <stdint.h>

#include "options/arrivals/arrival_law.h"
#include "options/arrivals/arrival_trace.h"
#include "options/arrivals/rate_profile.h"
#include "options/options.h"

/* The source of arrival times. ARRIVAL_SHAPED: by arrival_plan.law and arrival_plan.burst. */
enum arrival_kind { ARRIVAL_POISSON, ARRIVAL_CONSTANT, ARRIVAL_TRACE, ARRIVAL_SHAPED };

/* How the generator waits for the next arrival (docs/definitions.md). */
enum arrival_wait { ARRIVAL_WAIT_AUTO, ARRIVAL_WAIT_SLEEP, ARRIVAL_WAIT_SPIN };

struct arrival_plan {
    enum arrival_kind kind;
    enum arrival_wait wait;
    struct rate_profile profile; /* the rate over time; for a trace, its mean rate */
    struct arrival_trace trace;  /* ARRIVAL_TRACE */
    struct arrival_law law;      /* ARRIVAL_SHAPED, as is `burst` */
    struct arrival_burst burst;
    double elsewhere; /* share of the arrivals that other ranks process, from 0 to 1 */
};

/* Fills *plan from the options. Returns −1 after a logged message if options exclude each other
 * or the trace cannot be read. The caller must call arrival_plan_fini() in either case. */
int arrival_plan_load(struct arrival_plan *plan, const struct options *set);
/* Fills *plan from --arrival, --burst and the rate in the option `name`, such as "rate". The caller
 * must call arrival_plan_fini(). */
void arrival_plan_load_rate(struct arrival_plan *plan, const struct options *set, const char *name);
/* Makes the plan follow arrival times that the workload has, as those of a trace
 * (arrival_trace_of_workload()). */
void arrival_plan_follow(struct arrival_plan *plan, const char *path, size_t count,
                         int64_t last_ns);
void arrival_plan_fini(struct arrival_plan *plan);

/*
 * Returns the mean rate per second of the arrivals of all ranks over `span_ns` from the start. If
 * `span_ns` is 0, the mean is over the time spanned by the points of a changing rate. Returns 0 for
 * a closed loop.
 */
double arrival_plan_mean_rate(const struct arrival_plan *plan, int64_t span_ns);

/* Returns the share of all arrivals that this rank processes, from 0 to 1. */
static inline double arrival_plan_share(const struct arrival_plan *plan)
{
    return 1 - plan->elsewhere;
}

/*
 * Returns true if the gaps between the arrivals of this rank are judged by the law of the arrivals.
 * Otherwise they are compared with the planned gaps: evenly spaced arrivals, traces, and a part of
 * the arrivals of a renewal process, whose gaps have another law.
 */
bool arrival_plan_has_law(const struct arrival_plan *plan);

/* Returns the number of arrivals of this rank before `until_ns` after the start: those in the
 * trace, or the expected number. */
double arrival_plan_count(const struct arrival_plan *plan, int64_t until_ns);

/* Returns this rank's mean rate per second over `span_ns` from `from_ns` on, or `otherwise` if
 * the rate over time is unknown or the span is empty. */
double arrival_plan_mean_between(const struct arrival_plan *plan, int64_t from_ns, int64_t span_ns,
                                 double otherwise);

#endif
