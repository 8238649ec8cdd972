/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets for schedules of arrivals: --tx-rate, --arrival and --burst, and the files of
 * --arrival-trace. */
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "engine/arrival.h"
#include "fuzz.h"

static void run_rate(const uint8_t *data, size_t bytes);
static void run_law(const uint8_t *data, size_t bytes);
static void run_trace(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_rate = {.name = "rate", .run = run_rate};
const struct fuzz_target fuzz_law = {.name = "law", .run = run_law};
const struct fuzz_target fuzz_trace = {.name = "trace", .run = run_trace};

/* Checks that the first arrivals are in ascending order. */
static void check_schedule(struct settings *settings)
{
    struct arrival arrival;
    int64_t last_ns = 0;
    arrival_init(&arrival, settings);
    for (unsigned i = 0; i < 200; i++) {
        int64_t at_ns = arrival_next(&arrival);
        FUZZ_CHECK(at_ns >= last_ns);
        last_ns = at_ns;
    }
}

/* Checks that rate_profile's inverse of the integral undoes the integral, within rounding errors.
 * */
static void check_inverse(const struct rate_profile *profile)
{
    double last = 0;
    for (double at_s = 1e-3; at_s < 1e9; at_s *= 3) {
        double arrivals = rate_profile_arrivals(profile, at_s);
        FUZZ_CHECK(isfinite(arrivals) && arrivals >= last * (1 - 1e-9));
        last = arrivals;
        double again_s = rate_profile_time(profile, arrivals);
        FUZZ_CHECK(again_s >= 0);
        if (isfinite(again_s))
            FUZZ_CHECK(fabs(rate_profile_arrivals(profile, again_s) - arrivals) <=
                       1e-6 * (1 + arrivals));
    }
}

static void run_rate(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes);
    struct settings settings = {.threads = 1, .rand.seed = 1};
    struct arrival_plan *plan = &settings.arrivals;
    if (rate_profile_parse(&plan->profile, text) == NULL &&
        rate_profile_highest(&plan->profile) > 0) {
        check_inverse(&plan->profile);
        check_schedule(&settings);
        FUZZ_CHECK(arrival_plan_mean_rate(plan, 0) > 0);
        FUZZ_CHECK(arrival_plan_count(plan, INT64_C(60000000000)) >= 0);
        plan->kind = ARRIVAL_CONSTANT;
        check_schedule(&settings);
    }
    rate_profile_fini(&plan->profile);
    free(text);
}

/* Checks that the rates of a law have the mean 1, and that its hazard grows with the gap. */
static void check_law(const struct arrival_law *law)
{
    double last = 0;
    if (law->kind == LAW_MMPP) {
        const double *f = law->factor, *s = law->mean_s;
        FUZZ_CHECK(f[0] >= 0 && f[1] >= 0 && s[0] > 0 && s[1] > 0);
        FUZZ_CHECK(fabs((f[0] * s[0] + f[1] * s[1]) / (s[0] + s[1]) - 1) < 1e-6);
    }
    for (double gap = 1e-6; arrival_law_is_renewal(law) && gap < 100; gap *= 2) {
        const double hazard = arrival_law_hazard(law, gap);
        FUZZ_CHECK(hazard >= last * (1 - 1e-9));
        last = hazard;
    }
}

static void check_burst(const struct arrival_burst *burst)
{
    const double part = burst->length_s / burst->every_s;
    FUZZ_CHECK(part > 0 && part < 1);
    FUZZ_CHECK(burst->factor[0] > 0 && burst->factor[1] > burst->factor[0]);
    FUZZ_CHECK(fabs((1 - part) * burst->factor[0] + part * burst->factor[1] - 1) < 1e-6);
}

/* The first line is a value of --arrival, the second one a value of --burst. */
static void run_law(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), *rest = text;
    const char *law = fuzz_line(&rest), *burst = fuzz_line(&rest);
    struct settings settings = {.threads = 1, .rand.seed = 1};
    struct arrival_plan *plan = &settings.arrivals;
    plan->kind = ARRIVAL_SHAPED;
    FUZZ_CHECK(rate_profile_parse(&plan->profile, "1000") == NULL);
    bool good = arrival_law_parse(&plan->law, law != NULL ? law : "") == NULL;
    if (good)
        check_law(&plan->law);
    if (burst != NULL && arrival_burst_parse(&plan->burst, burst) == NULL)
        check_burst(&plan->burst);
    else
        plan->burst = (struct arrival_burst){0};
    if (good)
        check_schedule(&settings);
    rate_profile_fini(&plan->profile);
    free(text);
}

static void run_trace(const uint8_t *data, size_t bytes)
{
    struct settings settings = {.threads = 1, .arrivals.kind = ARRIVAL_TRACE};
    struct arrival_trace *trace = &settings.arrivals.trace;
    struct fuzz_file file;
    fuzz_file_init(&file, data, bytes);
    if (arrival_trace_load(trace, file.path) == 0) {
        FUZZ_CHECK(trace->count > 0);
        FUZZ_CHECK(arrival_trace_count(trace, INT64_MAX) == trace->count);
        check_schedule(&settings);
        arrival_trace_fini(trace);
    }
    fuzz_file_fini(&file);
}
