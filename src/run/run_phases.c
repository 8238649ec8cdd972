/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_phases.h"

#include "base/clock.h"
#include "base/util.h"

/* Largest number of phases. A rate with more phases is a curve and has no table. */
#define PHASES_MAX 32

static bool has_length(const struct rate_profile *profile, unsigned i)
{
    return i + 1 == profile->count || profile->points[i + 1].at_s > profile->points[i].at_s;
}

static double rate_after(const struct rate_profile *profile, unsigned i)
{
    return profile->points[i + 1 < profile->count ? i + 1 : i].rate;
}

/* Returns true if the rate from point i on is constant, and the same as before it. */
static bool continues(const struct rate_profile *profile, unsigned i,
                      const struct rate_phase *before)
{
    const double rate = profile->points[i].rate;
    return before->rate_from == rate && before->rate_to == rate && rate_after(profile, i) == rate;
}

/* Stores the phases of the profile, without their response times, and returns their number, or 0 if
 * there are too many. A phase begins at each point, except if the rate just continues there. */
static unsigned find_phases(const struct rate_profile *profile, struct rate_phase phase[PHASES_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < profile->count; i++) {
        if (!has_length(profile, i) || (count > 0 && continues(profile, i, &phase[count - 1])))
            continue;
        if (count == PHASES_MAX)
            return 0;
        if (count > 0)
            phase[count - 1].to_ns = seconds_to_ns(profile->points[i].at_s);
        phase[count++] = (struct rate_phase){.from_ns = seconds_to_ns(profile->points[i].at_s),
                                             .to_ns = INT64_MAX,
                                             .rate_from = profile->points[i].rate,
                                             .rate_to = rate_after(profile, i)};
    }
    return count;
}

static bool is_measured(const struct run *run, const struct rate_phase *phase, int64_t end_ns)
{
    const int64_t measure_ns = run->pool.measure_ns - run->start_ns;
    return phase->to_ns > measure_ns && phase->from_ns < end_ns;
}

void run_phases_begin(struct run *run)
{
    const struct arrival_plan *plan = &run->settings->arrivals;
    struct rate_phase phase[PHASES_MAX];
    if (plan->kind == ARRIVAL_TRACE || plan->elsewhere > 0 || run->queue == NULL)
        return;
    const unsigned count = find_phases(&plan->profile, phase);
    if (count < 2)
        return;
    run->pool.phases = spans_create(run->pool.count, run->pool.measure_ns);
    for (unsigned i = 1; i < count; i++)
        if (run->start_ns + phase[i].from_ns > run->pool.measure_ns)
            spans_cut(run->pool.phases, run->start_ns + phase[i].from_ns);
}

static double rate_at(const struct rate_phase *phase, int64_t at_ns)
{
    const double share = (double)(at_ns - phase->from_ns) / (double)(phase->to_ns - phase->from_ns);
    return phase->rate_from + share * (phase->rate_to - phase->rate_from);
}

/* Cuts a phase to the measured part. A ramp has a finite end, and its rates are those at the new
 * ends. */
static void cut(struct rate_phase *phase, int64_t from_ns, int64_t to_ns)
{
    struct rate_phase measured = *phase;
    measured.from_ns = max_i64(phase->from_ns, from_ns);
    measured.to_ns = min_i64(phase->to_ns, to_ns);
    if (phase->rate_from != phase->rate_to) {
        measured.rate_from = rate_at(phase, measured.from_ns);
        measured.rate_to = rate_at(phase, measured.to_ns);
    }
    *phase = measured;
}

/* The first span belongs to the first phase that is measured. */
struct rate_phase *run_phases_finish(struct run *run, unsigned *count)
{
    const int64_t end_ns = run->ended_ns - run->start_ns;
    struct rate_phase all[PHASES_MAX];
    *count = 0;
    if (run->pool.phases == NULL)
        return NULL;
    const unsigned found = find_phases(&run->settings->arrivals.profile, all);
    struct rate_phase *measured = xcalloc(found, sizeof(*measured));
    for (unsigned i = 0; i < found; i++) {
        if (!is_measured(run, &all[i], end_ns))
            continue;
        struct rate_phase *phase = &measured[*count];
        *phase = all[i];
        cut(phase, run->pool.measure_ns - run->start_ns, end_ns);
        distribution_init(&phase->response);
        spans_add_to(run->pool.phases, *count, *count + 1, &phase->response);
        ++*count;
    }
    return measured;
}

void run_phases_fini(struct run *run)
{
    spans_destroy(run->pool.phases);
    run->pool.phases = NULL;
}
