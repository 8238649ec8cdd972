/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/stats.h"

#include <math.h>

#include "stats/snapshot.h"

struct used {
    uint64_t events, busy_ns;
};

/*
 * Counters of arrivals. Only the generator writes them, except that the reporter resets extremes.
 */
struct arrivals {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t offered;
    _Atomic uint64_t dropped;
    _Atomic uint64_t arrived_ns;
    _Atomic uint64_t lag_sum_ns;
    _Atomic int64_t lag_min_ns, lag_max_ns;
};

struct stats {
    unsigned threads; /* number of workers and executors */
    unsigned workers;
    bool timed;
    struct stats_thread *thread;
    struct stats_seen (*seen_of)[PHASES]; /* drained values of each thread, for the reporter only */
    struct effects *seen_effects;         /* drained values of each thread, for the reporter only */
    struct stats_histograms histograms;   /* min(threads, STATS_ARRAYS) histograms of each kind */
    struct histogram *lag[PHASES];
    struct arrivals arrivals[PHASES];
    struct {
        uint64_t offered, dropped, arrived_ns, lag_sum_ns;
    } seen[PHASES]; /* values already drained */
    struct operations *operations;
    struct targets *targets, *types, *deferred;
    struct tallies *tallies;
    struct qualities *qualities;
    struct connects *connects[PHASES];
    struct connects *staleness[PHASES]; /* ages, and reads that were not answered */
    struct used *used; /* one per thread: values at the last reset of fairness */
};

static void thread_init(struct stats *stats, unsigned i)
{
    struct stats_thread *t = &stats->thread[i];
    stats_part_init(&t->run, &stats->histograms, i);
    t->targets = stats->targets;
    t->types = stats->types;
    t->deferred = stats->deferred;
    t->tallies = stats->tallies;
    t->qualities = stats->qualities;
    t->connects = stats->connects;
    t->number = i;
    operations_join(stats->operations, i, &t->operations);
    stats_enter(t, PHASE_MEASURED);
}

struct stats *stats_create(unsigned threads, bool timed)
{
    return stats_create_with(threads, 0, timed);
}

struct stats *stats_create_with(unsigned workers, unsigned executors, bool timed)
{
    struct stats *stats = counter_calloc(sizeof(*stats));
    const unsigned threads = workers + executors;
    stats->workers = workers;
    stats->threads = threads;
    stats->timed = timed;
    stats->thread = counter_calloc(threads * sizeof(*stats->thread));
    stats->seen_of = xcalloc(threads, sizeof(*stats->seen_of));
    stats->seen_effects = xcalloc(threads, sizeof(*stats->seen_effects));
    stats->used = xcalloc(threads, sizeof(*stats->used));
    stats->operations = operations_create(threads);
    stats->targets = targets_create(threads, timed);
    stats->types = targets_create(threads, timed);
    stats->deferred = targets_create(threads, true);
    stats->tallies = tallies_create(threads);
    stats->qualities = qualities_create(threads);
    stats_histograms_init(&stats->histograms, min_u32(threads, STATS_ARRAYS), timed);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        struct arrivals *a = &stats->arrivals[phase];
        stats->lag[phase] = histogram_create(1);
        stats->connects[phase] = connects_create();
        stats->staleness[phase] = connects_create();
        counter_extremes_init(&a->lag_min_ns, &a->lag_max_ns);
    }
    for (unsigned i = 0; i < threads; i++)
        thread_init(stats, i);
    return stats;
}

static void add_metric(struct stats *stats, enum metric metric)
{
    struct stats_histograms *h = &stats->histograms;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        h->of[phase][metric] = histogram_create(h->arrays);
        for (unsigned i = 0; i < stats->threads; i++)
            stats->thread[i].run.histogram[phase][metric] = &h->of[phase][metric][i % h->arrays];
    }
}

void stats_add_sessions(struct stats *stats)
{
    add_metric(stats, METRIC_SESSION);
}

void stats_add_connection_waits(struct stats *stats)
{
    add_metric(stats, METRIC_CONNECTION_WAIT);
}

void stats_destroy(struct stats *stats)
{
    if (stats == NULL)
        return;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        histogram_destroy(stats->lag[phase], 1);
        connects_destroy(stats->connects[phase]);
        connects_destroy(stats->staleness[phase]);
    }
    stats_histograms_fini(&stats->histograms);
    targets_destroy(stats->targets);
    targets_destroy(stats->types);
    targets_destroy(stats->deferred);
    tallies_destroy(stats->tallies);
    qualities_destroy(stats->qualities);
    operations_destroy(stats->operations);
    free(stats->used);
    free(stats->seen_effects);
    free(stats->seen_of);
    free(stats->thread);
    free(stats);
}

struct stats_thread *stats_thread(struct stats *stats, unsigned thread)
{
    return &stats->thread[thread];
}

void stats_set_waits(struct stats *stats, struct waits *waits, struct exemplars *exemplars)
{
    for (unsigned i = 0; i < stats->threads; i++) {
        stats->thread[i].waits = waits;
        stats->thread[i].exemplars = exemplars;
    }
}

void stats_record_connect(struct stats *stats, enum phase phase, int64_t from_ns, int64_t ns)
{
    if (ns >= 0)
        connects_record(stats->connects[phase], from_ns, ns);
    else
        connects_record_failure(stats->connects[phase]);
}

void stats_record_staleness(struct stats *stats, enum phase phase, int64_t age_ns)
{
    if (age_ns >= 0)
        connects_record(stats->staleness[phase], 0, age_ns);
    else
        connects_record_failure(stats->staleness[phase]);
}

void stats_set_connect_spans(struct stats *stats, struct spans *spans)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        connects_set_spans(stats->connects[phase], spans);
}

void stats_count_parts(struct stats_thread *t, enum counter type, uint64_t n)
{
    if (t->target != NULL)
        counter_add(&t->target->cell[t->phase].counter[type], n);
    if (t->type != NULL)
        counter_add(&t->type->cell[t->phase].counter[type], n);
}

static void record_of(struct stats_part *part, enum phase phase, enum metric metric, int64_t ns)
{
    if (part != NULL)
        stats_cell_record(&part->cell[phase], part->histogram[phase][metric], metric, ns);
}

void stats_record_parts(struct stats_thread *t, enum metric metric, int64_t ns)
{
    record_of(t->target, t->phase, metric, ns);
    record_of(t->type, t->phase, metric, ns);
}

static struct stats_part *deferred_part(struct stats_thread *t, unsigned type)
{
    return targets_part(t->deferred, t->number, type);
}

void stats_count_queued(struct stats_thread *t, enum phase phase, unsigned type)
{
    counter_add(&deferred_part(t, type)->cell[phase].counter[COUNTER_QUEUED], 1);
}

void stats_count_refused(struct stats_thread *t, enum phase phase, unsigned type)
{
    struct stats_part *part = deferred_part(t, type);
    stats_count_queued(t, phase, type);
    counter_add(&part->cell[phase].counter[COUNTER_FAILED], 1);
    record_of(part, phase, METRIC_FAILED, 0);
}

void stats_end_deferred(struct stats_thread *t, int64_t wait_ns, int64_t service_ns, bool done)
{
    struct stats_part *part = t->type;
    counter_add(&part->cell[t->phase].counter[done ? COUNTER_EVENT : COUNTER_FAILED], 1);
    record_of(part, t->phase, done ? METRIC_RESPONSE : METRIC_FAILED, wait_ns + service_ns);
    record_of(part, t->phase, METRIC_WAIT, wait_ns);
    record_of(part, t->phase, done ? METRIC_SERVICE : METRIC_FAILED_SERVICE, service_ns);
}

void stats_record_connection_wait(struct stats_thread *t, int64_t ns)
{
    record_of(&t->run, t->phase, METRIC_CONNECTION_WAIT, ns);
}

void stats_record_session(struct stats_thread *t, enum phase phase, int64_t ns)
{
    record_of(&t->run, phase, METRIC_SESSION, ns);
}

void stats_record_arrival(struct stats *stats, enum phase phase, int64_t at_ns)
{
    struct arrivals *a = &stats->arrivals[phase];
    counter_add(&a->offered, 1);
    counter_add(&a->arrived_ns, (uint64_t)at_ns);
}

void stats_record_lag(struct stats *stats, enum phase phase, int64_t lag_ns)
{
    struct arrivals *a = &stats->arrivals[phase];
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
    struct stats_cell *cell = &stats->thread[i].run.cell[phase];
    struct stats_seen *seen = &stats->seen_of[i][phase];
    stats_cell_drain(cell, seen, out->counter, out->metric);
    out->departed_ns += counter_growth(&cell->departed_ns, &seen->departed_ns);
}

static void drain_arrivals(struct stats *stats, enum phase phase, struct snapshot *out)
{
    struct arrivals *a = &stats->arrivals[phase];
    out->offered = counter_growth(&a->offered, &stats->seen[phase].offered);
    out->dropped = counter_growth(&a->dropped, &stats->seen[phase].dropped);
    out->arrived_ns = counter_growth(&a->arrived_ns, &stats->seen[phase].arrived_ns);
    out->lag.sum_ns = counter_growth(&a->lag_sum_ns, &stats->seen[phase].lag_sum_ns);
    distribution_take_extremes(&out->lag, &a->lag_min_ns, &a->lag_max_ns);
}

void stats_drain_sums(struct stats *stats, enum phase phase, struct snapshot *out)
{
    snapshot_reset(out);
    for (unsigned i = 0; i < stats->threads; i++)
        drain_thread(stats, i, phase, out);
    drain_arrivals(stats, phase, out);
}

void stats_drain(struct stats *stats, enum phase phase, struct snapshot *out)
{
    stats_drain_sums(stats, phase, out);
    stats_histograms_drain(&stats->histograms, phase, out->metric);
    distribution_drain(&out->lag, stats->lag[phase]);
    connects_drain(stats->connects[phase], &out->connects);
    connects_drain(stats->staleness[phase], &out->staleness);
    targets_drain(stats->targets, phase, out->targets);
    targets_drain(stats->types, phase, out->types);
    targets_drain(stats->deferred, phase, out->deferred);
    if (phase != PHASE_MEASURED)
        return;
    operations_drain(stats->operations, out->operations);
    tallies_drain(stats->tallies, out->tallies);
    qualities_drain(stats->qualities, out->qualities);
    for (unsigned i = 0; i < stats->threads; i++)
        effects_drain(&stats->thread[i].effects, &stats->seen_effects[i], &out->effects);
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

static double moments_stddev(const struct moments *m)
{
    return sqrt(m->squares / m->n);
}

struct fairness stats_fairness(struct stats *stats, bool reset)
{
    enum metric busy = stats->timed ? METRIC_SERVICE : METRIC_RESPONSE;
    struct moments events = {0}, seconds = {0};
    for (unsigned i = 0; i < stats->workers; i++) {
        const struct stats_cell *cell = &stats->thread[i].run.cell[PHASE_MEASURED];
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
