/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets and effects of writes, from recording to the text of the report. */
#include <pthread.h>

#include "../report_fixture.h"
#include "../suite.h"
#include "stats/stats.h"

static void aim(struct stats_thread *t, const char *name)
{
    stats_aim(t, targets_part(t->targets, t->number, targets_find(t->targets, name)));
}

START_TEST(targets_add_up_to_the_run)
{
    struct stats *stats = stats_create(2, true);
    struct snapshot s;
    snapshot_init(&s);
    struct stats_thread *t = stats_thread(stats, 0), *u = stats_thread(stats, 1);
    aim(t, "a");
    stats_count(t, COUNTER_READ, 3);
    stats_record(t, METRIC_RESPONSE, 1000);
    aim(t, "b");
    stats_count(t, COUNTER_READ, 4);
    aim(u, "a");
    stats_record(u, METRIC_RESPONSE, 3000);
    stats_enter(u, PHASE_WARMUP);
    stats_count(u, COUNTER_READ, 100);

    stats_drain(stats, PHASE_MEASURED, &s);
    const struct target_total *a = &s.targets->target[0], *b = &s.targets->target[1];
    ck_assert_uint_eq(s.targets->count, 2);
    ck_assert_str_eq(a->name, "a");
    ck_assert_uint_eq(a->counter[COUNTER_READ], 3);
    ck_assert_uint_eq(b->counter[COUNTER_READ], 4);
    ck_assert_uint_eq(s.counter[COUNTER_READ], 7);
    ck_assert_uint_eq(a->metric[METRIC_RESPONSE].count, 2);
    ck_assert_uint_eq(a->metric[METRIC_RESPONSE].sum_ns, 4000);
    ck_assert_int_eq(a->metric[METRIC_RESPONSE].max_ns, 3000);
    stats_drain(stats, PHASE_WARMUP, &s);
    ck_assert_uint_eq(a->counter[COUNTER_READ], 100);
    ck_assert_uint_eq(b->counter[COUNTER_READ], 0);
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

START_TEST(too_many_targets_share_the_last)
{
    struct targets *t = targets_create(1, false);
    for (unsigned i = 0; i < 2 * TARGETS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "host%u", i);
        ck_assert_uint_eq(targets_find(t, name), min_u32(i, TARGETS - 1));
    }
    ck_assert_uint_eq(targets_find(t, "host3"), 3);
    struct target_totals *totals = target_totals_create();
    targets_drain(t, PHASE_MEASURED, totals);
    ck_assert_uint_eq(totals->count, TARGETS);
    ck_assert_str_eq(totals->target[TARGETS - 1].name, "other");
    target_totals_destroy(totals);
    targets_destroy(t);
}
END_TEST

START_TEST(merged_targets_without_room_are_other)
{
    struct target_totals *whole = target_totals_create();
    for (unsigned process = 0; process < 2; process++) {
        struct targets *t = targets_create(1, false);
        for (unsigned i = 0; i < TARGETS - 10; i++) {
            char name[32];
            snprintf(name, sizeof(name), "host%u.%u", process, i);
            targets_connections(t, targets_find(t, name), 1, 0);
        }
        struct target_totals *part = target_totals_create();
        targets_drain(t, PHASE_MEASURED, part);
        target_totals_merge(whole, part);
        target_totals_destroy(part);
        targets_destroy(t);
    }
    ck_assert_uint_eq(whole->count, TARGETS);
    ck_assert_str_eq(whole->target[TARGETS - 2].name, "host1.8");
    ck_assert_str_eq(whole->target[TARGETS - 1].name, "other");
    ck_assert_int_eq(whole->target[TARGETS - 1].connections, TARGETS - 19);
    target_totals_destroy(whole);
}
END_TEST

#define THREADS 4
#define EVENTS 50000

static struct stats *shared;
static atomic_int left;

static void *record(void *arg)
{
    struct stats_thread *t = stats_thread(shared, (unsigned)(uintptr_t)arg);
    for (int i = 0; i < EVENTS; i++) {
        aim(t, i % 3 == 0 ? "a" : "b");
        stats_count(t, COUNTER_EVENT, 1);
        stats_record(t, METRIC_RESPONSE, 1000 + i);
        stats_record_write(t, WRITE_UPDATE, i % 2, i % 4 == 1);
    }
    atomic_fetch_sub(&left, 1);
    return NULL;
}

START_TEST(under_load_nothing_is_lost)
{
    pthread_t threads[THREADS];
    struct snapshot s, total;
    shared = stats_create(THREADS, false);
    snapshot_init(&s);
    snapshot_init(&total);
    atomic_store(&left, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, (void *)i);
    bool last;
    do {
        last = atomic_load(&left) == 0;
        stats_drain(shared, PHASE_MEASURED, &s);
        snapshot_add(&total, &s);
    } while (!last);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    uint64_t events = 0, times = 0, sum_ns = 0;
    for (unsigned i = 0; i < total.targets->count; i++) {
        const struct target_total *target = &total.targets->target[i];
        events += target->counter[COUNTER_EVENT];
        times += target->metric[METRIC_RESPONSE].count;
        sum_ns += target->metric[METRIC_RESPONSE].sum_ns;
    }
    ck_assert_uint_eq(events, (uint64_t)THREADS * EVENTS);
    ck_assert_uint_eq(times, events);
    ck_assert_uint_eq(sum_ns, total.metric[METRIC_RESPONSE].sum_ns);
    const uint64_t *count = total.effects.count[WRITE_UPDATE];
    ck_assert_uint_eq(count[EFFECT_WRITES], events);
    ck_assert_uint_eq(count[EFFECT_UNMATCHED], events / 2);
    ck_assert_uint_eq(count[EFFECT_UNCHANGED], events / 4);
    ck_assert_uint_eq(count[EFFECT_ROWS_CHANGED], events / 4);
    snapshot_fini(&s);
    snapshot_fini(&total);
    stats_destroy(shared);
}
END_TEST

START_TEST(the_table_ends_with_the_run_as_a_whole)
{
    events_format.workload.targets = "Hosts";
    struct target_totals *t = summary.snapshot.targets;
    struct targets *targets = targets_create(1, false);
    targets_connections(targets, targets_find(targets, "db1:3306"), 8, 0);
    targets_drain(targets, PHASE_MEASURED, t);
    report_targets(out, &events_format, &summary);
    assert_text(""); /* a single target has the same figures as the run, so there is no table */

    targets_connections(targets, targets_find(targets, "db2:3306"), 8, 3);
    targets_drain(targets, PHASE_MEASURED, t);
    t->target[0].counter[COUNTER_EVENT] = 60;
    t->target[1].counter[COUNTER_EVENT] = 40;
    t->target[1].counter[COUNTER_ERROR] = 3;
    t->target[1].counter[COUNTER_DOWN_NS] = 1500000000;
    distribution_record(&t->target[0].metric[METRIC_RESPONSE], 2 * NS_PER_MS);
    target_totals_censor_failed(t);
    summary.snapshot.counter[COUNTER_EVENT] = 100;
    summary.snapshot.counter[COUNTER_ERROR] = 3;
    summary.snapshot.counter[COUNTER_DOWN_NS] = 1500000000;
    record_ms(&summary.snapshot, METRIC_RESPONSE, 2, 1);
    report_targets(out, &events_format, &summary);
    assert_text("Hosts (times in ms):\n"
                "             connections   lost  completed   failed  statements   errors "
                "reconnects  down (s)      mean       p95       max\n"
                "    db1:3306           8      0         60        0           0        0          "
                "0      0.00      2.00      2.00      2.00\n"
                "    db2:3306           8      3         40        0           0        3          "
                "0      1.50         -         -         -\n"
                "    all               16      3        100        0           0        3          "
                "0      1.50      2.00      2.00      2.00\n"
                "\n");
    targets_destroy(targets);
}
END_TEST

static void serve(struct stats_thread *t, const char *type, int64_t ns, bool done)
{
    stats_enter(t, PHASE_MEASURED);
    if (type != NULL)
        stats_set_type(t, targets_find(t->types, type));
    stats_count(t, COUNTER_READ, 2);
    stats_count(t, done ? COUNTER_EVENT : COUNTER_FAILED, 1);
    stats_record(t, done ? METRIC_RESPONSE : METRIC_FAILED, ns);
}

START_TEST(a_type_ends_with_its_request)
{
    struct stats *stats = stats_create(1, true);
    struct stats_thread *t = stats_thread(stats, 0);
    struct snapshot s;
    snapshot_init(&s);
    aim(t, "host");
    serve(t, "a", 1000, true);
    serve(t, NULL, 5000, true);
    serve(t, "b", 3000, true);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.types->count, 2);
    ck_assert_uint_eq(target_totals_named(s.types, "a")->counter[COUNTER_READ], 2);
    ck_assert_uint_eq(target_totals_named(s.types, "b")->metric[METRIC_RESPONSE].sum_ns, 3000);
    ck_assert_uint_eq(s.targets->target[0].counter[COUNTER_EVENT], 3);
    ck_assert_ptr_null(target_totals_named(s.types, "c"));
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

/* 3 of 4 requests have type a, so type a gets 3 of 4 of the 20 lower bounds without a type: 20 ·
 * 3/4 and 20 · 1/4. Failed requests have their type. */
START_TEST(lower_bounds_without_a_type_are_shared)
{
    struct stats *stats = stats_create(1, true);
    struct stats_thread *t = stats_thread(stats, 0);
    struct snapshot s;
    snapshot_init(&s);
    for (int i = 0; i < 40; i++)
        serve(t, i % 4 == 0 ? "b" : "a", 1000, i < 36);
    stats_drain(stats, PHASE_MEASURED, &s);
    distribution_censor_all(&s.metric[METRIC_RESPONSE], &s.metric[METRIC_FAILED]);
    distribution_censor_many(&s.metric[METRIC_RESPONSE], 7000, 20);
    target_totals_censor_failed(s.types);
    target_totals_share_censored(s.types, &s.metric[METRIC_RESPONSE]);
    const struct distribution *a = target_totals_named(s.types, "a")->metric;
    const struct distribution *b = target_totals_named(s.types, "b")->metric;
    ck_assert_uint_eq(a[METRIC_RESPONSE].count, 27);
    ck_assert_uint_eq(a[METRIC_RESPONSE].censored, 3 + 15);
    ck_assert_uint_eq(b[METRIC_RESPONSE].censored, 1 + 5);
    ck_assert_int_ge(b[METRIC_RESPONSE].censored_max_ns, 6990);
    snapshot_fini(&s);
    stats_destroy(stats);
}
END_TEST

START_TEST(types_are_reported_side_by_side)
{
    struct stats *stats = stats_create(1, false);
    struct stats_thread *t = stats_thread(stats, 0);
    report_event_types(out, &events_format, &summary);
    assert_text("");
    for (int i = 0; i < 3; i++)
        serve(t, i == 0 ? "b" : "first", 2 * NS_PER_MS, true);
    stats_drain(stats, PHASE_MEASURED, &summary.snapshot);
    report_event_types(out, &events_format, &summary);
    assert_text("Types of events (response times in ms):\n"
                "    type   completed    share   failed   errors      mean       p95       max\n"
                "    b              1   33.33%        0        0      2.00      2.00      2.00\n"
                "    first          2   66.67%        0        0      2.00      2.00      2.00\n"
                "\n");
    stats_destroy(stats);
}
END_TEST

START_TEST(writes_that_changed_nothing_are_reported)
{
    struct effects *e = &summary.snapshot.effects;
    summary.elapsed_ns = 2 * NS_PER_SEC;
    e->count[WRITE_UPDATE][EFFECT_WRITES] = 1000;
    e->count[WRITE_INSERT][EFFECT_WRITES] = 200;
    report_effects(out, &summary);
    assert_text("");
    e->count[WRITE_UPDATE][EFFECT_UNMATCHED] = 10;
    ck_assert(!effects_doubtful(e, WRITE_UPDATE)); /* just 1 % of the updates */
    e->count[WRITE_UPDATE][EFFECT_UNCHANGED] = 1;
    ck_assert(effects_doubtful(e, WRITE_UPDATE));
    e->count[WRITE_DELETE][EFFECT_WRITES] = e->count[WRITE_DELETE][EFFECT_UNMATCHED] = 9;
    ck_assert(!effects_doubtful(e, WRITE_DELETE)); /* only few writes */
    e->count[WRITE_DELETE][EFFECT_WRITES] = e->count[WRITE_DELETE][EFFECT_UNMATCHED] = 10;
    ck_assert(effects_doubtful(e, WRITE_DELETE));
    e->count[WRITE_DELETE][EFFECT_WRITES] = e->count[WRITE_DELETE][EFFECT_UNMATCHED] = 0;
    ck_assert(!effects_doubtful(e, WRITE_INSERT) && !effects_doubtful(e, WRITE_DELETE));
    summary.no_op_cause = "gaps in id";
    report_effects(out, &summary);
    assert_text("Writes that changed nothing:\n"
                "    update:                              11     (1.10% of 1000; found nothing: "
                "10, left as it was: 1)\n"
                "    effective writes:                    1189   (594.50 per sec. of 600.00)\n"
                "    likely cause: gaps in id\n"
                "\n");
}
END_TEST

RUN_SUITE_WITH("targets", 60, setup, teardown, targets_add_up_to_the_run,
               too_many_targets_share_the_last, merged_targets_without_room_are_other,
               under_load_nothing_is_lost, the_table_ends_with_the_run_as_a_whole,
               a_type_ends_with_its_request, lower_bounds_without_a_type_are_shared,
               types_are_reported_side_by_side, writes_that_changed_nothing_are_reported)
