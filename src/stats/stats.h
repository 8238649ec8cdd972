/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording of all that is measured in a run. Workers, executors of deferred work and the generator
 * record. One thread, the reporter, drains the records into snapshots.
 *
 * Counting identity, for a run that has ended:
 *
 *     offered = completed + failed + dropped + unfinished
 *
 * Counters, sums and extremes are per thread, on cache lines of their own. Only the owning thread
 * writes them, except that the reporter resets the extremes by an atomic exchange. Times go to
 * STATS_ARRAYS shared histograms: worker i uses array i mod STATS_ARRAYS.
 *
 * Everything exists once per phase. The arrival time of a request decides whether it belongs to the
 * warm-up or to the measured part, no matter when it ends. Nothing is reset while requests are in
 * flight.
 */
#ifndef STATS_H
#define STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/connects/connects.h"
#include "stats/effects.h"
#include "stats/operations.h"
#include "stats/quality/qualities.h"
#include "stats/stats_part.h"
#include "stats/tallies.h"
#include "stats/targets.h"

struct waits;
struct exemplars;

struct stats_thread {
    struct stats_part run;
    /* Phase of the request in service, and the cell and histograms of `run` for this phase. Used by
     * the owning thread only. */
    enum phase phase;
    struct stats_cell *current;
    struct histogram **histogram;
    /* Target of the request in service (targets.h); NULL if the workload has no targets. Used by
     * the owning thread only. */
    struct stats_part *target;
    struct targets *targets;
    /* Type of the request in service; NULL until the workload has named it. Used by the owning
     * thread only. */
    struct stats_part *type;
    struct targets *types;
    struct targets *deferred; /* types of deferred work; `type` of an executor is one of these */
    unsigned number;
    struct tallies *tallies;
    struct qualities *qualities;
    struct connects **connects; /* of each phase */
    /* Recorded only while stats_measures() returns true. */
    struct operations_thread operations;
    struct effects_cell effects;
    /* The sessions of the thread are published here (waits.h); NULL if waits are not sampled. */
    struct waits *waits;
    /* Steps of requests are recorded here (slow/exemplars.h); NULL if they are not recorded. */
    struct exemplars *exemplars;
};

struct snapshot;
/* A generator that is late by this much has stalled. On a busy machine a thread may have to wait
 * for a processor for about a fifth of this time. */
#define GENERATOR_STALL_NS (NS_PER_SEC / 2)

/*
 * How evenly the threads were used in the measured phase: mean and standard deviation over threads.
 */
struct fairness {
    double events_mean, events_stddev;
    double seconds_mean, seconds_stddev; /* seconds that a thread spent executing events */
};
struct stats;

/* Creates statistics for `threads` workers. `timed` is true if the run has an arrival rate: then
 * wait and service times are recorded, too. */
struct stats *stats_create(unsigned threads, bool timed);
/* Like stats_create(), with `executors` threads for deferred work in addition. They have the
 * numbers after those of the workers. */
struct stats *stats_create_with(unsigned threads, unsigned executors, bool timed);
/* Makes room for the durations of sessions. To be called before the threads start. */
void stats_add_sessions(struct stats *stats);
/* The same for the waits for a connection of the pool. */
void stats_add_connection_waits(struct stats *stats);
void stats_destroy(struct stats *stats);
struct stats_thread *stats_thread(struct stats *stats, unsigned thread);
/* Sets `waits` and `exemplars` of all threads. To be called before the threads start. */
void stats_set_waits(struct stats *stats, struct waits *waits, struct exemplars *exemplars);

/* Sets the phase of the request that the thread serves from now on. */
static inline void stats_enter(struct stats_thread *t, enum phase phase)
{
    t->phase = phase;
    t->current = &t->run.cell[phase];
    t->histogram = t->run.histogram[phase];
    t->type = NULL;
}

/* Returns true if the request in service belongs to the measured part. */
static inline bool stats_measures(const struct stats_thread *t)
{
    return t->phase == PHASE_MEASURED;
}

/* Sets the target (targets.h) for which everything is recorded from now on, in addition to the run.
 * NULL means no target. */
static inline void stats_aim(struct stats_thread *t, struct stats_part *target)
{
    t->target = target;
}

/* Sets the type of the request in service: a number that targets_find() returned for t->types. From
 * now on until the request ends, everything is recorded for this type, too. */
static inline void stats_set_type(struct stats_thread *t, unsigned type)
{
    t->type = targets_part(t->types, t->number, type);
}

/*
 * Deferred work has types of its own, in t->deferred. The worker that defers work counts it as
 * queued. Everything that an executor counts while it serves the work is recorded for the run and
 * for the type of the work. The end of the work and its times are recorded for the type only.
 */
void stats_count_queued(struct stats_thread *t, enum phase phase, unsigned type);
/* Counts deferred work that was refused at once, as queued and failed. */
void stats_count_refused(struct stats_thread *t, enum phase phase, unsigned type);
/* For an executor: sets the type of the deferred work that it serves from now on. */
static inline void stats_serve_deferred(struct stats_thread *t, unsigned type)
{
    t->type = targets_part(t->deferred, t->number, type);
}
/* For an executor: records the end of the work. `done` is true if it succeeded. */
void stats_end_deferred(struct stats_thread *t, int64_t wait_ns, int64_t service_ns, bool done);

/* Count and record for the target and the type of the request in service. At least one is set. */
void stats_count_parts(struct stats_thread *t, enum counter type, uint64_t n);
void stats_record_parts(struct stats_thread *t, enum metric metric, int64_t ns);

static inline bool stats_has_parts(const struct stats_thread *t)
{
    return ((uintptr_t)t->target | (uintptr_t)t->type) != 0;
}

/* Adds `n` to a counter of the calling thread. */
static inline void stats_count(struct stats_thread *t, enum counter type, uint64_t n)
{
    counter_add(&t->current->counter[type], n);
    if (UNLIKELY(stats_has_parts(t)))
        stats_count_parts(t, type, n);
}

/* Records one time of the calling thread in the current phase. */
static inline void stats_record(struct stats_thread *t, enum metric metric, int64_t ns)
{
    stats_cell_record(t->current, t->histogram[metric], metric, ns);
    if (UNLIKELY(stats_has_parts(t)))
        stats_record_parts(t, metric, ns);
}

/* Adds values that the calling thread has counted to a tally (tallies.h): their number, their sum
 * and the sum of their squares. Values of the warm-up are ignored. */
static inline void stats_tally(struct stats_thread *t, unsigned tally, uint64_t count, uint64_t sum,
                               uint64_t squares)
{
    if (LIKELY(stats_measures(t)))
        tallies_add(t->tallies, t->number, tally, count, sum, squares);
}

/* Records one value of a quality figure (qualities.h) of the calling thread. Values of the warm-up
 * are ignored. */
static inline void stats_quality(struct stats_thread *t, unsigned figure, double value)
{
    if (LIKELY(stats_measures(t)))
        qualities_add(t->qualities, t->number, figure, value);
}

/* Record an attempt of the calling thread to connect to a server. Connects before the first request
 * belong to the measured part. */
static inline void stats_connected(struct stats_thread *t, int64_t from_ns, int64_t ns)
{
    connects_record(t->connects[t->phase], from_ns, ns);
}
static inline void stats_not_connected(struct stats_thread *t)
{
    connects_record_failure(t->connects[t->phase]);
}

/* Records an attempt to connect of a thread that is no worker. It began at `from_ns` and took `ns`;
 * `ns` is below 0 if it failed. Any thread may call this. */
void stats_record_connect(struct stats *stats, enum phase phase, int64_t from_ns, int64_t ns);
/* Records the age of data that a replica has returned; below 0 if the replica did not answer. Any
 * thread may call this. */
void stats_record_staleness(struct stats *stats, enum phase phase, int64_t age_ns);
/* From now on, times to connect are also recorded by span. Call it before the workers begin. */
void stats_set_connect_spans(struct stats *stats, struct spans *spans);

/* Records a write of the calling thread, and the rows it matched and changed. Writes of the warm-up
 * are ignored. */
static inline void stats_record_write(struct stats_thread *t, enum write_kind kind,
                                      uint64_t matched, uint64_t changed)
{
    if (LIKELY(stats_measures(t)))
        effects_record(&t->effects, kind, matched, changed);
}

/* Records that a request of the calling thread left the system `at_ns` nanoseconds after the start
 * of the run. */
static inline void stats_record_departure(struct stats_thread *t, int64_t at_ns)
{
    counter_add(&t->current->departed_ns, (uint64_t)at_ns);
}

/* Records how long the request of the calling thread, which ends, has waited for a connection of
 * the pool. Requires stats_add_connection_waits(). */
void stats_record_connection_wait(struct stats_thread *t, int64_t ns);
/* Records the duration of a session that the calling thread has ended. `phase` follows from the
 * beginning of the session. Requires stats_add_sessions(). */
void stats_record_session(struct stats_thread *t, enum phase phase, int64_t ns);

/*
 * For the generator. Only one thread may call these functions at a time. `phase` follows from the
 * arrival time; `at_ns` is in nanoseconds since the start of the run. The lag is recorded for each
 * arrival that is not dropped, at its arrival or later.
 */
void stats_record_arrival(struct stats *stats, enum phase phase, int64_t at_ns);
void stats_record_lag(struct stats *stats, enum phase phase, int64_t lag_ns);
void stats_record_drop(struct stats *stats, enum phase phase);

/* Resets *out and moves everything to it that was recorded in `phase` since the last call. The
 * caller sets from_ns and to_ns. Each value is in exactly one snapshot. For the reporter only. */
void stats_drain(struct stats *stats, enum phase phase, struct snapshot *out);
/* Like stats_drain(), but moves only what is cheap to collect: the counters of threads and
 * generator, and sums and extremes of times. All else is in the next snapshot of stats_drain(). */
void stats_drain_sums(struct stats *stats, enum phase phase, struct snapshot *out);

/* Returns how evenly the threads were used in the measured phase, since the last call with `reset`
 * or since the start. For the reporter only. */
struct fairness stats_fairness(struct stats *stats, bool reset);

#endif
