/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was recorded in one span of time. Private to one thread.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdint.h>

#include "measure/distribution.h"
#include "measure/effects.h"
#include "measure/operations.h"
#include "measure/stats_part.h"
#include "measure/targets.h"

/* The sums of one span of time; adding two snapshots gives that of both. */
struct snapshot {
    int64_t from_ns, to_ns; /* since the start of the run */
    uint64_t counter[COUNTER_TYPES];
    struct distribution metric[METRIC_TYPES];
    struct distribution lag; /* enqueue − arrival */
    uint64_t offered;        /* requests that arrived */
    uint64_t dropped;        /* of these, found the queue full */
    uint64_t arrived_ns;  /* sums of the times, since the start of the run, at which requests … */
    uint64_t departed_ns; /* … that were not dropped arrived and left; modulo 2^64. For audits */
    struct operation_totals *operations; /* measured part only */
    struct effects effects;              /* likewise */
    struct target_totals *targets;
};

void snapshot_init(struct snapshot *s);
void snapshot_fini(struct snapshot *s);
void snapshot_reset(struct snapshot *s);
/* Adds counters and distributions; the span becomes the hull of both. */
void snapshot_add(struct snapshot *dst, const struct snapshot *src);

#endif
