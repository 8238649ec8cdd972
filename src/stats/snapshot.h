/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that was recorded in one span of time. A snapshot is used by one thread only. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdint.h>

#include "stats/connects/connects.h"
#include "stats/distribution.h"
#include "stats/effects.h"
#include "stats/operations.h"
#include "stats/quality/qualities.h"
#include "stats/stats_part.h"
#include "stats/tallies.h"
#include "stats/targets.h"

struct snapshot {
    /* Nanoseconds since the start of the run; equal if there is no span yet. */
    int64_t from_ns, to_ns;
    uint64_t counter[COUNTER_TYPES];
    struct distribution metric[METRIC_TYPES];
    struct distribution lag; /* generator lag: time of enqueueing − arrival time */
    struct connect_totals connects; /* of workers and of idle connections */
    struct connect_totals staleness; /* ages of data of replicas, and reads without an answer */
    uint64_t offered;        /* requests that arrived */
    uint64_t dropped;        /* requests among these that found the queue full */
    /*
     * For the audit (audit.h): the sum of the arrival times of requests that were not dropped, and
     * the sum of the times at which requests left the system. Both in nanoseconds since the start
     * of the run, modulo 2^64.
     */
    uint64_t arrived_ns, departed_ns;
    struct operation_totals *operations; /* of the measured part only */
    struct effects effects;              /* of the measured part only */
    struct target_totals *targets;
    struct tally_totals *tallies; /* of the measured part only */
    struct quality_totals *qualities; /* of the measured part only */
    struct target_totals *types;  /* figures by type of request, if the workload names types */
    /* figures by type of deferred work, which is not counted elsewhere */
    struct target_totals *deferred;
};

void snapshot_init(struct snapshot *s);
void snapshot_fini(struct snapshot *s);
/* Clears all values. Names of classes and targets keep their numbers. */
void snapshot_reset(struct snapshot *s);
/* Adds a snapshot of the same process. The span becomes the smallest one that includes both. */
void snapshot_add(struct snapshot *dst, const struct snapshot *src);
/*
 * Adds a snapshot of another process that took part in the run: names may have other numbers there.
 */
void snapshot_merge(struct snapshot *dst, const struct snapshot *src);
/*
 * Adds failed requests to the response and service times, as lower bounds. Call it once, after the
 * last addition to the snapshot. Lower bounds of requests without a type are distributed over the
 * types.
 */
void snapshot_censor_failed(struct snapshot *s);

#endif
