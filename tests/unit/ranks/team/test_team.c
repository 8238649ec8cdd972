/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team_tick.h"

#include "../../suite.h"
#include "base/clock.h"
#include "ranks/team/team.h"
#include "ranks/team/team_root.h"

START_TEST(ticks_come_each_second_and_where_something_ends)
{
    struct settings s = {.report_interval_ns = 400 * NS_PER_MS};
    s.checkpoints = 1;
    s.checkpoint_ns[0] = 1100 * NS_PER_MS;
    const int64_t expected_ms[] = {400, 800, 1000, 1100, 1200, 1600, 2000, 2400};
    int64_t at_ns = 0;
    for (size_t i = 0; i < ARRAY_SIZE(expected_ms); i++) {
        at_ns = tick_after(&s, at_ns);
        ck_assert_int_eq(at_ns, expected_ms[i] * NS_PER_MS);
        ck_assert_int_eq(tick_is_checkpoint(&s, at_ns), expected_ms[i] == 1100);
        ck_assert_int_eq(tick_ends_interval(&s, at_ns), expected_ms[i] % 400 == 0);
    }
    s.report_interval_ns = 0;
    ck_assert_int_eq(tick_after(&s, 1100 * NS_PER_MS), 2 * NS_PER_SEC);
    ck_assert(!tick_ends_interval(&s, 2 * NS_PER_SEC));
}
END_TEST

START_TEST(bytes_give_the_same_tick)
{
    struct tick tick, copy;
    struct bytes bytes = {0}, last = {0};
    tick_init(&tick);
    tick_init(&copy);
    tick.until_ns = 3 * NS_PER_SEC;
    tick.gauges = (struct gauges){.threads_running = 4, .queue_length = 5, .concurrency = 3};
    tick.in_service_ns = 6;
    tick.threads = 4;
    tick.phase[PHASE_MEASURED].counter[COUNTER_EVENT] = 2;
    distribution_record(&tick.phase[PHASE_MEASURED].metric[METRIC_RESPONSE], 12345678);
    tick_encode(&tick, &bytes);
    ck_assert_int_eq(tick_decode(&copy, bytes.data, bytes.count, NULL), 0);
    ck_assert_int_eq(copy.until_ns, tick.until_ns);
    ck_assert_int_eq(copy.in_service_ns, tick.in_service_ns);
    ck_assert_uint_eq(copy.gauges.queue_length, 5);
    ck_assert_uint_eq(copy.phase[PHASE_MEASURED].counter[COUNTER_EVENT], 2);
    ck_assert_int_eq(copy.phase[PHASE_MEASURED].metric[METRIC_RESPONSE].max_ns, 12345678);
    tick_fini(&copy);
    tick_init(&copy);
    ck_assert_int_eq(tick_decode(&copy, bytes.data, bytes.count - 1, NULL), -1);
    tick.until_ns = INT64_MAX;
    tick_encode(&tick, &last);
    tick_fini(&copy);
    tick_init(&copy);
    ck_assert_int_eq(tick_decode(&copy, last.data, last.count, NULL), 0);
    ck_assert_int_eq(copy.until_ns, INT64_MAX);
    bytes_fini(&last);
    bytes_fini(&bytes);
    tick_fini(&tick);
    tick_fini(&copy);
}
END_TEST

/*
 * Rank 0 of three, without a transport: the test passes the messages of the other ranks directly.
 */

#define RANKS 3

static struct {
    struct settings settings;
    struct crew crew;
    struct crew_mate mates[RANKS];
    struct outputs outputs;
    struct root root;
    /* number of interval lines, and of events, that the output has received */
    uint64_t lines, events;
    uint64_t of_rank[RANKS]; /* events of each rank in the last line; UINT64_MAX if unknown */
    struct wait_span waits;  /* of the last line */
} all;

static void count_interval(void *self, const struct interval *interval, const json_t *value)
{
    (void)self;
    (void)value;
    all.lines++;
    all.events += interval->snapshot.counter[COUNTER_EVENT];
    all.waits = interval->waits;
    ck_assert_uint_eq(interval->ranks, RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        ck_assert_uint_eq(interval->rank[r].number, r);
        all.of_rank[r] = interval->rank[r].known ? interval->rank[r].completed : UINT64_MAX;
    }
}

static void set_up(void)
{
    static const struct output_ops ops = {.interval = count_interval};
    all.settings = (struct settings){.threads = 6, .report_interval_ns = NS_PER_SEC};
    all.crew = (struct crew){.world = {.ranks = RANKS}, .mates = all.mates};
    all.outputs = (struct outputs){0};
    all.outputs.output[all.outputs.count++].ops = &ops;
    const struct presenter presenter = {.settings = &all.settings, .outputs = &all.outputs};
    root_init(&all.root, &all.crew, &presenter);
    root_begin(&all.root, 1000 * NS_PER_SEC);
}

static void tear_down(void)
{
    root_fini(&all.root);
}

/* Sends a tick of the rank. All its requests together were on CPU for as many seconds as there were
 * events. */
static void tell(unsigned rank, int64_t until_ns, int64_t end_ns, uint64_t events)
{
    struct tick tick;
    struct wait_names names;
    struct bytes bytes = {0};
    tick_init(&tick);
    tick.until_ns = until_ns;
    tick.end_ns = end_ns;
    tick.threads = 2;
    tick.phase[PHASE_MEASURED].counter[COUNTER_EVENT] = events;
    wait_names_init(&names);
    tick.waits = (struct wait_span){.names = &names,
                                    .labels = names.labels,
                                    .samples = events,
                                    .time_ns = (double)events * NS_PER_SEC,
                                    .share[WAIT_LABEL_CPU] = 1};
    tick_encode(&tick, &bytes);
    root_take_tick(&all.root, rank, bytes.data, bytes.count);
    all.mates[rank].heard_ns = all.root.start_ns + (end_ns > 0 ? end_ns : until_ns);
    bytes_fini(&bytes);
    tick_fini(&tick);
}

static void step(double s)
{
    root_step(&all.root, all.root.start_ns + seconds_to_ns(s));
}

/* Checks that the last line has the waits of as many events. */
static void check_waits(uint64_t events)
{
    ck_assert_uint_eq(all.waits.samples, events);
    ck_assert_double_eq_tol(all.waits.time_ns, (double)events * NS_PER_SEC, 1);
    ck_assert_double_eq_tol(all.waits.share[WAIT_LABEL_CPU], 1, 1e-9);
}

START_TEST(a_line_waits_for_all_ranks)
{
    tell(0, NS_PER_SEC, 0, 10);
    tell(1, NS_PER_SEC, 0, 20);
    step(1.01);
    ck_assert_uint_eq(all.lines, 0);
    tell(2, NS_PER_SEC, 0, 30);
    step(1.02);
    ck_assert_uint_eq(all.lines, 1);
    ck_assert_uint_eq(all.events, 60);
}
END_TEST

START_TEST(a_late_tick_is_part_of_the_next_line)
{
    tell(0, NS_PER_SEC, 0, 10);
    tell(1, NS_PER_SEC, 0, 20);
    step(1.5);
    step(2.01);
    ck_assert_uint_eq(all.lines, 1);
    ck_assert_uint_eq(all.events, 30);
    check_waits(30);
    ck_assert_uint_eq(all.of_rank[1], 20);
    ck_assert_uint_eq(all.of_rank[2], UINT64_MAX);
    for (unsigned r = 0; r < RANKS; r++)
        tell(r, 2 * NS_PER_SEC, 0, 100);
    tell(2, 2 * NS_PER_SEC, 0, 7);
    step(2.02);
    ck_assert_uint_eq(all.lines, 2);
    ck_assert_uint_eq(all.events, 337);
    check_waits(307);
    ck_assert_uint_eq(all.of_rank[1], 100);
    ck_assert_uint_eq(all.of_rank[2], 107);
}
END_TEST

START_TEST(the_last_line_has_all_received_ticks)
{
    tell(0, NS_PER_SEC, 0, 1);
    for (unsigned r = 0; r < RANKS; r++)
        tell(r, INT64_MAX, 1500 * NS_PER_MS, 10);
    root_finish(&all.root);
    ck_assert_uint_eq(all.lines, 1);
    ck_assert_uint_eq(all.events, 31);
    check_waits(31);
    ck_assert_uint_eq(all.root.ranks[0].received.counter[COUNTER_EVENT], 11);
}
END_TEST

START_TEST(a_silent_rank_is_lost_and_its_later_data_ignored)
{
    for (double s = 1; s <= 11; s++) {
        tell(0, seconds_to_ns(s), 0, 1);
        tell(1, seconds_to_ns(s), 0, 1);
        if (s <= 2)
            tell(2, seconds_to_ns(s), 0, 1);
        step(s + 0.1);
    }
    ck_assert(!all.root.lost);
    tell(0, 12 * NS_PER_SEC, 0, 1);
    tell(1, 12 * NS_PER_SEC, 0, 1);
    step(12.1);
    ck_assert(all.root.lost);
    ck_assert(all.mates[2].lost && !all.mates[1].lost);
    tell(2, 12 * NS_PER_SEC, 0, 1000);
    root_finish(&all.root);
    ck_assert_uint_eq(all.events, 26);
    ck_assert(!root_has_all(&all.root));
    root_take_result(&all.root, 0, "x", 1);
    root_take_result(&all.root, 1, "x", 1);
    ck_assert(root_has_all(&all.root));
}
END_TEST

/* Messages have arrived, but rank 0 was not scheduled to read them. */
START_TEST(a_pause_of_rank_0_loses_no_rank)
{
    for (unsigned r = 0; r < RANKS; r++)
        tell(r, NS_PER_SEC, 0, 1);
    step(1.1);
    step(21.1);
    ck_assert(!all.root.lost);
    ck_assert_uint_eq(all.lines, 1);
    for (unsigned r = 0; r < RANKS; r++)
        tell(r, 21 * NS_PER_SEC, 0, 20);
    step(21.2);
    ck_assert_uint_eq(all.lines, 21);
    ck_assert_uint_eq(all.events, 63);
}
END_TEST

/* Rank 1 of two, without a transport: ticks are created, but not sent. */

static struct gauges count_call(void *calls)
{
    ++*(unsigned *)calls;
    return (struct gauges){.queue_length = 5};
}

/* The first tick is due 1 s after the start. */
START_TEST(only_a_tick_needs_gauges)
{
    struct settings s = {.threads = 1};
    struct outputs outputs = {0};
    const struct presenter presenter = {.settings = &s, .outputs = &outputs};
    struct crew crew = {.world = {.rank = 1, .ranks = 2}, .heard_ns = clock_now_ns()};
    struct reporter reporter;
    struct stats *stats = stats_create(1, false);
    unsigned calls = 0;
    reporter_init(&reporter, stats, &presenter);
    struct team *team = team_create(&crew, &s, &reporter, NULL);
    /* The start is one hour ahead. */
    team->start.start_ns = clock_now_ns() + 3600 * NS_PER_SEC;
    for (int i = 0; i < 100; i++)
        team_step(team, count_call, &calls, INT64_MAX);
    ck_assert_uint_eq(calls, 0);
    /* Ticks are overdue, but the run has ended before their time. */
    team->start.start_ns = clock_now_ns() - 3600 * NS_PER_SEC;
    team_step(team, count_call, &calls, team->start.start_ns);
    ck_assert_uint_eq(calls, 0);
    /* One tick for all overdue times, and one for each second of this loop. */
    const int64_t from_ns = clock_now_ns();
    for (int i = 0; i < 100; i++)
        team_step(team, count_call, &calls, INT64_MAX);
    ck_assert_uint_ge(calls, 1);
    ck_assert_uint_le(calls, 2 + (unsigned)((clock_now_ns() - from_ns) / NS_PER_SEC));
    team_destroy(team);
    reporter_fini(&reporter);
    stats_destroy(stats);
}
END_TEST

RUN_SUITE_WITH("team", 60, set_up, tear_down, ticks_come_each_second_and_where_something_ends,
               bytes_give_the_same_tick, a_line_waits_for_all_ranks,
               a_late_tick_is_part_of_the_next_line, the_last_line_has_all_received_ticks,
               a_silent_rank_is_lost_and_its_later_data_ignored, a_pause_of_rank_0_loses_no_rank,
               only_a_tick_needs_gauges)
