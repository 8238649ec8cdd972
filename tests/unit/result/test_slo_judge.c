/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging objectives, at the end of a run and during it. */
#include "result/slo_judge.h"

#include <math.h>

#include "../suite.h"
#include "stats/stats.h"

static struct snapshot s;
static struct slo slo;

static void setup(void)
{
    snapshot_init(&s);
}

static void teardown(void)
{
    snapshot_fini(&s);
}

static void record_ms(double ms, int times)
{
    for (int i = 0; i < times; i++)
        distribution_record(&s.metric[METRIC_RESPONSE], (int64_t)(ms * NS_PER_MS));
    s.counter[COUNTER_EVENT] += (uint64_t)times;
}

static const struct {
    const char *objective;
    double value;
    bool lower_bound, known;
    const char *text;
} printed[] = {
    {"throughput>500", 199523.4, false, true, "199523.40 per s"},
    {"p99<1ms", 9e-5, false, true, "0.000090 ms"},
    {"p99<1ms", 0.00996, false, true, "0.0100 ms"},
    {"p99<1ms", 0.01, false, true, "0.01 ms"},
    {"max<20ms", 1234567.891, true, true, ">1234567.89 ms"},
    {"errors<1%", 0, false, true, "0.00 %"},
    {"mean<1s", 0, false, false, "-"},
    {"recall>0.9", 0.98765, false, true, "0.9877"},
    {"recall>0.9", 0.00123, false, true, "0.0012"},
};

START_TEST(figures_are_plain_numbers)
{
    for (size_t i = 0; i < ARRAY_SIZE(printed); i++) {
        struct slo_figure figure = {.value = printed[i].value,
                                    .lower_bound = printed[i].lower_bound,
                                    .known = printed[i].known};
        slo_parse(&slo, printed[i].objective);
        ck_assert_str_eq(slo_figure_text(&slo.objective[0], &figure).text, printed[i].text);
    }
}
END_TEST

/* Tests at the end of a run. */

static struct slo_judgement judge(const char *objectives)
{
    static struct slo_judgement j;
    slo_parse(&slo, objectives);
    slo_judge(&j, &slo, &s, 2 * NS_PER_SEC);
    return j;
}

START_TEST(quality_figures)
{
    *quality_totals_make(s.qualities, "recall") = (struct quality_total){"recall", 10, 0.9, 0.1};
    *quality_totals_make(s.qualities, "later") = (struct quality_total){"later", 0, 0, 0};
    struct slo_judgement j = judge("recall>0.9,recall<1,later>1,never>1");
    static const bool met[] = {false, true, false, false};
    for (unsigned i = 0; i < ARRAY_SIZE(met); i++)
        ck_assert_msg(j.figure[i].met == met[i], "%s", slo.objective[i].text);
    ck_assert(j.figure[0].known && !j.figure[2].known && !j.figure[3].known);
    ck_assert(j.figure[2].none && !j.figure[3].none);
    ck_assert(!slo_is_lost(&slo, &s, 1));
}
END_TEST

START_TEST(figures)
{
    record_ms(1, 990);
    record_ms(30, 10);
    s.counter[COUNTER_FAILED] = 600;
    s.dropped = 400;
    struct slo_judgement j = judge("p99<20ms,p99.1<20ms,mean<2ms,max<30ms,"
                                   "errors<50%,throughput>499");
    static const bool met[] = {true, false, true, false, false, true};
    for (unsigned i = 0; i < ARRAY_SIZE(met); i++) {
        ck_assert(j.figure[i].known && !j.figure[i].lower_bound);
        ck_assert_msg(j.figure[i].met == met[i], "%s", slo.objective[i].text);
    }
    ck_assert_double_eq_tol(j.figure[0].value, 1, 1e-3);
    ck_assert_double_eq_tol(j.figure[2].value, 1.29, 1e-6);
    ck_assert_double_eq(j.figure[3].value, 30);
    ck_assert_double_eq(j.figure[4].value, 50);
    ck_assert_double_eq(j.figure[5].value, 500);
    ck_assert(!j.met);
    ck_assert(judge("p99<20ms,mean<2ms").met);
    ck_assert(judge("max<=30ms,errors<=50%,throughput>=500").met);
    ck_assert(!judge("throughput>500").met);
}
END_TEST

/* 10.8 million requests of half an hour each: their sum needs 65 bits. */
START_TEST(a_mean_of_long_times_is_not_cut)
{
    struct distribution part;
    distribution_init(&part);
    for (int i = 0; i < 10800; i++)
        distribution_censor(&part, 1800 * NS_PER_SEC);
    for (int i = 0; i < 1000; i++)
        distribution_add(&s.metric[METRIC_RESPONSE], &part);
    distribution_fini(&part);
    struct slo_judgement j = judge("mean<1000s");
    ck_assert_double_eq(j.figure[0].value, 1.8e6);
    ck_assert(!j.met);
}
END_TEST

/* 2 % of the requests have waited for 15 ms, so it is not known whether the 99th percentile is
 * below 20 ms. */
START_TEST(lower_bounds_do_not_meet)
{
    record_ms(1, 980);
    for (int i = 0; i < 20; i++)
        distribution_censor(&s.metric[METRIC_RESPONSE], 15 * NS_PER_MS);
    struct slo_judgement j = judge("p99<20ms,p90<20ms");
    ck_assert(j.figure[0].lower_bound && !j.figure[0].met);
    ck_assert(j.figure[1].met);
}
END_TEST

START_TEST(nothing_measured_meets_nothing)
{
    struct slo_judgement j = judge("p99<20ms,errors<1%");
    ck_assert(!j.figure[0].known && !j.figure[0].met);
    ck_assert(!j.figure[1].known && !j.figure[1].met);
}
END_TEST

/* Tests during a run. */

/* The limit is 1 % of 10 000 arrivals plus the 4·√10 000 that chance may add: 104 requests may be
 * too slow. */
START_TEST(lost_by_percentile)
{
    slo_parse(&slo, "p99<20ms");
    record_ms(30, 104);
    ck_assert(!slo_is_lost(&slo, &s, 10000));
    record_ms(30, 1);
    ck_assert(slo_is_lost(&slo, &s, 10000));
    ck_assert(!slo_is_lost(&slo, &s, INFINITY));
}
END_TEST

START_TEST(lost_by_other_objectives)
{
    record_ms(5, 100);
    s.counter[COUNTER_FAILED] = 11;
    static const struct {
        const char *objective;
        bool lost;
    } row[] = {{"max<5ms", true},     {"max<6ms", false},           {"mean<4ms", true},
               {"mean<4.9ms", false}, {"errors<7%", true},          {"errors<10%", false},
               {"p50<1ms", true},     {"throughput>1000000", false}};
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        slo_parse(&slo, row[i].objective);
        /* 78.5 plus 4 standard deviations are 114 arrivals. */
        ck_assert_msg(slo_is_lost(&slo, &s, 78.5) == row[i].lost, "%s", row[i].objective);
    }
}
END_TEST

/* Adds a window of one second with `times` requests of `ms` each, and judges it. */
static bool look_after(struct slo_watch *w, double ms, int times)
{
    snapshot_reset(&s);
    record_ms(ms, times);
    slo_watch_add(w, &s);
    return slo_watch_look(w, w->from_ns + NS_PER_SEC, times == 0 ? 0 : 5);
}

START_TEST(watch_ends_a_run_that_misses_for_long)
{
    struct slo_watch w;
    slo_parse(&slo, "p99<20ms");
    slo_watch_init(&w, &slo, 3 * NS_PER_SEC, NS_PER_SEC);
    ck_assert(!look_after(&w, 30, 100));
    ck_assert(!look_after(&w, 30, 100));
    ck_assert(!look_after(&w, 1, 100));
    ck_assert(!look_after(&w, 30, 100));
    ck_assert(!slo_watch_look(&w, w.from_ns + NS_PER_SEC / 2, 0));
    ck_assert(!look_after(&w, 0, 0)); /* no request: the window is judged like the one before */
    ck_assert(look_after(&w, 30, 100));
    slo_watch_fini(&w);
}
END_TEST

START_TEST(watch_sees_a_stall)
{
    struct slo_watch w;
    slo_parse(&slo, "p99<20ms");
    slo_watch_init(&w, &slo, 2 * NS_PER_SEC, 0);
    ck_assert(!slo_watch_look(&w, NS_PER_SEC, 7)); /* the requests may have just arrived */
    ck_assert(!slo_watch_look(&w, 2 * NS_PER_SEC, 7));
    ck_assert(slo_watch_look(&w, 3 * NS_PER_SEC, 7));
    slo_watch_fini(&w);
}
END_TEST

/* Judges windows of one second in which one request is in service and none ends. Returns the second
 * at which the watch ends the run, or 0. */
static int ended_after(const char *objectives, int seconds)
{
    struct slo_watch w;
    int second = 0;
    bool ends = false;
    slo_parse(&slo, objectives);
    slo_watch_init(&w, &slo, NS_PER_SEC, 0);
    while (!ends && second < seconds)
        ends = slo_watch_look(&w, ++second * NS_PER_SEC, 1);
    slo_watch_fini(&w);
    return ends ? second : 0;
}

START_TEST(watch_waits_for_the_limit)
{
    /* the request is known to be there since second 1 */
    ck_assert_int_eq(ended_after("p99<2500ms", 60), 4);
    ck_assert_int_eq(ended_after("p99<20s,max<30s", 20), 0);
    ck_assert_int_eq(ended_after("throughput>0.4,max<30s", 60), 4);
    ck_assert_int_eq(ended_after("errors<1%", 60), 0);
}
END_TEST

/* In each window other requests, or none, are in the system, so it is not known how long they have
 * been there. */
START_TEST(watch_ignores_requests_of_unknown_age)
{
    struct slo_watch w;
    slo_parse(&slo, "p99<1500ms");
    slo_watch_init(&w, &slo, NS_PER_SEC, 0);
    for (int second = 1; second < 20; second++)
        ck_assert(!slo_watch_look(&w, second * NS_PER_SEC, second % 3 == 0 ? 0 : 1));
    for (int i = 0; i < 20; i++) {
        ck_assert(!look_after(&w, 1200, 1));
        ck_assert(!slo_watch_look(&w, w.from_ns + NS_PER_SEC, 1));
    }
    slo_watch_fini(&w);
}
END_TEST

/* An objective for a type is judged by the records of this type only. */
START_TEST(types_have_objectives_of_their_own)
{
    struct stats *stats = stats_create(1, false);
    struct stats_thread *t = stats_thread(stats, 0);
    for (int i = 0; i < 20; i++) {
        stats_enter(t, PHASE_MEASURED);
        stats_set_type(t, targets_find(t->types, i < 10 ? "slow" : "fast"));
        stats_count(t, COUNTER_EVENT, 1);
        stats_record(t, METRIC_RESPONSE, i < 10 ? 50 * NS_PER_MS : NS_PER_MS);
    }
    stats_drain(stats, PHASE_MEASURED, &s);
    struct slo_judgement j = judge("slow:p90<20ms,fast:p90<20ms,fast:max<900us,p50<20ms,p60<20ms,"
                                   "fast:throughput>4,nosuch:p90<20ms,nosuch:errors<1%,tpcc");
    static const bool met[] = {false, true, false, true, false, true, false, false, false};
    for (unsigned i = 0; i < ARRAY_SIZE(met); i++)
        ck_assert_msg(j.figure[i].met == met[i], "%s", slo.objective[i].text);
    ck_assert_uint_eq(slo.count, 14);
    ck_assert_str_eq(slo.objective[8].type, "new_order");
    ck_assert(!j.figure[6].known);
    stats_destroy(stats);
}
END_TEST

/* If nothing is deferred, the event of this name does the work. */
START_TEST(deferred_work_has_objectives_of_its_own)
{
    struct stats *stats = stats_create_with(1, 1, false);
    struct stats_thread *worker = stats_thread(stats, 0), *executor = stats_thread(stats, 1);
    const char *objectives = "deferred.mail:p90<20ms,mail:p90<20ms,deferred.mail:errors<1%";
    stats_enter(worker, PHASE_MEASURED);
    stats_set_type(worker, targets_find(worker->types, "mail"));
    stats_count(worker, COUNTER_EVENT, 1);
    stats_record(worker, METRIC_RESPONSE, NS_PER_MS);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert(judge(objectives).figure[0].met);
    stats_enter(executor, PHASE_MEASURED);
    stats_serve_deferred(executor, targets_find(executor->deferred, "mail"));
    stats_end_deferred(executor, 20 * NS_PER_MS, 30 * NS_PER_MS, true);
    struct snapshot more;
    snapshot_init(&more);
    stats_drain(stats, PHASE_MEASURED, &more);
    snapshot_add(&s, &more);
    snapshot_fini(&more);
    struct slo_judgement j = judge(objectives);
    ck_assert(!j.figure[0].met && j.figure[1].met && j.figure[2].met);
    ck_assert_double_eq_tol(j.figure[0].value, 50, 0.1);
    stats_destroy(stats);
}
END_TEST

RUN_SUITE_WITH("slo_judge", 30, setup, teardown, figures_are_plain_numbers, figures,
               quality_figures,
               types_have_objectives_of_their_own, deferred_work_has_objectives_of_its_own,
               a_mean_of_long_times_is_not_cut, lower_bounds_do_not_meet,
               nothing_measured_meets_nothing, lost_by_percentile, lost_by_other_objectives,
               watch_ends_a_run_that_misses_for_long, watch_sees_a_stall, watch_waits_for_the_limit,
               watch_ignores_requests_of_unknown_age)
