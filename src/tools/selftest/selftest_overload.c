/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server that is slow in the middle of the run, so that more requests arrive than it can serve.
 * At the end of the run the backlog is gone. The verdict must name the overload and its time.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tools/selftest/selftest_internal.h"

#define RATE 1000
#define THREADS 10
/* Length of the run in seconds, and the slow part of it. The load is 0.4, and 2 in this part. */
#define SECONDS 10
#define SLOW_FROM 0.2
#define SLOW_TO 0.4

/* Each event sleeps: 4 ms, or 20 ms in the slow part. Times count from the first worker's start. */
static const char slow_script[] = "local ffi = require('ffi')\n"
                                  "ffi.cdef[[typedef struct {int64_t s, ns;} selftest_time;\n"
                                  "int clock_gettime(int, selftest_time *);\n"
                                  "int usleep(unsigned);]]\n"
                                  "local C, now = ffi.C, ffi.new('selftest_time')\n"
                                  "local function seconds()\n"
                                  "  C.clock_gettime(1, now)\n"
                                  "  return tonumber(now.s) + tonumber(now.ns) / 1e9\n"
                                  "end\n"
                                  "local start\n"
                                  "function thread_init() start = seconds() end\n"
                                  "function event()\n"
                                  "  local t = seconds() - start\n"
                                  "  C.usleep((t >= %g and t < %g) and 20000 or 4000)\n"
                                  "end\n";

static const json_t *verdict_of_run(const struct evidence *e)
{
    const json_t *summary = json_object_get(e->report, "summary");
    return json_object_get(json_object_get(summary, "audit"), "verdict");
}

/* Returns true if the verdict has this finding. */
static bool has_finding(const json_t *verdict, const char *name)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(verdict, "findings"), i,
                       finding) if (strcmp(json_string_value(json_object_get(finding, "name")),
                                           name) == 0) return true;
    return false;
}

/* Returns the longest time that an episode of overload shares with the time between the two
 * seconds. */
static double longest_overlap_s(const json_t *verdict, double from_s, double to_s)
{
    double longest_s = 0;
    size_t i;
    json_t *episode;
    json_array_foreach(json_object_get(verdict, "overload_episodes"), i, episode)
    {
        const double begin = json_number_value(json_object_get(episode, "from_s"));
        const double end = json_number_value(json_object_get(episode, "to_s"));
        const double overlap_s = (end < to_s ? end : to_s) - (begin > from_s ? begin : from_s);
        if (overlap_s > longest_s)
            longest_s = overlap_s;
    }
    return longest_s;
}

static void check_verdict(struct selftest *t, const struct evidence *e, double seconds)
{
    const json_t *verdict = verdict_of_run(e);
    const double slow_s = (SLOW_TO - SLOW_FROM) * seconds;
    selftest_check(t, "the verdict is OVERLOADED", 1, has_finding(verdict, "OVERLOADED"), 0, 0);
    selftest_check(t, "part of the slow time found, s", slow_s,
                   longest_overlap_s(verdict, SLOW_FROM * seconds, SLOW_TO * seconds), slow_s / 2,
                   1e-6);
}

void selftest_overload(struct selftest *t)
{
    const double seconds = SECONDS * t->scale;
    char script[sizeof(slow_script) + 64];
    struct evidence e = {0};
    struct trial trial = {
        .test = t, .rate = RATE, .seconds = seconds, .threads = THREADS, .script = script};
    t->name = "overload";
    snprintf(script, sizeof(script), slow_script, SLOW_FROM * seconds, SLOW_TO * seconds);
    if (trial_start(&trial) != 0)
        selftest_check(t, "the run can be started", 1, 0, 0, 0);
    else if (trial_finish(&trial, &e) == 0) {
        check_evidence(&trial, &e);
        check_verdict(t, &e, seconds);
    }
    trial_fini(&trial);
    evidence_fini(&e);
}
