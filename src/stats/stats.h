/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured. Workers record; one thread, the reporter, takes snapshots.
 *
 * Counting identity, for a run that has ended:
 *     offered = completed + failed + dropped + unfinished
 *
 * Counters, sums and extremes are per thread, on cache lines of their own, written by their owner
 * only (the extremes are also reset by the reporter, by exchange). Times land in STATS_ARRAYS
 * shared histograms: worker i uses array i mod STATS_ARRAYS.
 *
 * Everything exists once per phase. A request belongs to the warm-up or to the measured part by its
 * arrival time, for ever: what ends later does not move it, and nothing is reset while requests are
 * in flight.
 */
#ifndef STATS_H
#define STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/effects.h"
#include "stats/operations.h"
#include "stats/stats_part.h"
#include "stats/tallies.h"
#include "stats/targets.h"

struct stats_thread {
    struct stats_part run;
    /* Of `run`: the phase of the request in service. The owner's alone. */
    enum phase phase;
    struct stats_cell *current;
    struct histogram **histogram;
    /* Where that request goes; NULL: no targets are told apart. The owner's alone. */
    struct stats_part *target;
    struct targets *targets;
    /* Of the request in service, where the workload has named its type. The owner's alone. */
    struct stats_part *type;
    struct targets *types;
    struct targets *deferred; /* types of deferred work; an executor's `type` is one of these */
    unsigned number;
    struct tallies *tallies;
    /* Recorded while stats_measures() only. */
    struct operations_thread operations;
    struct effects_cell effects;
};

struct snapshot;
/* A generator that is late by this much stood still: about five times as long as a busy machine
 * keeps a thread from running. */
#define GENERATOR_STALL_NS (NS_PER_SEC / 2)

/*
 * How evenly the threads were used in the measured phase: mean and standard deviation over threads.
 */
struct fairness {
    double events_mean, events_stddev;
    double seconds_mean, seconds_stddev; /* time spent executing events */
};
struct stats;

/* Room for `threads` workers; `timed` is true at an arrival rate (wait and service are then
 * recorded). */
struct stats *stats_create(unsigned threads, bool timed);
/* Besides, room for `executors` of deferred work, which have the numbers behind those of the
 * workers. */
struct stats *stats_create_with(unsigned threads, unsigned executors, bool timed);
void stats_destroy(struct stats *stats);
struct stats_thread *stats_thread(struct stats *stats, unsigned thread);

/* Chooses the phase of the request that the thread serves from now on. */
static inline void stats_enter(struct stats_thread *t, enum phase phase)
{
    t->phase = phase;
    t->current = &t->run.cell[phase];
    t->histogram = t->run.histogram[phase];
    t->type = NULL;
}

/* Whether the request that the thread serves belongs to the measured part. */
static inline bool stats_measures(const struct stats_thread *t)
{
    return t->phase == PHASE_MEASURED;
}

/* The target (targets.h) that all is recorded of from now on, besides the run; NULL: none. */
static inline void stats_aim(struct stats_thread *t, struct stats_part *target)
{
    t->target = target;
}

/*
 * The type of the request that the thread serves, a number of targets_find() in t->types: all is
 * recorded of it, too, from now until the request has ended.
 */
static inline void stats_set_type(struct stats_thread *t, unsigned type)
{
    t->type = targets_part(t->types, t->number, type);
}

/*
 * Deferred work, whose types are in t->deferred. The worker that puts it off counts it as queued;
 * of the executor that serves it, what it counts otherwise belongs to that type, too, but its end
 * to the type alone: the run has no part in it.
 */
void stats_count_queued(struct stats_thread *t, enum phase phase, unsigned type);
/* It was refused at once: queued, and failed. */
void stats_count_refused(struct stats_thread *t, enum phase phase, unsigned type);
static inline void stats_serve_deferred(struct stats_thread *t, unsigned type)
{
    t->type = targets_part(t->deferred, t->number, type);
}
void stats_end_deferred(struct stats_thread *t, int64_t wait_ns, int64_t service_ns, bool done);

/* What belongs to target and type; there is one of them. */
void stats_count_beside(struct stats_thread *t, enum counter type, uint64_t n);
void stats_record_beside(struct stats_thread *t, enum metric metric, int64_t ns);

static inline bool stats_is_beside(const struct stats_thread *t)
{
    return ((uintptr_t)t->target | (uintptr_t)t->type) != 0;
}

/* Adds `n` to a counter of the calling thread. */
static inline void stats_count(struct stats_thread *t, enum counter type, uint64_t n)
{
    counter_add(&t->current->counter[type], n);
    if (UNLIKELY(stats_is_beside(t)))
        stats_count_beside(t, type, n);
}

/* Records one time of the calling thread in the current phase. */
static inline void stats_record(struct stats_thread *t, enum metric metric, int64_t ns)
{
    stats_cell_record(t->current, t->histogram[metric], metric, ns);
    if (UNLIKELY(stats_is_beside(t)))
        stats_record_beside(t, metric, ns);
}

/* Values of a tally (tallies.h), which the calling thread has counted. */
static inline void stats_tally(struct stats_thread *t, unsigned tally, uint64_t count, uint64_t sum,
                               uint64_t squares)
{
    if (LIKELY(stats_measures(t)))
        tallies_add(t->tallies, t->number, tally, count, sum, squares);
}

/* A write of the calling thread. */
static inline void stats_record_write(struct stats_thread *t, enum write_kind kind,
                                      uint64_t matched, uint64_t changed)
{
    if (LIKELY(stats_measures(t)))
        effects_record(&t->effects, kind, matched, changed);
}

/* A request of the calling thread left the system at `at_ns`, since the start of the run. */
static inline void stats_record_departure(struct stats_thread *t, int64_t at_ns)
{
    counter_add(&t->current->departed_ns, (uint64_t)at_ns);
}

/* The generator's side. One thread at a time records; `phase` by the arrival time, `at_ns` since
 * the start of the run. The lag of each arrival but those dropped, then or later. */
void stats_record_arrival(struct stats *stats, enum phase phase, int64_t at_ns);
void stats_record_lag(struct stats *stats, enum phase phase, int64_t lag_ns);
void stats_record_drop(struct stats *stats, enum phase phase);

/*
 * Moves what was recorded in `phase` since the last call to *out (reset first; from and to are the
 * caller's). Each value is in exactly one snapshot. Reporter only.
 */
void stats_drain(struct stats *stats, enum phase phase, struct snapshot *out);
/*
 * Moves what costs little only: counters of threads and generator, and the sums and extremes of
 * times. All else is in the next snapshot of stats_drain().
 */
void stats_drain_sums(struct stats *stats, enum phase phase, struct snapshot *out);

/* A generator that is late by this much stood still: about five times as long as a busy machine
 * keeps a thread from running. */
#define GENERATOR_STALL_NS (NS_PER_SEC / 2)

/*
 * How evenly the threads were used in the measured phase, since the last call with `reset` or since
 * the start. Reporter only.
 */
struct fairness stats_fairness(struct stats *stats, bool reset);

#endif
