/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibrates the search for episodes by simulated runs with fixed seeds. docs/definitions.md has
 * the figures of EPISODE_RUNS=1000, which repeats each case as often and prints the results.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../suite.h"
#include "episodes_sim.h"

#define SEED 7
#define RUNS 60
/* Shares from which an episode is a finding (overload.c). */
#define SHARE 0.1
#define SHARE_ASKED 0.25

/* Number of runs with a finding. */
struct found {
    unsigned overloaded, changed;
};

static unsigned runs_of_a_case(void)
{
    const char *text = getenv("EPISODE_RUNS");
    return text != NULL ? (unsigned)atoi(text) : RUNS;
}

static struct episodes search(const struct sim *sim, struct rand_stream *stream)
{
    struct audit audit;
    struct episodes episodes;
    const int64_t end_ns = sim_run(sim, stream, &audit);
    const struct episodes_search search = {
        .audit = &audit, .workers = sim->servers, .from_ns = 0, .to_ns = end_ns};
    episodes_find(&episodes, &search);
    free(audit.windows);
    return episodes;
}

static struct found simulate(const struct sim *sim)
{
    struct rand_stream stream;
    struct found found = {0};
    const unsigned runs = runs_of_a_case();
    rand_stream_init(&stream, suite_seed(SEED), 0, 0);
    for (unsigned i = 0; i < runs; i++) {
        const struct episodes e = search(sim, &stream);
        found.overloaded += e.overloaded >= (sim->surge ? SHARE_ASKED : SHARE);
        found.changed += e.changed;
    }
    if (getenv("EPISODE_RUNS") != NULL)
        printf("%2u servers, load %.2f, %5.0f requests, deviation %.0f, wander %.1f over %.0f s, "
               "load %.2f from %.2f to %.2f: %.1f %% overloaded, %.1f %% changed\n",
               sim->servers, sim->load, sim->requests, sim->deviation, sim->wander, sim->memory_s,
               sim->hump_load, sim->from, sim->to, 100.0 * found.overloaded / runs,
               100.0 * found.changed / runs);
    return found;
}

/* A rate of 0.5 % makes 7 or more of 60 runs with a probability below 1 in 10 million. The largest
 * measured rate of service times with a long tail is 2.1 %. */
static void assert_few(const struct sim *sim)
{
    const struct found found = simulate(sim);
    const double share = sim->deviation > 1 ? 0.025 : 0.01;
    const double bound = runs_of_a_case() > RUNS ? share * runs_of_a_case() : 6;
    ck_assert_msg(found.overloaded + found.changed <= bound,
                  "%u servers, load %.2f, %.0f requests: %u overloaded, %u changed", sim->servers,
                  sim->load, sim->requests, found.overloaded, found.changed);
}

/* A rate of 99 % makes fewer than 55 of 60 runs with a probability below 4 in 100 000. */
static void assert_most(const struct sim *sim)
{
    const struct found found = simulate(sim);
    const double bound = runs_of_a_case() > RUNS ? 0.95 * runs_of_a_case() : 55;
    ck_assert_msg(found.overloaded + found.changed >= bound,
                  "%u servers, load %.2f: %u overloaded, %u changed", sim->servers, sim->hump_load,
                  found.overloaded, found.changed);
}

START_TEST(queues_in_balance_have_no_episodes)
{
    static const unsigned servers[] = {1, 4, 16};
    static const double load[] = {0.5, 0.8, 0.95};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++) {
            const struct sim sim = {
                .servers = servers[i], .load = load[k], .requests = 1000, .deviation = 1};
            assert_few(&sim);
        }
}
END_TEST

START_TEST(service_times_of_any_distribution_have_no_episodes)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct sim sim = {
            .servers = 4, .load = 0.95, .requests = 2000, .deviation = k == 0 ? 0 : 3};
        assert_few(&sim);
    }
}
END_TEST

/* Service times that wander by 20 % or 40 %, with a memory of 0.2 % or 1 % of the run. */
START_TEST(service_times_that_depend_on_each_other_have_no_episodes)
{
    for (unsigned k = 0; k < 4; k++) {
        struct sim sim = {.servers = 1 + 3 * (k % 2),
                          .load = k < 2 ? 0.95 : 0.8,
                          .requests = 3000,
                          .deviation = 1,
                          .wander = k < 2 ? 0.2 : 0.4};
        sim.memory_s = (k % 2 == 0 ? 0.002 : 0.01) * sim.requests / (sim.load * sim.servers);
        assert_few(&sim);
    }
}
END_TEST

START_TEST(humps_are_found)
{
    static const unsigned servers[] = {1, 4, 16};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++) {
            const struct sim sim = {.servers = servers[i],
                                    .load = k == 0 ? 0.5 : 0.8,
                                    .requests = 6000,
                                    .deviation = 1,
                                    .from = 0.3,
                                    .to = k < 2 ? 0.5 : 0.8,
                                    .hump_load = 1.25};
            assert_most(&sim);
        }
}
END_TEST

START_TEST(humps_of_the_rate_are_found)
{
    static const unsigned servers[] = {1, 4, 16};
    for (unsigned i = 0; i < 3; i++) {
        const struct sim sim = {.servers = servers[i],
                                .load = 0.5,
                                .requests = 3000,
                                .deviation = 1,
                                .from = 0.3,
                                .to = 0.6,
                                .hump_load = 1.3,
                                .surge = true};
        assert_most(&sim);
    }
}
END_TEST

/* Requests wait in their workers for a row, so service times are long until the backlog of the hump
 * is worked off. */
START_TEST(humps_of_a_hot_row_are_found)
{
    static const unsigned servers[] = {4, 8, 32};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 4; k++) {
            const struct sim sim = {.servers = servers[i],
                                    .load = k < 2 ? 0.3 : 0.6,
                                    .requests = 1400,
                                    .deviation = k % 2,
                                    .from = 0.15,
                                    .to = 0.5,
                                    .hump_load = k < 2 ? 3 : 2,
                                    .row = true};
            assert_most(&sim);
        }
}
END_TEST

/* One worker, 100/s for 10 s: an event of 6.5 ms takes 14 ms between second 1 and 5. */
START_TEST(the_times_of_a_hump_are_those_of_its_cause)
{
    struct rand_stream stream;
    const struct sim sim = {
        .servers = 1, .load = 0.65, .requests = 1000, .from = 0.1, .to = 0.5, .hump_load = 1.4};
    rand_stream_init(&stream, suite_seed(SEED), 0, 0);
    const struct episodes e = search(&sim, &stream);
    const double run_s = sim.requests / sim.load;
    ck_assert_uint_eq(e.count, 1);
    ck_assert_double_eq_tol(ns_to_seconds(e.list[0].from_ns), 0.1 * run_s, 0.02 * run_s);
    /* Requests that arrived in the hump are served after it, and are as slow. */
    ck_assert_double_ge(ns_to_seconds(e.list[0].to_ns), 0.48 * run_s);
    ck_assert_double_eq_tol(e.list[0].load, 1.4, 0.02);
}
END_TEST

/* A short disturbance after the hump: no request ends in 14 windows, and the requests that end
 * after them took as long. */
START_TEST(a_disturbance_does_not_hide_a_hump)
{
    struct rand_stream stream;
    struct audit audit;
    struct episodes e;
    const struct sim sim = {
        .servers = 2, .load = 0.45, .requests = 2000, .from = 0.2, .to = 0.4, .hump_load = 2};
    rand_stream_init(&stream, suite_seed(SEED), 0, 0);
    const int64_t end_ns = sim_run(&sim, &stream, &audit);
    for (int i = 150; i < 164; i++) {
        audit.windows[164].in_system += (int64_t)audit.windows[i].served;
        audit.windows[i].served = audit.windows[i].completed = 0;
        audit.windows[i].service_sum_ns = 0;
    }
    audit.windows[164].service_sum_ns += 2 * 14.0 * (double)end_ns / SIM_WINDOWS;
    const struct episodes_search search = {
        .audit = &audit, .workers = sim.servers, .to_ns = end_ns};
    episodes_find(&e, &search);
    free(audit.windows);
    ck_assert_uint_ge(e.count, 1);
    ck_assert_double_ge(e.list[0].load, 1.8);
}
END_TEST

/* The requests of a gap count neither as arrived nor as served. */
START_TEST(a_gap_is_no_episode)
{
    struct audit audit = {.windows = xcalloc(200, sizeof(*audit.windows)), .count = 200};
    struct episodes with, without;
    for (int i = 0; i < 200; i++) {
        const bool stopped = i >= 80 && i < 110;
        const int64_t left = max_i64(0, 300 - 10 * (i - 109));
        const int64_t backlog = i < 80 ? 0 : stopped ? 10 * (i - 79) : left;
        audit.windows[i] =
            (struct audit_window){.from_ns = i * NS_PER_SEC / 10,
                                  .to_ns = (i + 1) * NS_PER_SEC / 10,
                                  .completed = stopped ? 0 : 10,
                                  .served = stopped ? 0 : 10,
                                  .in_system = backlog,
                                  .asked = 10,
                                  .service_sum_ns = stopped ? 0 : 50e6 + i % 7 * 1e5};
    }
    audit.windows[110].service_sum_ns += 3.0 * NS_PER_SEC;
    const struct episodes_gap gap = {8 * NS_PER_SEC, 11 * NS_PER_SEC};
    struct episodes_search search = {.audit = &audit, .workers = 1, .to_ns = 20 * NS_PER_SEC};
    episodes_find(&without, &search);
    search.gap = &gap;
    search.gaps = 1;
    episodes_find(&with, &search);
    free(audit.windows);
    ck_assert_uint_eq(without.count, 1);
    ck_assert_uint_eq(with.count, 0);
    ck_assert(!with.changed);
}
END_TEST

/* An overload that follows a gap begins at its end, and its share is that of the time without gaps.
 */
START_TEST(an_episode_does_not_begin_with_a_gap)
{
    struct audit audit = {.windows = xcalloc(200, sizeof(*audit.windows)), .count = 200};
    struct episodes e;
    int64_t backlog = 0;
    for (int i = 0; i < 200; i++) {
        const bool stopped = i >= 80 && i < 110, slow = i >= 110 && i < 140;
        const int64_t served = stopped ? 0 : slow ? 7 : min_i64(20, backlog + 10);
        backlog += 10 - served;
        audit.windows[i] = (struct audit_window){
            .from_ns = i * NS_PER_SEC / 10,
            .to_ns = (i + 1) * NS_PER_SEC / 10,
            .completed = (uint64_t)served,
            .served = (uint64_t)served,
            .in_system = backlog,
            .asked = 10,
            .service_sum_ns = (double)served * (slow ? 15e6 : 5e6) + i % 7 * 1e5};
    }
    const struct episodes_gap gap = {8 * NS_PER_SEC, 11 * NS_PER_SEC};
    const struct episodes_search search = {
        .audit = &audit, .workers = 1, .to_ns = 20 * NS_PER_SEC, .gap = &gap, .gaps = 1};
    episodes_find(&e, &search);
    free(audit.windows);
    ck_assert_uint_eq(e.count, 1);
    ck_assert_int_ge(e.list[0].from_ns, 109 * NS_PER_SEC / 10);
    ck_assert_double_eq_tol(e.overloaded, 3.0 / 17, 0.02);
}
END_TEST

RUN_SUITE("episodes", 600, queues_in_balance_have_no_episodes,
          service_times_of_any_distribution_have_no_episodes,
          service_times_that_depend_on_each_other_have_no_episodes, humps_are_found,
          humps_of_the_rate_are_found, humps_of_a_hot_row_are_found,
          the_times_of_a_hump_are_those_of_its_cause, a_disturbance_does_not_hide_a_hump,
          a_gap_is_no_episode, an_episode_does_not_begin_with_a_gap)
