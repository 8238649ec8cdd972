/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/judgement.h"

#include <math.h>
#include <signal.h>

#include "../suite.h"
#include "options/exit_codes.h"

/*
 * A run at an arrival rate that lasted a second in which nothing was recorded, so it is not VALID.
 */

static struct settings settings;
static struct result result;

static void before(void)
{
    settings = (struct settings){.threads = 1, .rate = 100};
    result = (struct result){.settings = &settings, .ending = {.why = END_TIME}};
    snapshot_init(&result.total.snapshot);
    snapshot_init(&result.part.snapshot);
    result.total.snapshot.to_ns = result.total.elapsed_ns = NS_PER_SEC;
}

static void after(void)
{
    result_fini(&result);
}

static int code(void)
{
    return judgement_of(&result).exit_code;
}

static const char *end_name(void)
{
    return judgement_end_name(&result.ending);
}

START_TEST(a_valid_run_exits_with_0)
{
    settings.rate = 0;
    ck_assert_int_eq(code(), EXIT_WELL);
    ck_assert_str_eq(end_name(), "time");
}
END_TEST

START_TEST(each_end_has_a_code_and_a_name)
{
    static const struct {
        struct ending ending;
        int code;
        const char *name;
    } row[] = {
        {{.why = END_EVENTS}, EXIT_WELL, "events"},
        {{.why = END_SCRIPT}, EXIT_WELL, "script"},
        {{.why = END_SLO}, EXIT_WELL, "slo"},
        {{.why = END_ERROR, .failed = true}, EXIT_FAILED, "error"},
        {{.why = END_TIME, .failed = true}, EXIT_FAILED, "time"},
        {{.why = END_QUEUE_FULL}, EXIT_FAILED, "queue_full"},
        {{.why = END_QUEUE_FULL, .signal = SIGINT}, EXIT_FAILED, "queue_full"},
        {{.why = END_SIGNAL, .signal = SIGINT}, EXIT_BY_SIGNAL + SIGINT, "signal"},
        {{.why = END_TIME, .signal = SIGTERM}, EXIT_BY_SIGNAL + SIGTERM, "time"},
        {{.why = END_TIME, .abandoned = true}, EXIT_FORCED, "forced_shutdown"},
        {{.why = END_SCRIPT, .abandoned = true}, EXIT_FORCED, "forced_shutdown"},
        {{.why = END_TIME, .failed = true, .abandoned = true}, EXIT_FAILED, "forced_shutdown"},
        {{.why = END_QUEUE_FULL, .abandoned = true}, EXIT_FAILED, "queue_full"},
        {{.why = END_ERROR, .failed = true, .abandoned = true}, EXIT_FAILED, "error"},
        {{.why = END_SLO, .abandoned = true}, EXIT_FORCED, "slo"},
        {{.why = END_SIGNAL, .abandoned = true, .signal = SIGINT},
         EXIT_BY_SIGNAL + SIGINT,
         "signal"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        result.ending = row[i].ending;
        ck_assert_int_eq(code(), row[i].code);
        ck_assert_str_eq(end_name(), row[i].name);
    }
}
END_TEST

/* The exit code says so only with --strict, at an arrival rate and in a closed loop. */
START_TEST(a_doubtful_run_fails_with_strict)
{
    ck_assert_uint_gt(judgement_of(&result).trust.verdict.count, 0);
    ck_assert_int_eq(code(), EXIT_WELL);
    settings.strict = true;
    ck_assert_int_eq(code(), EXIT_DOUBTFUL);
    settings.rate = 0;
    ck_assert_int_eq(code(), EXIT_DOUBTFUL);
    result.total.requests.offered = 1;
    ck_assert_uint_eq(judgement_of(&result).trust.verdict.count, 0);
    ck_assert_int_eq(code(), EXIT_WELL);
}
END_TEST

START_TEST(an_objective_is_missed)
{
    slo_parse(&settings.slo, "p99<1ms");
    ck_assert(!judgement_of(&result).slo.met);
    ck_assert_int_eq(code(), EXIT_MISSED);
    distribution_record(&result.total.snapshot.metric[METRIC_RESPONSE], NS_PER_US);
    ck_assert(judgement_of(&result).slo.met);
    ck_assert_int_eq(code(), EXIT_WELL);
}
END_TEST

START_TEST(the_most_serious_problem_decides)
{
    slo_parse(&settings.slo, "p99<1ms");
    settings.strict = true;
    ck_assert_int_eq(code(), EXIT_DOUBTFUL);
    result.ending.signal = SIGINT;
    ck_assert_int_eq(code(), EXIT_BY_SIGNAL + SIGINT);
    result.ending.failed = true;
    ck_assert_int_eq(code(), EXIT_FAILED);
}
END_TEST

START_TEST(a_result_that_is_not_presented_fails)
{
    static const int row[][2] = {{EXIT_WELL, EXIT_FAILED},
                                 {EXIT_FAILED, EXIT_FAILED},
                                 {EXIT_MISSED, EXIT_FAILED},
                                 {EXIT_DOUBTFUL, EXIT_FAILED},
                                 {EXIT_BY_SIGNAL + SIGINT, EXIT_BY_SIGNAL + SIGINT}};
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        struct judgement judgement = {.exit_code = row[i][0]};
        ck_assert_int_eq(judgement_exit_code(&judgement, true), row[i][0]);
        ck_assert_int_eq(judgement_exit_code(&judgement, false), row[i][1]);
    }
}
END_TEST

START_TEST(the_cut_follows_from_the_end)
{
    ck_assert_int_eq(judgement_of(&result).trust.evidence.cut, CUT_NONE);
    result.ending.abandoned = true;
    ck_assert_int_eq(judgement_of(&result).trust.evidence.cut, CUT_FORCED);
    result.ending.signal = SIGINT;
    ck_assert_int_eq(judgement_of(&result).trust.evidence.cut, CUT_NONE);
    result.ending.failed = true;
    ck_assert_int_eq(judgement_of(&result).trust.evidence.cut, CUT_ERROR);
}
END_TEST

/* Ages of unfinished requests are part of Little's law: 0.5 s of one request in one second. */
START_TEST(ages_count_in_littles_law)
{
    result.total.requests.age_sum_ns = (double)NS_PER_SEC / 2;
    ck_assert_double_eq_tol(judgement_of(&result).trust.little.by_law, 0.5, 1e-9);
}
END_TEST

START_TEST(a_run_that_ends_in_its_warm_up_has_no_mean)
{
    settings.warmup_ns = 5 * NS_PER_SEC;
    result.total.snapshot.from_ns = result.total.snapshot.to_ns = 5 * NS_PER_SEC;
    result.total.elapsed_ns = 1;
    const struct little little = judgement_of(&result).trust.little;
    ck_assert(!isnan(little.by_law));
    ck_assert_double_eq(little.by_law, 0);
    ck_assert_double_eq(little.in_system, 0);
}
END_TEST

RUN_SUITE_WITH("judgement", 60, before, after, a_valid_run_exits_with_0,
               each_end_has_a_code_and_a_name, a_doubtful_run_fails_with_strict,
               an_objective_is_missed, the_most_serious_problem_decides,
               a_result_that_is_not_presented_fails, the_cut_follows_from_the_end,
               ages_count_in_littles_law, a_run_that_ends_in_its_warm_up_has_no_mean)
