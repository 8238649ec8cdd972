/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tallies, from recording to the finding of the verdict. */
#include "result/tally_audit.h"

#include <math.h>

#include "../suite.h"
#include "result/judgement.h"
#include "stats/snapshot.h"
#include "stats/stats.h"

static struct tally_totals totals;
static struct remarks remarks;

static void setup(void)
{
    totals = (struct tally_totals){.count = 1, .tally = {{.name = "x"}}};
    remarks = (struct remarks){.audits = 1, .audit = {{.text = "an x", .tally = "x"}}};
}

/* Audits `yes` of `n`, which should be a share from `low` to `high`. */
static enum audit_state share(uint64_t yes, uint64_t n, double low, double high)
{
    totals.tally[0] = (struct tally_total){"x", n, yes, yes};
    remarks.audit[0].share = true;
    remarks.audit[0].low = low;
    remarks.audit[0].high = high;
    tally_audit(&remarks, &totals);
    return remarks.audit[0].state;
}

START_TEST(shares)
{
    ck_assert_int_eq(share(10, 1000, 0.009, 0.011), AUDIT_HOLDS);
    ck_assert_int_eq(share(0, 1000, 0.009, 0.011), AUDIT_BY_CHANCE);
    ck_assert_int_eq(share(0, 2000, 0.009, 0.011), AUDIT_FAILS);
    ck_assert_int_eq(share(60, 2000, 0.009, 0.011), AUDIT_FAILS);
    ck_assert_int_eq(share(420, 1000, 0.43, 1), AUDIT_BY_CHANCE);
    ck_assert_int_eq(share(4200, 100000, 0.43, 1), AUDIT_FAILS);
    ck_assert_int_eq(share(100, 100, 1, 1), AUDIT_HOLDS);
    ck_assert_int_eq(share(0, 0, 0.4, 0.5), AUDIT_EMPTY);
    remarks.audit[0].tally[0] = 'y';
    ck_assert_int_eq(share(10, 1000, 0.009, 0.011), AUDIT_EMPTY);
}
END_TEST

/* Wilson's interval, calculated by hand: n = 1600, p = 1/2 and z = 4 give z²/n = 1/100. */
START_TEST(intervals)
{
    share(800, 1600, 0, 1);
    ck_assert_double_eq_tol(remarks.audit[0].mean, 0.5, 1e-12);
    ck_assert_double_eq_tol(remarks.audit[0].from, 0.5 - 4 * sqrt(0.25 / 1600 + 0.01 / 6400) / 1.01,
                            1e-12);
    share(0, 1600, 0, 1);
    ck_assert_double_eq_tol(remarks.audit[0].from, 0, 1e-12);
    ck_assert_double_eq_tol(remarks.audit[0].to, 0.01 / 1.01, 1e-12);
}
END_TEST

START_TEST(means)
{
    /* 100 values of 9 and 100 of 11 have the mean 10 and the standard deviation 1; that of the mean
     * is 1/√200. */
    totals.tally[0] = (struct tally_total){"x", 200, 2000, 100 * (81 + 121)};
    remarks.audit[0].low = 10.2;
    remarks.audit[0].high = 11;
    tally_audit(&remarks, &totals);
    ck_assert_int_eq(remarks.audit[0].state, AUDIT_BY_CHANCE);
    ck_assert_double_eq_tol(remarks.audit[0].to, 10 + 4 / sqrt(200), 1e-9);
    remarks.audit[0].low = 10.3;
    tally_audit(&remarks, &totals);
    ck_assert_int_eq(remarks.audit[0].state, AUDIT_FAILS);
    ck_assert_uint_eq(tally_audit_failures(&remarks), 1);
}
END_TEST

START_TEST(tallies_of_threads_add_up_without_the_warm_up)
{
    struct stats *stats = stats_create(2, false);
    struct snapshot s, other;
    snapshot_init(&s);
    snapshot_init(&other);
    for (unsigned i = 0; i < 2; i++) {
        struct stats_thread *t = stats_thread(stats, i);
        unsigned tally = tallies_find(t->tallies, "lines");
        stats_tally(t, tally, 1, 5 + i, 25);
        stats_enter(t, PHASE_WARMUP);
        stats_tally(t, tally, 1, 1000, 1000);
    }
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(tally_totals_named(s.tallies, "lines")->count, 2);
    ck_assert_uint_eq(tally_totals_named(s.tallies, "lines")->sum, 11);
    ck_assert_uint_eq(tally_totals_named(s.tallies, "lines")->squares, 50);
    ck_assert_ptr_null(tally_totals_named(s.tallies, "line"));
    snapshot_merge(&other, &s);
    snapshot_add(&other, &s);
    ck_assert_uint_eq(tally_totals_named(other.tallies, "lines")->sum, 22);
    stats_drain(stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(tally_totals_named(s.tallies, "lines")->count, 0);
    snapshot_fini(&s);
    snapshot_fini(&other);
    stats_destroy(stats);
}
END_TEST

START_TEST(a_failure_is_a_finding)
{
    struct settings settings = {.strict = true};
    struct judgement j = {.slo = {.met = true}};
    share(10, 1000, 0.009, 0.011);
    judgement_add_remarks(&j, &settings, &remarks);
    ck_assert_uint_eq(j.trust.verdict.count, 0);
    share(0, 5000, 0.009, 0.011);
    judgement_add_remarks(&j, &settings, &remarks);
    ck_assert_uint_eq(j.trust.verdict.count, 1);
    ck_assert_str_eq(j.trust.verdict.finding[0].name, "AUDIT-FAILED");
    ck_assert_str_eq(j.trust.verdict.finding[0].figure, "an x: 0.00 %");
    ck_assert_int_eq(j.exit_code, 4);
}
END_TEST

START_TEST(merged_tallies_without_room_are_other)
{
    totals.count = 0;
    for (unsigned i = 0; i < TALLIES + 9; i++) {
        struct tally_totals one = {.count = 1, .tally = {{"", 1, i, 0}}};
        snprintf(one.tally[0].name, sizeof(one.tally[0].name), "tally %u", i);
        tally_totals_add(&totals, &one);
    }
    ck_assert_uint_eq(totals.count, TALLIES);
    ck_assert_str_eq(totals.tally[TALLIES - 2].name, "tally 62");
    ck_assert_str_eq(totals.tally[TALLIES - 1].name, "other");
    ck_assert_uint_eq(totals.tally[TALLIES - 1].count, 10);
}
END_TEST

RUN_SUITE_WITH("tally_audit", 30, setup, NULL, shares, intervals, means,
               tallies_of_threads_add_up_without_the_warm_up, a_failure_is_a_finding,
               merged_tallies_without_room_are_other)
