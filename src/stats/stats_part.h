/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of one thread for the whole run or for one target (targets.h). Counters, sums and
 * extremes belong to the thread. Times go to histograms that several threads share.
 */
#ifndef STATS_PART_H
#define STATS_PART_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/util.h"
#include "stats/counter.h"
#include "stats/distribution.h"
#include "stats/histogram.h"

/* Largest number of histograms of one kind that the threads of a run share. */
#define STATS_ARRAYS 128

enum counter {
    COUNTER_OTHER,
    COUNTER_READ,
    COUNTER_WRITE,
    COUNTER_EVENT, /* requests completed */
    COUNTER_ERROR, /* errors of statements; reports call them "ignored errors", as sysbench does */
    COUNTER_RECONNECT,
    COUNTER_BYTES_READ,
    COUNTER_BYTES_WRITTEN,
    COUNTER_FAILED,       /* requests given up */
    COUNTER_DOWN_NS,      /* nanoseconds that threads spent waiting to get a connection back */
    COUNTER_QUEUED,       /* deferred work put into its queue */
    COUNTER_UNFINISHED,   /* deferred work neither completed nor failed at the end of the run */
    COUNTER_TIMEOUT,      /* attempts that clients gave up at their deadline (--timeout) */
    COUNTER_UNSENT,       /* those of them that sent no statement: the time was over before */
    COUNTER_RETRY,        /* further attempts at requests, by the policy of the clients */
    COUNTER_NO_BUDGET,    /* attempts that the budget for retries did not allow */
    COUNTER_LATE,         /* requests that completed after their deadline */
    COUNTER_POOL_TIMEOUT, /* waits for a connection of the pool that took too long */
    COUNTER_LOST_NS,      /* nanoseconds of service in attempts that did not complete a request */
    COUNTER_TYPES
};

/* Returns the number of requests that completed before their deadline, from the counters of a run
 * or of an interval. An interval may end between the two counts of a late request, so that it has
 * the lateness of a request which the next interval completes. */
static inline uint64_t counter_good(const uint64_t counter[COUNTER_TYPES])
{
    return counter[COUNTER_EVENT] - min_u64(counter[COUNTER_EVENT], counter[COUNTER_LATE]);
}

/* Returns the name of a counter in reports and for scripts ("reads"), or NULL if it has no name. */
const char *counter_name(enum counter counter);

enum metric {
    METRIC_RESPONSE, /* completion − arrival */
    METRIC_WAIT,     /* start − arrival; recorded at an arrival rate only */
    METRIC_SERVICE, /* completion − start, without METRIC_CONNECTION_WAIT; recorded at a rate only
                     */
    /* Giving up − arrival, of failed requests: a lower bound of their response time. */
    METRIC_FAILED,
    /* Giving up − start, of failed requests: a lower bound of their service time. Recorded at an
     * arrival rate only. */
    METRIC_FAILED_SERVICE,
    /* Waits for a connection of the pool, of completed and of failed requests. They are between
     * start and end, and not part of the service time. Recorded only if workers share connections.
     */
    METRIC_CONNECTION_WAIT,
    METRIC_SESSION, /* end − begin of sessions; recorded only if the run has sessions */
    METRIC_TYPES
};

enum phase { PHASE_WARMUP, PHASE_MEASURED, PHASES };

/* Counters of one thread in one phase. They only grow, except for the extremes. */
struct stats_cell {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t counter[COUNTER_TYPES];
    _Atomic uint64_t sum_ns[METRIC_TYPES];
    /* Sum of the times since the start of the run at which requests left. */
    _Atomic uint64_t departed_ns;
    _Atomic int64_t min_ns[METRIC_TYPES];
    _Atomic int64_t max_ns[METRIC_TYPES];
};

/* METRIC_TYPES rounded up to a power of two. stats_enter() is called for each event and needs no
 * multiplication then to find the histograms of a phase. */
#define METRIC_SLOTS 8
_Static_assert(METRIC_TYPES <= METRIC_SLOTS, "each metric needs a slot");

struct stats_part {
    struct stats_cell cell[PHASES];
    /* Histogram of each kind of time; NULL if it is not recorded. */
    struct histogram *histogram[PHASES][METRIC_SLOTS];
};

/* Histograms that parts share, `arrays` of each kind. Those of wait and service times exist only if
 * the run is timed (stats_create()), those of sessions only for the whole run and if it has
 * sessions. */
struct stats_histograms {
    unsigned arrays;
    struct histogram *of[PHASES][METRIC_TYPES];
};

/* Values of a cell that the reader has already drained. */
struct stats_seen {
    uint64_t counter[COUNTER_TYPES];
    uint64_t sum_ns[METRIC_TYPES];
    uint64_t departed_ns;
};

void stats_histograms_init(struct stats_histograms *h, unsigned arrays, bool timed);
void stats_histograms_fini(struct stats_histograms *h);
/* Initializes a part, which must be zeroed, for its owner `thread`. Its times go to `h`. */
void stats_part_init(struct stats_part *part, const struct stats_histograms *h, unsigned thread);

/* Adds everything counted since *seen, takes the extremes and updates *seen. */
void stats_cell_drain(struct stats_cell *cell, struct stats_seen *seen,
                      uint64_t counter[COUNTER_TYPES], struct distribution metric[METRIC_TYPES]);
/* Adds the times in the histograms of a phase that were recorded since the last drain. */
void stats_histograms_drain(struct stats_histograms *h, enum phase phase,
                            struct distribution metric[METRIC_TYPES]);

/* Returns the time that workers had requests: service times and waits for connections. */
static inline double metrics_busy_ns(const struct distribution metric[METRIC_TYPES])
{
    return (double)metric[METRIC_SERVICE].sum_ns + (double)metric[METRIC_FAILED_SERVICE].sum_ns +
           (double)metric[METRIC_CONNECTION_WAIT].sum_ns;
}

/* Adds the times of failed requests to response and service times, as lower bounds. */
void metrics_censor_failed(struct distribution metric[METRIC_TYPES]);

/* For the owner: records a time of `ns` nanoseconds. */
static inline void stats_cell_record(struct stats_cell *cell, struct histogram *histogram,
                                     enum metric metric, int64_t ns)
{
    counter_add(&cell->sum_ns[metric], (uint64_t)ns);
    counter_extremes(&cell->min_ns[metric], &cell->max_ns[metric], ns);
    histogram_record(histogram, ns);
}

#endif
