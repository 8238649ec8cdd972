/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times to connect to a server: name, TCP or socket, TLS and authentication, until the
 * connection can execute statements. Part of stats (stats.h), which decides to which phase of the
 * run a connect belongs.
 *
 * A connect takes at least some microseconds, and connects of many threads at the same time are
 * rare, so all threads share one histogram and one set of sums. Any thread may record. One thread,
 * the reader, drains.
 */
#ifndef CONNECTS_H
#define CONNECTS_H

#include <stdint.h>

#include "stats/distribution.h"
#include "stats/spans.h"

struct connects;

/* Connects of one span of time. */
struct connect_totals {
    struct distribution time; /* of the connects that succeeded */
    uint64_t failed;          /* attempts that failed */
};

struct connects *connects_create(void);
void connects_destroy(struct connects *connects);

/* Also records the times by the span in which a connect began. Call it before threads record. */
void connects_set_spans(struct connects *connects, struct spans *spans);

/* Records a connect that began at `from_ns` (CLOCK_MONOTONIC), succeeded and took `ns`
 * nanoseconds. */
void connects_record(struct connects *connects, int64_t from_ns, int64_t ns);
/* Records an attempt that failed. */
void connects_record_failure(struct connects *connects);

/* Adds to *out everything recorded since the last call. For the reader only. */
void connects_drain(struct connects *connects, struct connect_totals *out);

void connect_totals_init(struct connect_totals *t);
void connect_totals_fini(struct connect_totals *t);
void connect_totals_reset(struct connect_totals *t);
void connect_totals_add(struct connect_totals *dst, const struct connect_totals *src);

#endif
