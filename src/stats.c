/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats.h"

#include <math.h>
#include <string.h>

/* What the reporter has already drained of one thread and phase. */
struct drained {
    uint64_t counter[COUNTER_TYPES];
    uint64_t sum_ns[METRIC_TYPES];
    uint64_t departed_ns;
};

struct used {
    uint64_t events, busy_ns;
};

/* Owned by the generator: like a worker's cell, for arrivals. */
struct arrivals {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t offered;
    _Atomic uint64_t dropped;
    _Atomic uint64_t arrived_ns;
    _Atomic uint64_t lag_sum_ns;
    _Atomic int64_t lag_min_ns, lag_max_ns;
};

struct stats {
    unsigned threads;
    unsigned arrays;                 /* min(threads, STATS_ARRAYS) */
    bool timed;
    struct stats_thread *thread;
    struct drained (*drained)[PHASES]; /* one per thread; the reporter's alone */
    struct histogram *histogram[PHASES][METRIC_TYPES]; /* `arrays` long; NULL: not recorded */
    struct histogram *lag[PHASES];
    struct arrivals arrivals[PHASES];
    struct { uint64_t offered, dropped, arrived_ns, lag_sum_ns; } seen[PHASES]; /* drained already */
    struct operations *operations;
    struct used *used;               /* per thread, at the last reset of fairness */
};

static void cell_init(struct stats_cell *cell)
{
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        counter_extremes_init(&cell->min_ns[m], &cell->max_ns[m]);
}

static void thread_init(struct stats *stats, unsigned i)
{
    struct stats_thread *t = &stats->thread[i];
    for (unsigned phase = 0; phase < PHASES; phase++) {
        cell_init(&t->cell[phase]);
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            if (stats->histogram[phase][m] != NULL)
                t->histogram[phase][m] = &stats->histogram[phase][m][i % STATS_ARRAYS];
    }
    operations_join(stats->operations, i, &t->operations);
    stats_enter(t, PHASE_MEASURED);
}

static void phase_init(struct stats *stats, enum phase phase)
{
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        if (stats->timed || m == METRIC_RESPONSE || m == METRIC_FAILED)
            stats->histogram[phase][m] = histogram_create(stats->arrays);
    stats->lag[phase] = histogram_create(1);
    counter_extremes_init(&stats->arrivals[phase].lag_min_ns, &stats->arrivals[phase].lag_max_ns);
}

static void *cache_aligned_calloc(size_t bytes)
{
    /* aligned_alloc() wants a multiple of the alignment; the structs are padded to one. */
    return memset(checked_alloc(aligned_alloc(CACHE_ALIGN, bytes)), 0, bytes);
}

struct stats *stats_create(unsigned threads, bool timed)
{
    struct stats *stats = cache_aligned_calloc(sizeof(*stats));
    stats->threads = threads;
    stats->arrays = threads < STATS_ARRAYS ? threads : STATS_ARRAYS;
    stats->timed = timed;
    stats->thread = cache_aligned_calloc(threads * sizeof(*stats->thread));
    stats->drained = xcalloc(threads, sizeof(*stats->drained));
    stats->used = xcalloc(threads, sizeof(*stats->used));
    stats->operations = operations_create(threads);
    for (unsigned phase = 0; phase < PHASES; phase++)
        phase_init(stats, phase);
    for (unsigned i = 0; i < threads; i++)
        thread_init(stats, i);
    return stats;
}

void stats_destroy(struct stats *stats)
{
    if (stats == NULL)
        return;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            histogram_destroy(stats->histogram[phase][m], stats->arrays);
        histogram_destroy(stats->lag[phase], 1);
    }
    operations_destroy(stats->operations);
    free(stats->used);
    free(stats->drained);
    free(stats->thread);
    free(stats);
}

struct stats_thread *stats_thread(struct stats *stats, unsigned thread)
{
    return &stats->thread[thread];
}

void stats_record_arrival(struct stats *stats, enum phase phase, int64_t at_ns, int64_t lag_ns)
{
    struct arrivals *a = &stats->arrivals[phase];
    counter_add(&a->offered, 1);
    counter_add(&a->arrived_ns, (uint64_t)at_ns);
    counter_add(&a->lag_sum_ns, (uint64_t)lag_ns);
    counter_extremes(&a->lag_min_ns, &a->lag_max_ns, lag_ns);
    histogram_record(stats->lag[phase], lag_ns);
}

void stats_record_drop(struct stats *stats, enum phase phase)
{
    struct arrivals *a = &stats->arrivals[phase];
    counter_add(&a->offered, 1);
    counter_add(&a->dropped, 1);
}

static void drain_thread(struct stats *stats, unsigned i, enum phase phase, struct snapshot *out)
{
    struct stats_cell *cell = &stats->thread[i].cell[phase];
    struct drained *seen = &stats->drained[i][phase];
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        out->counter[c] += counter_growth(&cell->counter[c], &seen->counter[c]);
    out->departed_ns += counter_growth(&cell->departed_ns, &seen->departed_ns);
    for (unsigned m = 0; m < METRIC_TYPES; m++) {
        out->metric[m].sum_ns += counter_growth(&cell->sum_ns[m], &seen->sum_ns[m]);
        distribution_take_extremes(&out->metric[m], &cell->min_ns[m], &cell->max_ns[m]);
    }
}

static void drain_metric(struct stats *stats, enum phase phase, enum metric metric, struct snapshot *out)
{
    struct distribution *d = &out->metric[metric];
    if (stats->histogram[phase][metric] == NULL)
        return;
    for (unsigned i = 0; i < stats->arrays; i++)
        d->count += histogram_drain(&stats->histogram[phase][metric][i], d->buckets);
    distribution_fit_extremes(d);
}

static void drain_arrivals(struct stats *stats, enum phase phase, struct snapshot *out)
{
    struct arrivals *a = &stats->arrivals[phase];
    out->offered = counter_growth(&a->offered, &stats->seen[phase].offered);
    out->dropped = counter_growth(&a->dropped, &stats->seen[phase].dropped);
    out->arrived_ns = counter_growth(&a->arrived_ns, &stats->seen[phase].arrived_ns);
    out->lag.sum_ns = counter_growth(&a->lag_sum_ns, &stats->seen[phase].lag_sum_ns);
    distribution_take_extremes(&out->lag, &a->lag_min_ns, &a->lag_max_ns);
    out->lag.count = histogram_drain(stats->lag[phase], out->lag.buckets);
    distribution_fit_extremes(&out->lag);
}

void stats_drain(struct stats *stats, enum phase phase, struct snapshot *out)
{
    snapshot_reset(out);
    for (unsigned i = 0; i < stats->threads; i++)
        drain_thread(stats, i, phase, out);
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        drain_metric(stats, phase, m, out);
    drain_arrivals(stats, phase, out);
    if (phase == PHASE_MEASURED)
        operations_drain(stats->operations, out->operations);
}

/* Mean and sum of squared deviations, one value at a time (B. P. Welford, 1962). */
struct moments {
    unsigned n;
    double mean, squares;
};

static void moments_add(struct moments *m, double value)
{
    double deviation = value - m->mean;
    m->mean += deviation / ++m->n;
    m->squares += deviation * (value - m->mean);
}

static double moments_stddev(const struct moments *m) { return sqrt(m->squares / m->n); }

struct fairness stats_fairness(struct stats *stats, bool reset)
{
    enum metric busy = stats->timed ? METRIC_SERVICE : METRIC_RESPONSE;
    struct moments events = {0}, seconds = {0};
    for (unsigned i = 0; i < stats->threads; i++) {
        const struct stats_cell *cell = &stats->thread[i].cell[PHASE_MEASURED];
        struct used now = {
            .events = atomic_load_explicit(&cell->counter[COUNTER_EVENT], memory_order_relaxed),
            .busy_ns = atomic_load_explicit(&cell->sum_ns[busy], memory_order_relaxed),
        };
        moments_add(&events, (double)(now.events - stats->used[i].events));
        moments_add(&seconds, (double)(now.busy_ns - stats->used[i].busy_ns) / NS_PER_SEC);
        if (reset)
            stats->used[i] = now;
    }
    return (struct fairness){events.mean, moments_stddev(&events), seconds.mean,
                             moments_stddev(&seconds)};
}
