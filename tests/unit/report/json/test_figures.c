/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of reports: they are read back as they were written, and percentiles come from the
 * report or from its buckets. */
#include "report/json/figures.h"

#include <math.h>
#include <string.h>

#include "../../suite.h"
#include "base/clock.h"
#include "options/percentiles.h"
#include "report/json/json_value.h"
#include "report/json/report_json_value.h"
#include "report/json/report_restore.h"

struct all {
    bool flag;
    uint64_t count;
    double real, share;
    int64_t span_ns, time_ns;
};

static const struct figure rows[] = {
    {"flag", FIGURE_BOOL, offsetof(struct all, flag)},
    {"count", FIGURE_COUNT, offsetof(struct all, count)},
    {"real", FIGURE_REAL, offsetof(struct all, real)},
    {"share", FIGURE_SHARE, offsetof(struct all, share)},
    {"span_s", FIGURE_SECONDS, offsetof(struct all, span_ns)},
    {"time_ms", FIGURE_MS, offsetof(struct all, time_ns)},
    {0},
};

static void assert_written(const struct all *from, const char *expected)
{
    json_t *object = value_object();
    figures_write(object, rows, from);
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15));
    ck_assert_str_eq(text, expected);
    free(text);
    json_decref(object);
}

START_TEST(each_type_is_read_back_unchanged)
{
    const struct all from = {true, 7, 2.5, 0.25, 1500000001, 2000001};
    struct all to = {.count = 1};
    json_t *object = value_object();
    assert_written(&from, "{\"flag\":true,\"count\":7,\"real\":2.5,\"share\":0.25,"
                          "\"span_s\":1.500000001,\"time_ms\":2.000001}");
    figures_write(object, rows, &from);
    figures_read(&to, rows, object);
    ck_assert(to.flag);
    ck_assert_uint_eq(to.count, 7);
    ck_assert_double_eq(to.real, 2.5);
    ck_assert_double_eq(to.share, 0.25);
    ck_assert_int_eq(to.span_ns, 1500000001);
    ck_assert_int_eq(to.time_ns, 2000001);
    json_decref(object);
}
END_TEST

START_TEST(unknown_figures_are_null)
{
    const struct all from = {.real = NAN, .share = -1};
    struct all to = {.flag = true, .count = 3, .real = 3, .share = 3, .span_ns = 3, .time_ns = 3};
    json_t *nothing = value_object();
    assert_written(&from, "{\"flag\":false,\"count\":0,\"real\":null,\"share\":null,"
                          "\"span_s\":0.0,\"time_ms\":0.0}");
    figures_read(&to, rows, nothing);
    ck_assert(!to.flag && to.count == 0 && to.real == 0 && to.span_ns == 0 && to.time_ns == 0);
    ck_assert_double_eq(to.share, -1);
    json_decref(nothing);
}
END_TEST

START_TEST(counts_that_are_read_are_limited)
{
    json_t *negative = json_integer(-5), *huge = json_integer(INT64_MAX), *text = json_string("1");
    ck_assert_uint_eq(figure_count(negative), 0);
    ck_assert_uint_eq(figure_count(huge), UINT64_C(1) << 53);
    ck_assert_uint_eq(figure_count(text), 0);
    ck_assert_uint_eq(figure_count(NULL), 0);
    json_decref(negative);
    json_decref(huge);
    json_decref(text);
}
END_TEST

/* 90 requests of 1 ms and 10 that were given up after 1 s: p99 is a lower bound, p50 is not. The
 * report has a value for p95 that differs from the one in the buckets. */
START_TEST(percentiles_come_from_the_report_or_its_buckets)
{
    static const int64_t percentile[] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT};
    struct snapshot s;
    snapshot_init(&s);
    struct distribution *d = &s.metric[METRIC_RESPONSE];
    for (int i = 0; i < 10; i++)
        distribution_censor(d, NS_PER_SEC);
    d->count = d->buckets[histogram_index(NS_PER_MS)] = 90;
    d->sum_ns = (unsigned __int128)90 * NS_PER_MS;
    d->min_ns = d->max_ns = NS_PER_MS;
    json_t *summary = value_object(), *expected = value_percentiles(d, NS_PER_MS, percentile, 3);
    value_set(summary, "histogram", value_histograms(&s));
    json_t *found = report_percentiles(summary, percentile, 3);
    ck_assert(json_equal(found, expected));
    ck_assert(json_is_true(json_object_get(json_object_get(found, "p99"), "censored")));
    ck_assert(json_is_false(json_object_get(json_object_get(found, "p50"), "censored")));
    json_decref(found);

    json_t *own = json_pack("{s:{s:{s:f,s:b}}}", "percentiles", "p95", "value", 7.0, "censored", 1);
    json_object_set(expected, "p95", json_object_get(json_object_get(own, "percentiles"), "p95"));
    value_set(summary, "response_ms", own);
    found = report_percentiles(summary, percentile, 3);
    ck_assert(json_equal(found, expected));
    json_decref(found);
    json_decref(expected);
    json_decref(summary);
    snapshot_fini(&s);
}
END_TEST

RUN_SUITE("figures", 60, each_type_is_read_back_unchanged, unknown_figures_are_null,
          counts_that_are_read_are_limited, percentiles_come_from_the_report_or_its_buckets)
