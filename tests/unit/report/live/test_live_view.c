/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of --live, at invented times. */
#include "../../suite.h"

#include "../../report_fixture.h"
#include "report/live/live_view.h"

#define START_NS (5000 * NS_PER_SEC)
#define WIDE 80
#define NARROW 40 /* room for 12 bars */

static struct live_view view;
static struct snapshot recorded;
static int64_t now_ns;

static void before(void)
{
    setup();
    snapshot_init(&recorded);
    live_view_init(&view, &settings, false);
    now_ns = START_NS;
}

static void after(void)
{
    live_view_fini(&view);
    snapshot_fini(&recorded);
    teardown();
}

/* Records the contents of `recorded` in the next `seconds` s. */
static void pass(int seconds, struct gauges gauges)
{
    if (view.seconds > 0)
        live_view_begin_second(&view);
    live_view_collect(&view, &recorded, now_ns += seconds * NS_PER_SEC);
    ck_assert(live_view_end_second(&view, gauges, now_ns));
}

static void begin(void)
{
    live_view_collect(&view, &recorded, now_ns);
}

static void pass_with(uint64_t completed)
{
    recorded.counter[COUNTER_EVENT] = completed;
    pass(1, (struct gauges){.queue_length = 2 * completed});
}

static void assert_line(unsigned line, const char *expected)
{
    live_view_print(&view, out, line, WIDE);
    assert_text(expected);
}

/* Returns the bars of a line; the text is valid until the next call. */
static const char *bars(unsigned line, unsigned columns)
{
    static char kept[LIVE_HISTORY_S + 64];
    live_view_print(&view, out, line, columns);
    fflush(out);
    snprintf(kept, sizeof(kept), "%s", text);
    rewind(out);
    memset(text, 0, text_bytes);
    return kept + 27;
}

START_TEST(a_second_ends_when_it_is_over)
{
    ck_assert(!live_view_end_second(&view, (struct gauges){0}, now_ns + NS_PER_SEC));
    begin();
    ck_assert(!live_view_end_second(&view, (struct gauges){0}, now_ns + NS_PER_SEC - 1));
    ck_assert(live_view_end_second(&view, (struct gauges){0}, now_ns + NS_PER_SEC));
}
END_TEST

START_TEST(the_first_collect_is_ignored)
{
    recorded.counter[COUNTER_EVENT] = 100;
    begin();
    recorded.counter[COUNTER_EVENT] = 50;
    pass(2, (struct gauges){0});
    assert_line(1, "per second: 25.0 completed, 0.0 errors");
}
END_TEST

START_TEST(figures_are_of_one_second_only)
{
    begin();
    pass_with(40);
    pass_with(7);
    assert_line(1, "per second: 7.0 completed, 0.0 errors");
}
END_TEST

START_TEST(the_clock_shows_warm_up_and_planned_time)
{
    begin();
    pass(2, (struct gauges){0});
    assert_line(0, "--- 2 s ---");
    settings.warmup_ns = 3 * NS_PER_SEC;
    settings.time_ns = 10 * NS_PER_SEC;
    assert_line(0, "--- 2 s of 13 s, warm-up ---");
    pass(1, (struct gauges){0});
    assert_line(0, "--- 3 s of 13 s ---");
}
END_TEST

START_TEST(figures_of_a_closed_loop)
{
    begin();
    recorded.counter[COUNTER_ERROR] = 2;
    recorded.counter[COUNTER_FAILED] = 1;
    record_ms(&recorded, METRIC_RESPONSE, 1.5, 90);
    record_ms(&recorded, METRIC_RESPONSE, 20, 10);
    pass(1, (struct gauges){.threads_running = 4, .concurrency = 3});
    ck_assert_uint_eq(live_view_lines(&view), 6);
    assert_line(1, "per second: 0.0 completed, 3.0 errors");
    assert_line(2, "response (ms): p95 20.00, max 20.00");
    assert_line(3, "busy: 3 of 4 workers");
}
END_TEST

/* The samples of the first second do not count in the next one. */
START_TEST(waits_are_of_one_second_only)
{
    static struct wait_names names;
    wait_names_init(&names);
    const unsigned lock = wait_names_label(&names, "Lock:row"),
                   file = wait_names_label(&names, "IO:WALSync");
    struct wait_moment waits = {.names = &names, .labels = names.labels};
    settings.wait_events = 10;
    begin();
    ck_assert_uint_eq(live_view_lines(&view), 7);
    waits.sums = (struct wait_sums){.samples = 9, .weight_ns[WAIT_LABEL_CPU] = 1e9};
    pass(1, (struct gauges){.waits = &waits});
    assert_line(4, "waits: 100 % on CPU");
    waits.sums.samples += 4;
    waits.sums.weight_ns[lock] = 3e8;
    waits.sums.weight_ns[file] = 1e8;
    pass(1, (struct gauges){.waits = &waits});
    assert_line(4, "waits: 75 % Lock:row, 25 % IO:WALSync");
    pass(1, (struct gauges){.waits = &waits});
    assert_line(4, "waits: no samples");
    settings.wait_events = 0;
}
END_TEST

START_TEST(figures_at_an_arrival_rate)
{
    settings.rate = 10;
    begin();
    recorded.counter[COUNTER_EVENT] = 9;
    recorded.offered = 12;
    pass(1, (struct gauges){.threads_running = 2, .queue_length = 3, .concurrency = 1});
    ck_assert_uint_eq(live_view_lines(&view), 7);
    assert_line(1, "per second: 9.0 completed, 12.0 offered, 0.0 errors");
    assert_line(3, "queue: 3, busy: 1 of 2 workers");
    recorded.dropped = 5;
    pass(1, (struct gauges){0});
    assert_line(1, "per second: 9.0 completed, 12.0 offered, 0.0 errors, 5.0 dropped");
}
END_TEST

START_TEST(bars_are_shares_of_the_highest)
{
    begin();
    pass_with(8);
    pass_with(4);
    pass_with(1);
    pass_with(0);
    assert_line(4, "completed/s  to 8          #~._");
    assert_line(6, "queue        to 16         #~._");
    view.utf8 = true;
    assert_line(4, "completed/s  to 8          █▅▂▁");
}
END_TEST

START_TEST(the_highest_percentile_is_drawn)
{
    begin();
    record_ms(&recorded, METRIC_RESPONSE, 2, 98);
    record_ms(&recorded, METRIC_RESPONSE, 30, 2);
    settings.percentiles = 2;
    settings.percentile[0] = 99 * PERCENT;
    settings.percentile[1] = 50 * PERCENT;
    pass(1, (struct gauges){0});
    assert_line(2, "response (ms): p99 30.00, p50 2.00, max 30.00");
    ck_assert_double_eq_tol(view.history[LIVE_TIME][0], 30, 0.03);
    settings.percentiles = 0;
    pass(1, (struct gauges){0});
    assert_line(2, "response (ms): max 30.00");
    ck_assert_double_eq_tol(view.history[LIVE_TIME][1], 2, 0.002); /* 95 % */
}
END_TEST

START_TEST(a_second_without_requests_has_no_times)
{
    begin();
    pass_with(0);
    assert_line(2, "response (ms): p95 -, max -");
    assert_line(4, "completed/s  to 0          _");
    assert_line(5, "p95 (ms)     to 0           ");
    record_ms(&recorded, METRIC_RESPONSE, 8, 1);
    pass_with(1);
    distribution_reset(&recorded.metric[METRIC_RESPONSE]);
    pass_with(0);
    record_ms(&recorded, METRIC_RESPONSE, 1, 1);
    pass_with(1);
    assert_line(2, "response (ms): p95 1.00, max 1.00");
    assert_line(5, "p95 (ms)     to 8           # .");
}
END_TEST

START_TEST(several_seconds_share_a_bar_in_a_narrow_window)
{
    begin();
    for (uint64_t i = 1; i <= 24; i++)
        pass_with(i);
    ck_assert_str_eq(bars(4, NARROW), "_.,,-~~=**##");
    ck_assert_uint_eq(strlen(bars(4, WIDE)), 24);
}
END_TEST

START_TEST(old_seconds_are_dropped_from_the_history)
{
    begin();
    pass_with(1000);
    for (int i = 0; i < LIVE_HISTORY_S; i++)
        pass_with(10);
    const char *all = bars(4, LIVE_HISTORY_S + 28);
    ck_assert_uint_eq(strlen(all), LIVE_HISTORY_S);
    ck_assert_uint_eq(strspn(all, "#"), LIVE_HISTORY_S);
    ck_assert_double_eq(view.history[LIVE_COMPLETED][0], 10);
}
END_TEST

/* Each bar stands for two seconds. If the first second of the bars alternated between even and
 * odd ones, the heights of all bars would change every second. */
START_TEST(bars_move_without_changing)
{
    char first[LIVE_HISTORY_S];
    begin();
    for (int i = 0; i < LIVE_HISTORY_S + 2; i++)
        pass_with((uint64_t)(i * i % 7));
    snprintf(first, sizeof(first), "%s", bars(4, 200));
    ck_assert_uint_eq(strlen(first), LIVE_HISTORY_S / 2);
    pass_with(0);
    ck_assert_int_eq(strncmp(first + 1, bars(4, 200), strlen(first) - 1), 0);
}
END_TEST

RUN_SUITE_WITH("live_view", 30, before, after, waits_are_of_one_second_only,
               a_second_ends_when_it_is_over, the_first_collect_is_ignored,
               figures_are_of_one_second_only, the_clock_shows_warm_up_and_planned_time,
               figures_of_a_closed_loop, figures_at_an_arrival_rate, bars_are_shares_of_the_highest,
               the_highest_percentile_is_drawn, a_second_without_requests_has_no_times,
               several_seconds_share_a_bar_in_a_narrow_window,
               old_seconds_are_dropped_from_the_history, bars_move_without_changing)
