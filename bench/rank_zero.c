/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the work of rank 0 in a run of many ranks, with simulated messages of the other ranks.
 * Each second rank 0 receives a message of every rank, adds up their figures and presents one
 * interval. At the end it receives their results.
 *
 *     rank_zero RANKS REQUESTS SECONDS
 *
 * REQUESTS is the number of requests of each rank per second. Prints, separated by blanks: size of
 * a
 * rank's message in kB; CPU time of a rank to make a message in ms; CPU time of rank 0 to receive,
 * add and present one rank's part of an interval in ms; memory of rank 0 then in MB; size of a
 * rank's
 * result in kB; CPU time in ms and memory in MB that rank 0 needs to read one result; number of
 * results that were read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ranks/spool.h"
#include "ranks/team/team_root.h"
#include "ranks/team/team_tick.h"
#include "result/ranks.h"

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Returns the resident memory of this process. */
static double memory_mb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Records one second of a rank: exponentially distributed response times with a mean of 5 ms. */
static void fill(struct snapshot *s, long requests)
{
    for (long i = 0; i < requests; i++)
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_record(&s->metric[m], (int64_t)(-5e6 * log(drand48())) + 1);
    s->counter[COUNTER_EVENT] = (uint64_t)requests;
    s->offered = (uint64_t)requests;
}

static void make_tick(long requests, int64_t until_ns, struct bytes *out, double *took_ms)
{
    struct tick tick;
    tick_init(&tick);
    fill(&tick.phase[PHASE_MEASURED], requests);
    tick.until_ns = until_ns;
    tick.threads = 4;
    const double began_ms = cpu_ms();
    tick_encode(&tick, out);
    *took_ms += cpu_ms() - began_ms;
    tick_fini(&tick);
}

static void ignore(void *self, const struct interval *interval, const json_t *value)
{
    (void)self;
    (void)interval;
    (void)value;
}

/* Measures `seconds` intervals of all ranks and prints the first four figures. */
static void intervals(unsigned ranks, long requests, long seconds)
{
    static const struct output_ops ops = {.interval = ignore};
    struct settings settings = {.threads = 4 * ranks, .report_interval_ns = NS_PER_SEC};
    struct crew crew = {.world = {.ranks = ranks}, .mates = xcalloc(ranks, sizeof(*crew.mates))};
    struct outputs outputs = {0};
    struct root root;
    double took_ms = 0, made_ms = 0;
    size_t size = 0;
    outputs.output[outputs.count++].ops = &ops;
    const struct presenter presenter = {.settings = &settings, .outputs = &outputs};
    root_init(&root, &crew, &presenter);
    root_begin(&root, 1000 * NS_PER_SEC);
    for (long s = 1; s <= seconds; s++) {
        struct bytes bytes = {0};
        make_tick(requests, s * NS_PER_SEC, &bytes, &made_ms);
        size = bytes.count;
        const double began_ms = cpu_ms();
        for (unsigned r = 0; r < ranks; r++) {
            root_take_tick(&root, r, bytes.data, bytes.count);
            crew.mates[r].heard_ns = root.start_ns + s * NS_PER_SEC;
        }
        root_step(&root, root.start_ns + s * NS_PER_SEC + 1);
        took_ms += cpu_ms() - began_ms;
        bytes_fini(&bytes);
    }
    printf("%.1f %.3f %.3f %.1f", (double)size / 1e3, made_ms / (double)seconds,
           took_ms / (double)seconds / ranks, memory_mb());
    root_fini(&root);
    free(crew.mates);
}

static void results(unsigned ranks, long requests)
{
    struct bytes bytes = {0};
    struct rank_result own;
    rank_result_init(&own);
    own.settings = (struct settings){.threads = 4, .rank = {0, ranks, 4 * ranks, 0}};
    own.result.settings = &own.settings;
    fill(&own.result.total.snapshot, requests);
    struct spool *spools = xcalloc(ranks, sizeof(*spools));
    spool_put_head(&bytes, &own, "{}");
    spool_put_result(&bytes, &own.result);
    const double before_mb = memory_mb(), began_ms = cpu_ms();
    unsigned taken = 0;
    for (unsigned r = 0; r < ranks; r++)
        taken += spool_read(&spools[r], &bytes) == 0;
    printf(" %.1f %.3f %.2f %u\n", (double)bytes.count / 1e3, (cpu_ms() - began_ms) / ranks,
           (memory_mb() - before_mb) / ranks, taken);
    for (unsigned r = 0; r < ranks; r++)
        spool_fini(&spools[r]);
    free(spools);
    bytes_fini(&bytes);
    rank_result_fini(&own);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: rank_zero RANKS REQUESTS SECONDS\n");
        return 2;
    }
    const unsigned ranks = (unsigned)atoi(argv[1]);
    srand48(7);
    intervals(ranks, atol(argv[2]), atol(argv[3]));
    results(ranks, atol(argv[2]));
    return 0;
}
