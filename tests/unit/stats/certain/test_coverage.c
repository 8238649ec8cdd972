/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates runs whose true mean and percentiles are known, and counts how often the 95 % intervals
 * of the report contain them. Prints the table of docs/definitions.md, which is from 2000 runs of
 * each case:
 *
 *     SYSRATE_COVERAGE_RUNS=2000 build/tests/unit/stats/certain/test_coverage
 */
#include "../../suite.h"

#include <stdio.h>

#include "base/util.h"
#include "simulated.h"
#include "stats/certain/batch_series.h"

/* The simulation has one thread. A sanitizer, under which it takes many times as long, executes a
 * part of it and does not judge the shares. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RUNS 10
#define JUDGED false
#else
#define RUNS 400
#define JUDGED true
#endif
#define FIGURES 5
#define MEAN (-1)

struct kase {
    const char *name;
    enum simulated_kind kind;
    double load;
    unsigned requests, batches;
};

static const struct kase kases[] = {
    {"independent, exponential", SIMULATED_EXPONENTIAL, 0, 20000, 40},
    {"independent, exponential", SIMULATED_EXPONENTIAL, 0, 20000, 200},
    {"independent, lognormal (σ = 1)", SIMULATED_LOGNORMAL, 0, 20000, 40},
    {"independent, Pareto (α = 3)", SIMULATED_PARETO, 0, 20000, 40},
    {"autoregressive, 0.8 from one request to the next", SIMULATED_CHAIN, 0.8, 20000, 40},
    {"autoregressive, 0.95", SIMULATED_CHAIN, 0.95, 20000, 40},
    {"autoregressive, 0.95", SIMULATED_CHAIN, 0.95, 20000, 200},
    {"M/M/1 at a utilization of 0.5", SIMULATED_QUEUE, 0.5, 20000, 40},
    {"M/M/1 at 0.8", SIMULATED_QUEUE, 0.8, 20000, 40},
    {"M/M/1 at 0.8", SIMULATED_QUEUE, 0.8, 20000, 200},
    {"M/M/1 at 0.9", SIMULATED_QUEUE, 0.9, 40000, 40},
    {"M/M/1 at 0.9", SIMULATED_QUEUE, 0.9, 200000, 200},
    {"M/M/4 at 0.8", SIMULATED_SERVERS, 0.8, 12000, 40},
    {"M/M/4 at 0.8", SIMULATED_SERVERS, 0.8, 32000, 40},
    {"M/M/4 at 0.8", SIMULATED_SERVERS, 0.8, 64000, 200},
    {"recorded on PostgreSQL", SIMULATED_RECORDED, 0, 20000, 40},
    {"recorded on PostgreSQL", SIMULATED_RECORDED, 0, 20000, 200},
};

/* Response times in ms of 40 000 successive requests of a run at a rate (recorded.txt says which).
 */
#define RECORDED 40000
static double recorded[RECORDED], sorted[RECORDED];
static unsigned place[RECORDED],
    rank[RECORDED]; /* the place of each rank, the rank of each place */

static int by_value(const void *a, const void *b)
{
    const double x = recorded[*(const unsigned *)a], y = recorded[*(const unsigned *)b];
    return (x > y) - (x < y);
}

static void read_recorded(void)
{
    char path[4096], line[256];
    unsigned count = 0;
    const char *dir = getenv("TESTS_DIR");
    snprintf(path, sizeof(path), "%s/unit/stats/certain/recorded.txt", dir != NULL ? dir : "tests");
    FILE *in = fopen(path, "r");
    ck_assert_msg(in != NULL, "cannot open %s; set TESTS_DIR", path);
    while (fgets(line, sizeof(line), in) != NULL)
        if (line[0] != '#' && count < RECORDED)
            recorded[count++] = strtod(line, NULL);
    fclose(in);
    ck_assert_uint_eq(count, RECORDED);
    for (unsigned i = 0; i < RECORDED; i++)
        place[i] = i;
    qsort(place, RECORDED, sizeof(*place), by_value);
    for (unsigned i = 0; i < RECORDED; i++) {
        sorted[i] = recorded[place[i]];
        rank[place[i]] = i;
    }
}

static const int64_t figures[FIGURES] = {MEAN, 50 * PERCENT, 95 * PERCENT, 99 * PERCENT,
                                         99 * PERCENT + 9 * PERCENT / 10};

struct tally {
    unsigned hits, unknown;
};

static void simulate(struct simulated *s, const struct kase *k, struct batch_series *b,
                     struct distribution *all, struct distribution *part)
{
    distribution_reset(all);
    batch_series_init(b, 0, 0);
    simulated_start(s);
    for (int64_t i = 1; i <= k->batches; i++) {
        distribution_reset(part);
        for (unsigned j = 0; j < k->requests / k->batches; j++)
            distribution_record(part, (int64_t)(1e6 * simulated_next(s)));
        batch_series_add(b, i, part);
        distribution_add(all, part);
    }
}

static void count(const struct simulated *s, const struct batch_series *b,
                  const struct distribution *all, struct tally *tally)
{
    for (unsigned f = 0; f < FIGURES; f++) {
        const struct confidence c = figures[f] == MEAN
                                        ? batch_series_mean(b, all)
                                        : batch_series_percentile(b, all, figures[f]);
        const double share = (double)figures[f] / (1e2 * PERCENT);
        const double truth =
            1e6 * (figures[f] == MEAN ? simulated_mean(s) : simulated_quantile(s, share));
        tally[f].unknown += !c.known;
        tally[f].hits += c.known && (double)c.low_ns <= truth && truth <= (double)c.high_ns;
    }
}

static unsigned runs_asked(void)
{
    const char *runs = getenv("SYSRATE_COVERAGE_RUNS");
    return runs != NULL ? (unsigned)strtoul(runs, NULL, 10) : RUNS;
}

static void print_row(const struct kase *k, const struct tally *tally, unsigned runs)
{
    printf("| %s | %u, %u |", k->name, k->requests, k->batches);
    for (unsigned f = 0; f < FIGURES; f++) {
        const unsigned known = runs - tally[f].unknown;
        const double covered = 1e2 * tally[f].hits / fmax(1, known);
        if (known < 0.05 * runs)
            printf(" not known |");
        else if (known == runs)
            printf(" %.1f |", covered);
        else
            printf(" %.1f (%.1f) |", covered, 1e2 * tally[f].unknown / runs);
    }
    printf("\n");
    fflush(stdout);
}

/* Returns the largest share of wrong intervals among `known` ones. A share of 7 % (a coverage of 93
 * %) is accepted as the error of the method. Chance exceeds it by more than 3.8 standard errors in
 * fewer than 1 of 10 000 rows. */
static double most_wrong(unsigned known)
{
    return 0.07 + 3.8 * sqrt(0.07 * 0.93 / fmax(1, known));
}

/*
 * A wrong interval does not contain the truth. Of the intervals of a figure that at least half of
 * the runs know, 3 to 7 % may be wrong, of other figures, at most 7 % of the runs. At 3 %, fewer
 * than 0.25 % (1 of 400) are wrong in fewer than 1 of 10 000 rows; only figures that nearly all
 * runs know must reach this. Percentiles above p95, which lower ones may make wider than necessary,
 * must be wrong in at least one run: of 400, at 2.5 %, none is in fewer than 1 of 10 000 rows.
 */
static void check_row(const struct kase *k, const struct tally *tally, unsigned runs)
{
    for (unsigned f = 0; f < FIGURES; f++) {
        const unsigned known = runs - tally[f].unknown, wrong = known - tally[f].hits;
        const unsigned of = 2 * known >= runs ? known : runs;
        ck_assert_msg(wrong <= most_wrong(of) * of, "%s, figure %u: %u of %u wrong", k->name, f,
                      wrong, of);
        if (known > 0.98 * runs)
            ck_assert_msg(wrong > (figures[f] <= 95 * PERCENT ? 0.0025 * runs : 0),
                          "%s, figure %u: %u wrong", k->name, f, wrong);
    }
}

START_TEST(intervals_contain_the_truth)
{
    const struct kase *k = &kases[_i];
    const unsigned runs = runs_asked();
    struct simulated s = {
        .kind = k->kind, .load = k->load, .rank = rank, .sorted = sorted, .count = RECORDED};
    struct tally tally[FIGURES] = {{0}};
    struct distribution all, part;
    distribution_init(&all);
    distribution_init(&part);
    if (k->kind == SIMULATED_RECORDED)
        read_recorded();
    rand_stream_init(&s.stream, suite_seed(7), RAND_WORKLOAD, (unsigned)_i);
    for (unsigned run = 0; run < runs; run++) {
        struct batch_series b;
        simulate(&s, k, &b, &all, &part);
        count(&s, &b, &all, tally);
        batch_series_fini(&b);
    }
    print_row(k, tally, runs);
    if (JUDGED)
        check_row(k, tally, runs);
    distribution_fini(&all);
    distribution_fini(&part);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("coverage");
    TCase *tcase = tcase_create("coverage");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, intervals_contain_the_truth, 0, ARRAY_SIZE(kases));
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
