/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread records in one place: of the whole run, or of one target (targets.h). Counters,
 * sums and extremes are the thread's own; times land in histograms that several threads share.
 */
#ifndef STATS_PART_H
#define STATS_PART_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/util.h"
#include "stats/counter.h"
#include "stats/distribution.h"
#include "stats/histogram.h"

/* Most histograms of a kind that the threads of a run share. */
#define STATS_ARRAYS 128

enum counter {
    COUNTER_OTHER,
    COUNTER_READ,
    COUNTER_WRITE,
    COUNTER_EVENT, /* requests completed */
    COUNTER_ERROR, /* of statements; the reports say "ignored errors", as sysbench does */
    COUNTER_RECONNECT,
    COUNTER_BYTES_READ,
    COUNTER_BYTES_WRITTEN,
    COUNTER_FAILED,     /* requests given up */
    COUNTER_DOWN_NS,    /* nanoseconds that threads spent waiting to get a connection back */
    COUNTER_QUEUED,     /* of deferred work: put into its queue */
    COUNTER_UNFINISHED, /* of that, neither completed nor failed when the run had ended */
    COUNTER_TYPES
};

/* The name of a counter in reports ("reads"), also for scripts; NULL if it has none. */
const char *counter_name(enum counter counter);

enum metric {
    METRIC_RESPONSE, /* completion − arrival; in a closed loop the same as the service time */
    METRIC_WAIT,     /* start − arrival; recorded at an arrival rate only */
    METRIC_SERVICE,  /* completion − start; recorded at an arrival rate only */
    METRIC_FAILED, /* giving up − arrival, of failed requests: a lower bound of their response */
    /* Giving up − start, of failed requests: a lower bound of their service time. Recorded at an
     * arrival rate only. */
    METRIC_FAILED_SERVICE,
    METRIC_TYPES
};

enum phase { PHASE_WARMUP, PHASE_MEASURED, PHASES };

/* What one thread has counted in one phase. Grows only, except for the extremes. */
struct stats_cell {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t counter[COUNTER_TYPES];
    _Atomic uint64_t sum_ns[METRIC_TYPES];
    _Atomic uint64_t departed_ns; /* sum of the times when requests left, since the start */
    _Atomic int64_t min_ns[METRIC_TYPES];
    _Atomic int64_t max_ns[METRIC_TYPES];
};

/* METRIC_TYPES rounded up to a power of two: stats_enter(), which is called for each event, then
 * needs no multiplication to find the histograms of a phase. */
#define METRIC_SLOTS 8
_Static_assert(METRIC_TYPES <= METRIC_SLOTS, "each metric needs a slot");

struct stats_part {
    struct stats_cell cell[PHASES];
    struct histogram *histogram[PHASES][METRIC_SLOTS]; /* NULL: not recorded */
};

/* The histograms that parts share: `arrays` of each kind. Wait and service only if `timed`. */
struct stats_histograms {
    unsigned arrays;
    struct histogram *of[PHASES][METRIC_TYPES];
};

/* What the reader has seen of a part's cell. */
struct stats_seen {
    uint64_t counter[COUNTER_TYPES];
    uint64_t sum_ns[METRIC_TYPES];
    uint64_t departed_ns;
};

void stats_histograms_init(struct stats_histograms *h, unsigned arrays, bool timed);
void stats_histograms_fini(struct stats_histograms *h);
/* `part` is zeroed; times of its owner, thread `thread`, go to `h`. */
void stats_part_init(struct stats_part *part, const struct stats_histograms *h, unsigned thread);

/* Adds what was counted since *seen, and takes the extremes. */
void stats_cell_drain(struct stats_cell *cell, struct stats_seen *seen,
                      uint64_t counter[COUNTER_TYPES], struct distribution metric[METRIC_TYPES]);
/* Adds the times of all parts. */
void stats_histograms_drain(struct stats_histograms *h, enum phase phase,
                            struct distribution metric[METRIC_TYPES]);

/* Adds the times of failed requests to response and service times, as lower bounds. */
void metrics_censor_failed(struct distribution metric[METRIC_TYPES]);

/* The owner's side. */
static inline void stats_cell_record(struct stats_cell *cell, struct histogram *histogram,
                                     enum metric metric, int64_t ns)
{
    counter_add(&cell->sum_ns[metric], (uint64_t)ns);
    counter_extremes(&cell->min_ns[metric], &cell->max_ns[metric], ns);
    histogram_record(histogram, ns);
}

#endif
