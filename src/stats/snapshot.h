/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was recorded in one span of time. Private to one thread. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdint.h>

#include "stats/distribution.h"
#include "stats/effects.h"
#include "stats/operations.h"
#include "stats/stats_part.h"
#include "stats/tallies.h"
#include "stats/targets.h"

struct snapshot {
    int64_t from_ns, to_ns; /* since the start of the run; equal: no span yet */
    uint64_t counter[COUNTER_TYPES];
    struct distribution metric[METRIC_TYPES];
    struct distribution lag; /* enqueue − arrival */
    uint64_t offered;        /* requests that arrived */
    uint64_t dropped;        /* of these, found the queue full */
    /*
     * For audits: the sums of the times, since the start of the run, at which requests arrived that
     * were not dropped, and at which requests left. Modulo 2^64.
     */
    uint64_t arrived_ns, departed_ns;
    struct operation_totals *operations; /* of the measured part only */
    struct effects effects;              /* of the measured part only */
    struct target_totals *targets;
    struct tally_totals *tallies;   /* of the measured part only */
    struct target_totals *types;    /* of the types of requests that the workload has named */
    struct target_totals *deferred; /* types of deferred work, which is no part of the rest */
};

void snapshot_init(struct snapshot *s);
void snapshot_fini(struct snapshot *s);
/* Back to nothing recorded; names of classes and targets keep their numbers. */
void snapshot_reset(struct snapshot *s);
/* Adds all sums; the span becomes the hull of both. Both are of one run. */
void snapshot_add(struct snapshot *dst, const struct snapshot *src);
/* The same of two processes that have taken part in one run (targets.h). */
void snapshot_merge(struct snapshot *dst, const struct snapshot *src);
/*
 * Adds failed requests to the response and service times, as lower bounds. Call it once, when all
 * has been added up. Lower bounds of requests without a type are shared out to the types.
 */
void snapshot_censor_failed(struct snapshot *s);

#endif
