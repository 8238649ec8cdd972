/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates experiments of `sysrate ab` whose true difference is known, with the functions that judge real ones, and
 * compares with `sysrate compare` on runs that are not in pairs:
 *
 *     ab_truth [ALARMS [FINDS]]    numbers of experiments without and with a difference; default: 400 200
 *     ab_truth --measured FILE     experiments with blocks that were measured (ab_measured.py)
 *
 * A block has 1000 requests. The response time of a request is the level of the machine times a lognormal number, and in
 * 2 % of the requests 8 times as long. Half of the variance of the logarithm is that of the request, which both blocks of a
 * pair share. The level drifts from block to block, by a random walk and a wave of 40 blocks. Seeds are fixed.
 *
 * Each line of FILE has p95 of both blocks of a pair. An experiment of ab draws pairs from the file, with replacement, and
 * one of compare draws blocks of A and of B, independently of each other.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rand_stream.h"
#include "base/util.h"
#include "tools/ab/ab_figure.h"
#include "tools/compare/compare_effect.h"

#define REQUESTS 1000
#define PAIRS 50
#define MEASURED_PAIRS 400 /* of an experiment with measured blocks */
#define SIGMA 0.5 /* standard deviation of the logarithm of a response time */
#define SLOW 0.02 /* share of slow requests */
#define SLOW_FACTOR 8

enum { MEAN, P50, P95, P99, FIGURES };
static const char *const names[FIGURES] = {"mean", "p50", "p95", "p99"};

/* How the level of the machine changes. */
struct drift {
    const char *name;
    double step; /* standard deviation of the random walk, for each block */
    double wave; /* amplitude of the wave */
};

/* Blocks that were measured: p95 of A and of B in each pair. */
#define MEASURED_MAX 1000
struct measured {
    double p95[2][MEASURED_MAX];
    size_t pairs;
};

struct machine {
    const struct measured *measured; /* NULL: blocks are simulated */
    struct rand_stream stream;
    struct drift drift;
    double walk;
    unsigned block;
};

struct block {
    double figure[FIGURES];
};

static double draw_normal(struct rand_stream *stream)
{
    const double length = sqrt(2 * rand_stream_exponential(stream));
    return length * cos(2 * M_PI * rand_stream_double(stream));
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs a block of a variant whose times are `factor` times as long. */
static struct block run_block(struct machine *m, uint64_t seed, double factor)
{
    double time[REQUESTS], sum = 0;
    struct rand_stream requests;
    rand_stream_init(&requests, seed, RAND_SERVICE, 0);
    m->walk += m->drift.step * draw_normal(&m->stream);
    const double level = m->walk + m->drift.wave * sin(2 * M_PI * m->block++ / 40);
    for (size_t i = 0; i < REQUESTS; i++) {
        const double shared = draw_normal(&requests), own = draw_normal(&m->stream);
        time[i] = exp(level + SIGMA * M_SQRT1_2 * (shared + own));
        if (rand_stream_double(&requests) < SLOW)
            time[i] *= SLOW_FACTOR;
        time[i] *= factor;
        sum += time[i];
    }
    qsort(time, REQUESTS, sizeof(*time), by_value);
    return (struct block){{sum / REQUESTS, time[REQUESTS / 2 - 1], time[REQUESTS * 95 / 100 - 1],
                           time[REQUESTS * 99 / 100 - 1]}};
}

/* Where the blocks of an experiment come from. */
struct source {
    struct drift drift;
    const struct measured *measured; /* NULL: blocks are simulated */
};

static void init_machine(struct machine *m, const struct source *source, unsigned experiment)
{
    *m = (struct machine){.drift = source->drift, .measured = source->measured};
    rand_stream_init(&m->stream, 1, RAND_WORKLOAD, experiment);
}

static struct block draw_block(struct machine *m, int variant, size_t pair)
{
    struct block block;
    for (int f = 0; f < FIGURES; f++)
        block.figure[f] = m->measured->p95[variant][pair];
    return block;
}

static void draw_pair(struct machine *m, struct ab_figure *figure)
{
    const size_t pair = rand_stream_below(&m->stream, m->measured->pairs);
    for (int f = 0; f < FIGURES; f++)
        ab_figure_add(&figure[f], m->measured->p95[0][pair], m->measured->p95[1][pair]);
}

static void run_pair(struct machine *m, bool b_first, double factor,
                     struct ab_figure *figure)
{
    if (m->measured != NULL) {
        draw_pair(m, figure);
        return;
    }
    struct block block[2];
    const uint64_t seed = rand_stream_u64(&m->stream);
    for (int turn = 0; turn < 2; turn++) {
        const int k = turn ^ b_first;
        block[k] = run_block(m, seed, k == 1 ? factor : 1);
    }
    for (int f = 0; f < FIGURES; f++)
        ab_figure_add(&figure[f], block[0].figure[f], block[1].figure[f]);
}

/* Result of an experiment, and the number of pairs after which it ended. */
struct outcome {
    enum ab_result result;
    size_t pairs;
};

/* Asks for `precision` percent of all figures, or only of p95. */
static struct outcome experiment(const struct source *source, unsigned number, double factor,
                                 double precision, bool only_p95)
{
    struct ab_figure figure[FIGURES] = {{0}};
    struct machine m;
    struct outcome o = {AB_UNDECIDED, 0};
    bool b_first = false;
    init_machine(&m, source, number);
    for (int f = 0; f < FIGURES; f++)
        figure[f] = (struct ab_figure){
            .name = names[f], .unit = "ms", .precision = only_p95 && f != P95 ? 0 : precision};
    const size_t most = source->measured != NULL ? MEASURED_PAIRS : PAIRS;
    while (o.result == AB_UNDECIDED && o.pairs < most) {
        b_first = o.pairs % 2 == 0 ? rand_stream_u64(&m.stream) >> 63 : !b_first;
        run_pair(&m, b_first, factor, figure);
        if (++o.pairs % 2 == 0)
            o.result = ab_figures_judge(figure, FIGURES, o.pairs);
    }
    for (int f = 0; f < FIGURES; f++)
        ab_figure_fini(&figure[f]);
    return o;
}

/* Returns true if compare finds the difference of p95 in runs that are not in pairs, `runs` of each variant in random
 * order, at the same error probability. */
static bool compare_finds(const struct source *source, unsigned number, double factor, size_t runs)
{
    struct effect_value *value[2];
    struct effect_side side[2];
    struct run_effect effect;
    struct machine m;
    size_t count[2] = {0, 0};
    init_machine(&m, source, number);
    for (int k = 0; k < 2; k++) {
        value[k] = xcalloc(runs, sizeof(**value));
        side[k] = (struct effect_side){value[k], runs};
    }
    while (count[0] + count[1] < 2 * runs) {
        const size_t left = 2 * runs - count[0] - count[1];
        const int k = rand_stream_below(&m.stream, left) >= runs - count[0];
        const struct block block =
            m.measured != NULL
                ? draw_block(&m, k, rand_stream_below(&m.stream, m.measured->pairs))
                : run_block(&m, rand_stream_u64(&m.stream), k == 1 ? factor : 1);
        value[k][count[k]++] = (struct effect_value){log(block.figure[P95]), {INFINITY, 1}};
    }
    effect_estimate(&effect, &side[0], &side[1], false);
    effect_span(&effect, &side[0], &side[1], false, AB_CHANCE);
    free(value[0]);
    free(value[1]);
    return effect.low > 0;
}

/* Returns the number of runs of each variant with which compare finds 95 % of the differences. */
static size_t runs_of_compare(const struct source *source, double factor, unsigned experiments)
{
    for (size_t runs = 4; runs < 1000; runs += (runs + 9) / 10) {
        unsigned found = 0;
        for (unsigned i = 0; i < experiments; i++)
            found += compare_finds(source, i, factor, runs);
        if (found >= experiments * 95 / 100)
            return runs;
    }
    return 0;
}

static void print_alarms(const struct source *source, unsigned experiments)
{
    unsigned alarms = 0;
    for (unsigned i = 0; i < experiments; i++)
        alarms += experiment(source, i, 1, 1e-9, false).result != AB_UNDECIDED;
    printf("| %-20s | no difference, four figures asked, %u looks each | wrong alarms: %.1f %% of "
           "%u | |\n",
           source->drift.name, PAIRS / 2 - 1, 100.0 * alarms / experiments, experiments);
}

static void print_finds(const struct source *source, unsigned experiments)
{
    const size_t runs = runs_of_compare(source, 1.05, experiments);
    char compare[32] = "more than 900 runs each";
    if (runs > 0)
        snprintf(compare, sizeof(compare), "%zu runs each", runs);
    for (int only_p95 = source->measured != NULL; only_p95 < 2; only_p95++) {
        unsigned found = 0;
        size_t pairs = 0;
        for (unsigned i = 0; i < experiments; i++) {
            const struct outcome o = experiment(source, 10000 + i, 1.05, 2, only_p95);
            found += o.result == AB_WORSE;
            pairs += o.pairs;
        }
        printf("| %-20s | B 5 %% slower, %s asked | found: %.1f %% of %u, after %.1f pairs | "
               "compare, p95 only: %s |\n",
               source->drift.name, only_p95 ? "p95" : "four figures", 100.0 * found / experiments,
               experiments, (double)pairs / experiments, compare);
    }
}

/* Returns false if the file cannot be read or has a line that is no pair. */
static bool read_measured(struct measured *m, const char *path)
{
    FILE *file = fopen(path, "r");
    int fields = 2;
    while (file != NULL && m->pairs < MEASURED_MAX &&
           (fields = fscanf(file, "%lf %lf", &m->p95[0][m->pairs], &m->p95[1][m->pairs])) == 2)
        m->pairs++;
    if (file != NULL)
        fclose(file);
    return fields == EOF && m->pairs > 1;
}

static int judge_measured(const char *path)
{
    static struct measured measured;
    if (!read_measured(&measured, path)) {
        fprintf(stderr, "ab_truth: '%s' has no pairs of numbers\n", path);
        return 1;
    }
    const struct source source = {{"measured", 0, 0}, &measured};
    double sum = 0;
    for (size_t i = 0; i < measured.pairs; i++)
        sum += log(measured.p95[1][i] / measured.p95[0][i]);
    printf("%zu pairs, mean difference of p95: %.1f %%\n", measured.pairs,
           100 * expm1(sum / (double)measured.pairs));
    print_finds(&source, 200);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct drift drifts[] = {{"no drift", 0, 0},
                                          {"walk 1 %, wave 5 %", 0.01, 0.05},
                                          {"walk 3 %, wave 10 %", 0.03, 0.1}};
    if (argc == 3 && strcmp(argv[1], "--measured") == 0)
        return judge_measured(argv[2]);
    const unsigned alarms = argc > 1 ? (unsigned)atoi(argv[1]) : 400;
    const unsigned finds = argc > 2 ? (unsigned)atoi(argv[2]) : 200;
    for (size_t i = 0; i < ARRAY_SIZE(drifts); i++) {
        const struct source source = {drifts[i], NULL};
        print_alarms(&source, alarms);
        print_finds(&source, finds);
        fflush(stdout);
    }
    return 0;
}
