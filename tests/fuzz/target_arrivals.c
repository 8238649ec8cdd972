/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets for schedules of arrivals: --tx-rate and the files of --arrival-trace. */
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "engine/arrival.h"
#include "fuzz.h"

static void run_rate(const uint8_t *data, size_t bytes);
static void run_trace(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_rate = {.name = "rate", .run = run_rate};
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
