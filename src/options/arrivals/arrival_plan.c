/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/arrivals/arrival_plan.h"

#include <math.h>

#include "base/log.h"
#include "base/util.h"

/* Sets the constant rate that represents the trace where only a rate is needed: its mean rate. */
static int follow_trace(struct arrival_plan *plan)
{
    char rate[64];
    const double seconds = ns_to_seconds(plan->trace.last_ns);
    const double mean = (double)plan->trace.count / fmax(seconds, 1e-3);
    /* A rate of 0 would mean a closed loop. */
    snprintf(rate, sizeof(rate), "%.9f", fmin(fmax(mean, RATE_MIN), RATE_MAX));
    plan->kind = ARRIVAL_TRACE;
    return rate_profile_parse(&plan->profile, rate) == NULL ? 0 : -1;
}

void arrival_plan_follow(struct arrival_plan *plan, const char *path, size_t count, int64_t last_ns)
{
    arrival_plan_fini(plan);
    arrival_trace_of_workload(&plan->trace, path, count, last_ns);
    follow_trace(plan);
}

static int load_trace(struct arrival_plan *plan, const struct options *set, const char *path)
{
    static const char *const others[] = {"rate", "arrival", "burst"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (options_get(set, others[i])->given) {
            log_text(LOG_FATAL, "--arrival-trace and --%s exclude each other", others[i]);
            return -1;
        }
    if (arrival_trace_load(&plan->trace, path) != 0)
        return -1;
    return follow_trace(plan);
}

/* Poisson and evenly spaced arrivals without bursts have paths of their own, which are shorter. */
static void load_law(struct arrival_plan *plan, const struct options *set)
{
    const char *burst = options_string(set, "burst");
    arrival_law_parse(&plan->law, options_string(set, "arrival"));
    if (burst != NULL)
        arrival_burst_parse(&plan->burst, burst);
    if (burst != NULL || plan->law.kind > LAW_CONSTANT)
        plan->kind = ARRIVAL_SHAPED;
    else
        plan->kind = plan->law.kind == LAW_CONSTANT ? ARRIVAL_CONSTANT : ARRIVAL_POISSON;
}

bool arrival_plan_has_law(const struct arrival_plan *plan)
{
    if (plan->kind != ARRIVAL_SHAPED)
        return plan->kind == ARRIVAL_POISSON;
    if (arrival_law_is_renewal(&plan->law))
        return plan->elsewhere == 0;
    return plan->law.kind != LAW_CONSTANT;
}

void arrival_plan_load_rate(struct arrival_plan *plan, const struct options *set, const char *name)
{
    *plan = (struct arrival_plan){
        .wait = (enum arrival_wait)options_choice(set, "arrival-wait"),
    };
    load_law(plan, set);
    rate_profile_parse(&plan->profile, options_string(set, name));
}

int arrival_plan_load(struct arrival_plan *plan, const struct options *set)
{
    const char *trace = options_string(set, "arrival-trace");
    if (trace == NULL) {
        arrival_plan_load_rate(plan, set, "rate");
        return 0;
    }
    *plan = (struct arrival_plan){
        .wait = (enum arrival_wait)options_choice(set, "arrival-wait"),
    };
    return load_trace(plan, set, trace);
}

void arrival_plan_fini(struct arrival_plan *plan)
{
    rate_profile_fini(&plan->profile);
    arrival_trace_fini(&plan->trace);
}

double arrival_plan_mean_rate(const struct arrival_plan *plan, int64_t span_ns)
{
    const struct rate_profile *profile = &plan->profile;
    double span_s = span_ns > 0          ? ns_to_seconds(span_ns)
                    : profile->count > 1 ? fmax(profile->points[profile->count - 1].at_s, 1)
                                         : 1;
    double mean = rate_profile_arrivals(profile, span_s) / span_s;
    /* A profile whose rate is 0 for the whole span must not look like a closed loop. */
    return mean > 0 || rate_profile_is_constant(profile) ? mean : rate_profile_highest(profile);
}

double arrival_plan_count(const struct arrival_plan *plan, int64_t until_ns)
{
    const double all = plan->kind == ARRIVAL_TRACE
                           ? (double)arrival_trace_count(&plan->trace, until_ns)
                           : rate_profile_arrivals(&plan->profile, ns_to_seconds(until_ns));
    return all * arrival_plan_share(plan);
}

double arrival_plan_mean_between(const struct arrival_plan *plan, int64_t from_ns, int64_t span_ns,
                                 double otherwise)
{
    if (!rate_profile_is_known(&plan->profile) || span_ns <= 0)
        return otherwise;
    return (arrival_plan_count(plan, from_ns + span_ns) - arrival_plan_count(plan, from_ns)) /
           ns_to_seconds(span_ns);
}
