/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/slo.h"

#include <math.h>

#include "../suite.h"
#include "base/util.h"

static struct slo slo;

static const struct {
    const char *text;
    enum slo_kind kind;
    int64_t percentile;
    double limit;
} good[] = {
    {"p99<20ms", SLO_PERCENTILE, 99 * PERCENT, 20},
    {"p99.9<1.5s", SLO_PERCENTILE, 99900000, 1500},
    {"p50<250us", SLO_PERCENTILE, 50 * PERCENT, 0.25},
    {"p100<7ns", SLO_PERCENTILE, 100 * PERCENT, 7e-6},
    {"mean<5ms", SLO_MEAN, 0, 5},
    {"max<1s", SLO_MAXIMUM, 0, 1000},
    {"errors<0.1%", SLO_ERRORS, 0, 0.1},
    {"errors<100%", SLO_ERRORS, 0, 100},
    {"throughput>500", SLO_THROUGHPUT, 0, 500},
    {"throughput>0.5/s", SLO_THROUGHPUT, 0, 0.5},
    {"throughput>1.5k", SLO_THROUGHPUT, 0, 1500},
    {"throughput>2M/s", SLO_THROUGHPUT, 0, 2e6},
    {"p99<2m", SLO_PERCENTILE, 99 * PERCENT, 120e3},
    {"max<1h", SLO_MAXIMUM, 0, 3600e3},
    {"payment:p90<5s", SLO_PERCENTILE, 90 * PERCENT, 5000},
    {"a.B_c-1:throughput>5", SLO_THROUGHPUT, 0, 5},
    {"recall>0.95", SLO_QUALITY, 0, 0.95},
    {"staleness.p99<500ms", SLO_PERCENTILE, 99 * PERCENT, 500},
    {"staleness.max<=2s", SLO_MAXIMUM, 0, 2000},
    {"distance_2<7", SLO_QUALITY, 0, 7},
    {"precision>=1", SLO_QUALITY, 0, 1},
};

START_TEST(good_objective)
{
    ck_assert_ptr_null(slo_check(good[_i].text));
    slo_parse(&slo, good[_i].text);
    ck_assert_uint_eq(slo.count, 1);
    ck_assert_int_eq(slo.objective[0].kind, good[_i].kind);
    ck_assert_int_eq(slo.objective[0].percentile, good[_i].percentile);
    ck_assert_double_eq_tol(slo.objective[0].limit, good[_i].limit, 1e-12 * good[_i].limit);
    ck_assert_str_eq(slo.objective[0].text, good[_i].text);
}
END_TEST

static const char many_digits[] = "p99<0.00000000000000000000000000000000000000000000000000000"
                                  "00000000000000000000000000000000000001ms";

static const char *const bad[] = {
    "",
    ",",
    "p99<20ms,",
    ",p99<20ms",
    "p99",
    "p99<",
    "p99<20",
    "p99<ms",
    "p99<0ms",
    "p99<-1ms",
    "p99<+1ms",
    "p99<1e3ms",
    "p99>20ms",
    "p<20ms",
    "p0<20ms",
    "p101<20ms",
    "p99.<20ms",
    "p99,9<20ms",
    "P99<20ms",
    "99<20ms",
    "mean<5",
    "mean>5ms",
    "avg<5ms",
    "max<0x10ms",
    "max<nanms",
    "max<infs",
    "errors<0.1",
    "errors<0%",
    "errors<101%",
    "errors>1%",
    "errors<1%%",
    "throughput<5",
    "throughput>",
    "throughput>5%",
    "throughput>5/m",
    "p99<20ms;mean<5ms",
    "p99<20ms,p99.0<30ms",
    "errors<1%,errors<2%",
    "p99<1.2.3ms",
    "p99<999999999999999s",
    "p99<1000000001s",
    "p 99<20ms",
    "p9 9<20ms",
    "p99<2 0ms",
    "p99<20m s",
    "p99=<20ms",
    "p99<==20ms",
    "p99<=",
    "p99<20 000ms",
    "max<1d",
    "errors<=0%",
    "throughput>1m",
    "throughput>1ks",
    ":p99<20ms",
    "a:",
    "a b:p99<20ms",
    "a:b:p99<20ms",
    "a/b:p99<20ms",
    "a:p99<20ms,a:p99<30ms",
    "abcdefghijklmnopqrstuvwxyz789012:p99<20ms",
    "recall>0.95%",
    "staleness.errors<1%",
    "staleness.throughput>5",
    "staleness.a:p99<5ms",
    "staleness.recall>1",
    "staleness<5ms",
    "staleness.p99<5ms,staleness.p99<6ms",
    "recall>0.95ms",
    "recall>0",
    "Recall>1",
    "9>1",
    "a:recall>1",
    "thoughput>5",
    "recall>0.5,recall>0.6",
    "abcdefghijklmnopqrstuvwxyz789012>1",
    "tpcc>1",
    "tpcc,tpcc",
    "tpc",
    many_digits,
};

START_TEST(bad_objective)
{
    ck_assert_msg(slo_check(bad[_i]) != NULL, "'%s' was taken", bad[_i]);
    slo_parse(&slo, bad[_i]);
    ck_assert_uint_eq(slo.count, 0);
}
END_TEST

static const struct {
    const char *text, *plain;
    bool or_equal;
} spaced[] = {
    {"p99 < 20 ms", "p99<20ms", false},
    {"  p99<20ms\t", "p99<20ms", false},
    {"p99<=20ms", "p99<=20ms", true},
    {"p99.9 <= 1.5 s", "p99.9<=1.5s", true},
    {"errors <= 1 %", "errors<=1%", true},
    {"throughput >= 1.5k /s", "throughput>=1.5k/s", true},
};

START_TEST(blanks_and_equality)
{
    ck_assert_ptr_null(slo_check(spaced[_i].text));
    slo_parse(&slo, spaced[_i].text);
    ck_assert_uint_eq(slo.count, 1);
    ck_assert_str_eq(slo.objective[0].text, spaced[_i].plain);
    ck_assert(slo.objective[0].or_equal == spaced[_i].or_equal);
}
END_TEST

START_TEST(quality_figures)
{
    slo_parse(&slo, "p99<1s,staleness.p99<2s");
    ck_assert_uint_eq(slo.count, 2);
    ck_assert(!slo.objective[0].of_staleness && slo.objective[1].of_staleness);
    ck_assert_double_eq(slo_shortest_ms(&slo), 1000);
    char *text = slo_text(&slo, 1);
    ck_assert_str_eq(text, "p99<1000.000000000ms,staleness.p99<2000.000000000ms");
    free(text);
    slo_parse(&slo, "recall>0.9,recall<1,error_px<=3");
    ck_assert_uint_eq(slo.count, 3);
    ck_assert_str_eq(slo.objective[0].quality, "recall");
    ck_assert(slo.objective[0].above && !slo.objective[1].above && !slo.objective[2].above);
    ck_assert_str_eq(slo_unit(&slo.objective[0]), "");
    char *relaxed = slo_text(&slo, 2);
    ck_assert_str_eq(relaxed, "recall>0.450000000,recall<2.000000000,error_px<=6.000000000");
    ck_assert_ptr_null(slo_check(relaxed));
    free(relaxed);
    ck_assert(slo_quality_name("abcdefghijklmnopqrstuvwxyz78901") && slo_quality_name("pages"));
    ck_assert(!slo_quality_name("p99") && !slo_quality_name("max") && !slo_quality_name("a-b"));
    ck_assert(!slo_quality_name("") && !slo_quality_name("_a"));
    ck_assert(isinf(slo_shortest_ms(&slo)));
}
END_TEST

START_TEST(stricter_quality)
{
    struct slo more;
    slo_parse(&slo, "recall>0.9,error_px<3");
    slo_parse(&more, "recall>0.95,error_px<2");
    ck_assert(slo_add(&slo, &more));
    ck_assert_uint_eq(slo.count, 2);
    ck_assert_str_eq(slo.objective[0].text, "recall>0.95");
    ck_assert_str_eq(slo.objective[1].text, "error_px<2");
}
END_TEST

START_TEST(blanks_after_commas)
{
    slo_parse(&slo, "p99 < 20 ms, errors<0.1%");
    ck_assert_uint_eq(slo.count, 2);
    ck_assert_str_eq(slo.objective[1].text, "errors<0.1%");
}
END_TEST

START_TEST(no_objectives)
{
    slo_parse(&slo, NULL);
    ck_assert_uint_eq(slo.count, 0);
}
END_TEST

START_TEST(text_with_slack)
{
    slo_parse(&slo, "p99.9<=20ms,errors<80%,throughput>100/s");
    char *text = slo_text(&slo, 2);
    ck_assert_str_eq(text, "p99.9<=40.000000000ms,errors<100.000000000%,throughput>50.000000000");
    ck_assert_ptr_null(slo_check(text));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slo");
    TCase *tcase = tcase_create("slo");
    tcase_add_loop_test(tcase, good_objective, 0, ARRAY_SIZE(good));
    tcase_add_loop_test(tcase, bad_objective, 0, ARRAY_SIZE(bad));
    tcase_add_loop_test(tcase, blanks_and_equality, 0, ARRAY_SIZE(spaced));
    tcase_add_test(tcase, quality_figures);
    tcase_add_test(tcase, stricter_quality);
    tcase_add_test(tcase, blanks_after_commas);
    tcase_add_test(tcase, no_objectives);
    tcase_add_test(tcase, text_with_slack);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
