/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests conditions, and complete comparisons of simulated queues: how often two runs with the same
 * settings are called different, and how often two that differ.
 */
#include "../../suite.h"

#include <string.h>
#include <unistd.h>

#include "../../capture.h"
#include "base/rand.h"
#include "tools/compare/compare.h"
#include "tools/selftest/queue_sim.h"

/* For thousands of pairs: SYSRATE_TEST_PAIRS=4000 tests/unit/tools/compare/test_compare */
#define PAIRS 40

/* Tests of conditions. */

START_TEST(conditions_are_read)
{
    static const char *const bad[] = {"",          "p99",         "p99>",    ">+10%",
                                      "p99>10",    "p99>-10%",    "p99<10%", "p99<+10%",
                                      "p99>+1e1%", "p99>+%",      "p99=+5%", "p99>+5%x",
                                      "p99>>5%",   "p99>+1.2.3%", "p99> 5%", "p99>+nan%"};
    struct compare_condition condition;
    ck_assert_int_eq(compare_condition_parse(&condition, "p99.9>+12.5%"), 0);
    ck_assert_str_eq(condition.figure, "p99.9");
    ck_assert_double_eq(condition.percent, 12.5);
    free(condition.figure);
    ck_assert_int_eq(compare_condition_parse(&condition, "throughput<-0%"), 0);
    ck_assert(signbit(condition.percent));
    free(condition.figure);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(compare_condition_parse(&condition, bad[i]) != 0, "%s", bad[i]);
}
END_TEST

static struct comparison comparison_of(double a, double b, double noise)
{
    return (struct comparison){
        .a = a, .b = b, .effect = {b - a, {0}, b - a - noise, b - a + noise}};
}

static enum compare_result judged(double percent, double a, double b, double noise)
{
    struct compare_condition condition = {.percent = percent};
    struct comparison c = comparison_of(a, b, noise);
    return compare_condition_judge(&condition, &c);
}

START_TEST(conditions_need_both_limit_and_noise)
{
    ck_assert_int_eq(judged(10, 100, 112, 5), COMPARE_DIFFERENT);
    ck_assert_int_eq(judged(10, 100, 109, 5), COMPARE_SAME);
    ck_assert_int_eq(judged(10, 100, 112, 15), COMPARE_SAME);
    ck_assert_int_eq(judged(10, 100, 80, 5), COMPARE_SAME);
    ck_assert_int_eq(judged(-10, 100, 88, 5), COMPARE_DIFFERENT);
    ck_assert_int_eq(judged(-10, 100, 112, 5), COMPARE_SAME);
    ck_assert_int_eq(judged(-0.0, 100, 99, 0.5), COMPARE_DIFFERENT);
    ck_assert_int_eq(judged(10, 0, 1, 0.5), COMPARE_DIFFERENT);
    ck_assert_int_eq(judged(10, 100, 112, INFINITY), COMPARE_UNKNOWN);
}
END_TEST

/* Large noise may hide a change beyond the limit, unless the noise is smaller than the limit. */
static const struct {
    double percent, b, noise;
    enum compare_result result;
} hidden[] = {
    {10, 120, 30, COMPARE_UNKNOWN},   {10, 79, 30, COMPARE_SAME},
    {10, 140, 30, COMPARE_DIFFERENT}, {10, 81, 30, COMPARE_UNKNOWN},
    {40, 120, 30, COMPARE_SAME},      {-10, 80, 30, COMPARE_UNKNOWN},
    {-10, 121, 30, COMPARE_SAME},     {-10, 119, 30, COMPARE_UNKNOWN},
    {-10, 60, 30, COMPARE_DIFFERENT},
};

START_TEST(wide_noise_leaves_conditions_open)
{
    struct compare_condition condition = {.percent = hidden[_i].percent};
    struct comparison c = comparison_of(100, hidden[_i].b, hidden[_i].noise);
    c.is_noisy = true;
    ck_assert_int_eq(compare_condition_judge(&condition, &c), hidden[_i].result);
}
END_TEST

/* If a figure of A is a lower bound, the true change may be smaller; if a figure of B is one,
 * larger. */
static const struct {
    double percent, b;
    bool a_is_bound, b_is_bound;
    enum compare_result result;
} bounds[] = {
    {10, 120, true, false, COMPARE_UNKNOWN},   {10, 120, false, true, COMPARE_DIFFERENT},
    {10, 80, true, false, COMPARE_SAME},       {10, 80, false, true, COMPARE_UNKNOWN},
    {10, 100.5, false, true, COMPARE_UNKNOWN}, {-10, 80, true, false, COMPARE_DIFFERENT},
    {-10, 80, false, true, COMPARE_UNKNOWN},   {-10, 120, true, false, COMPARE_UNKNOWN},
    {-10, 120, false, true, COMPARE_SAME},     {10, 120, true, true, COMPARE_UNKNOWN},
};

START_TEST(lower_bounds_leave_conditions_open)
{
    struct compare_condition condition = {.percent = bounds[_i].percent};
    struct comparison c = comparison_of(100, bounds[_i].b, 1);
    c.a_is_bound = bounds[_i].a_is_bound;
    c.b_is_bound = bounds[_i].b_is_bound;
    ck_assert_int_eq(compare_condition_judge(&condition, &c), bounds[_i].result);
    if (bounds[_i].result == COMPARE_UNKNOWN)
        ck_assert(compare_condition_hangs_on_a(&condition, &c) ? c.a_is_bound : c.b_is_bound);
}
END_TEST

/* Simulated runs, which are written as reports. */

struct trial {
    struct queue_model model;
    double seconds;
    unsigned intervals;
};

/* Requests that completed in an interval, or in the whole run. */
struct part {
    struct distribution response, service;
};

static void print_times(FILE *out, const char *name, const struct distribution *d)
{
    static const int percentage[] = {50, 95, 99};
    fprintf(out, "\"%s\":{\"count\":%llu,\"mean\":%.9g,\"percentiles\":{", name,
            (unsigned long long)d->count, (double)d->sum_ns / 1e6 / (double)d->count);
    for (size_t i = 0; i < ARRAY_SIZE(percentage); i++)
        fprintf(out, "%s\"p%d\":{\"value\":%.9g}", i > 0 ? "," : "", percentage[i],
                ns_to_ms(distribution_percentile(d, percentage[i] * PERCENT).ns));
    fprintf(out, "}}");
}

static void print_part(FILE *out, const struct part *part, double seconds)
{
    fprintf(out, "\"seconds\":%g,\"counters\":{\"events\":%llu},", seconds,
            (unsigned long long)part->response.count);
    print_times(out, "response_ms", &part->response);
    fprintf(out, ",");
    print_times(out, "service_ms", &part->service);
}

static void print_histogram(FILE *out, const struct distribution *d)
{
    const char *comma = "";
    fprintf(out, ",\"histogram\":{\"response\":[");
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (d->buckets[i] > 0) {
            fprintf(out, "%s[%lld,%llu]", comma, (long long)histogram_lower_ns(i),
                    (unsigned long long)d->buckets[i]);
            comma = ",";
        }
    fprintf(out, "],\"sums\":{\"response\":{\"max_ns\":%lld}}}", (long long)d->max_ns);
}

static void print_report(FILE *out, const struct trial *trial, const struct part *part)
{
    fprintf(out, "{\"schema\":2,\"tool\":{},\"config\":{},\"intervals\":[");
    for (unsigned i = 0; i < trial->intervals; i++) {
        fprintf(out, "%s{", i > 0 ? "," : "");
        print_part(out, &part[i], trial->seconds / trial->intervals);
        fprintf(out, "}");
    }
    fprintf(out, "],\"summary\":{");
    print_part(out, &part[trial->intervals], trial->seconds);
    print_histogram(out, &part[trial->intervals].response);
    fprintf(out, "}}\n");
}

static void record(struct part *part, int64_t response_ns, int64_t service_ns)
{
    distribution_record(&part->response, response_ns);
    distribution_record(&part->service, service_ns);
}

/* The last part is the whole run. */
static void simulate(const struct trial *trial, struct part *part, struct rand_stream *stream)
{
    const struct queue_model *m = &trial->model;
    struct queue_sim sim = {.servers = m->servers};
    for (unsigned i = 0; i <= trial->intervals; i++) {
        distribution_reset(&part[i].response);
        distribution_reset(&part[i].service);
    }
    for (double at = 0; (at += rand_stream_exponential(stream) / m->rate) < trial->seconds;) {
        int64_t arrival_ns = seconds_to_ns(at);
        int64_t service_ns = seconds_to_ns(m->service_s * rand_stream_exponential(stream));
        int64_t end_ns = queue_sim_serve(&sim, arrival_ns, service_ns) + service_ns;
        double interval = ns_to_seconds(end_ns) * trial->intervals / trial->seconds;
        struct part *one = &part[(unsigned)fmin(interval, trial->intervals - 1)];
        record(one, end_ns - arrival_ns, service_ns);
        record(&part[trial->intervals], end_ns - arrival_ns, service_ns);
    }
}

static void write_run(const char *path, const struct trial *trial, struct part *part,
                      struct rand_stream *stream)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    simulate(trial, part, stream);
    print_report(out, trial, part);
    ck_assert_int_eq(fclose(out), 0);
}

/* Returns true if any figure differs. */
static bool differ(const char *a, const char *b)
{
    struct compare compare = {.min_change = 2};
    bool different = false;
    ck_assert_int_eq(compare_side_load(&compare.a, a), 0);
    ck_assert_int_eq(compare_side_load(&compare.b, b), 0);
    compare_figures(&compare);
    ck_assert_uint_eq(compare.count, 9); /* all but wait */
    for (size_t i = 0; i < compare.count; i++)
        different = different || compare.comparison[i].result == COMPARE_DIFFERENT;
    free(compare.comparison);
    compare_side_fini(&compare.a);
    compare_side_fini(&compare.b);
    return different;
}

static unsigned count_different(const struct trial *trial, double change, unsigned pairs)
{
    char a[] = "/tmp/sysrate-compare-a.XXXXXX", b[] = "/tmp/sysrate-compare-b.XXXXXX";
    struct part *part = xcalloc(trial->intervals + 1, sizeof(*part));
    struct trial changed = *trial;
    struct rand_stream stream;
    unsigned different = 0;
    changed.model.service_s *= 1 + change;
    rand_stream_init(&stream, suite_seed(6), RAND_WORKLOAD, 0);
    for (unsigned i = 0; i <= trial->intervals; i++) {
        distribution_init(&part[i].response);
        distribution_init(&part[i].service);
    }
    close(mkstemp(a));
    close(mkstemp(b));
    for (unsigned i = 0; i < pairs; i++) {
        write_run(a, trial, part, &stream);
        write_run(b, &changed, part, &stream);
        different += differ(a, b);
    }
    unlink(a);
    unlink(b);
    for (unsigned i = 0; i <= trial->intervals; i++) {
        distribution_fini(&part[i].response);
        distribution_fini(&part[i].service);
    }
    free(part);
    return different;
}

/* Runs of 60 s: with loads of 50 and 80 %, and with few requests. */
static const struct trial trials[] = {
    {{1000, 2e-3, 4, false}, 60, 60},
    {{1600, 2e-3, 4, false}, 60, 30},
    {{300, 2e-3, 1, false}, 60, 60},
};

static unsigned pairs_wanted(void)
{
    const char *wanted = getenv("SYSRATE_TEST_PAIRS");
    return wanted != NULL ? (unsigned)atoi(wanted) : PAIRS;
}

/* In a long test 0.2 % of the pairs differ; three or more of 40 differ with a probability of 1 in
 * 10 000. */
START_TEST(runs_of_one_setting_are_the_same)
{
    unsigned pairs = pairs_wanted(), different = count_different(&trials[_i], 0, pairs);
    if (pairs != PAIRS)
        printf("%g per s, %u servers: %u of %u pairs differ\n", trials[_i].model.rate,
               trials[_i].model.servers, different, pairs);
    ck_assert_uint_le(different, pairs / 20);
}
END_TEST

/*
 * The mean service time of 18 000 requests, the fewest here, has an error of 0.75 %, and the
 * difference of two of them 1.05 %: 10 % are 9.5 of these errors. The limit is at 3.5 to 5 errors,
 * so a pair is missed only after a rare error of 5; one of ten may be missed.
 */
START_TEST(ten_percent_of_service_are_a_difference)
{
    unsigned pairs = pairs_wanted() / 4, different = count_different(&trials[_i], 0.1, pairs);
    if (pairs != PAIRS / 4)
        printf("%g per s, %u servers, 10 %%: %u of %u pairs differ\n", trials[_i].model.rate,
               trials[_i].model.servers, different, pairs);
    ck_assert_uint_ge(different, pairs - pairs / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tcase = tcase_create("compare");
    tcase_set_timeout(tcase, getenv("SYSRATE_TEST_PAIRS") != NULL ? 0 : 60);
    tcase_add_test(tcase, conditions_are_read);
    tcase_add_test(tcase, conditions_need_both_limit_and_noise);
    tcase_add_loop_test(tcase, wide_noise_leaves_conditions_open, 0, ARRAY_SIZE(hidden));
    tcase_add_loop_test(tcase, lower_bounds_leave_conditions_open, 0, ARRAY_SIZE(bounds));
    tcase_add_loop_test(tcase, runs_of_one_setting_are_the_same, 0, ARRAY_SIZE(trials));
    tcase_add_loop_test(tcase, ten_percent_of_service_are_a_difference, 0, ARRAY_SIZE(trials));
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
