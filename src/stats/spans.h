/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response times by the span of time in which the requests arrived, for reports of before, during
 * and after something. A span begins with a cut and ends with the next one; cuts are made while the
 * run goes on.
 *
 * Recording takes no lock: one atomic addition more than that of a histogram, and rarely a loop for
 * an extreme. Worker i uses array i mod STATS_ARRAYS of its span. A request belongs to the span of
 * its arrival time. The cut is known to all workers when spans_cut() returns; a request that
 * arrived after it and was recorded before that, within a microsecond or so, counts in the span
 * that went before. Every recorded request is in exactly one span.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stdint.h>

#include "stats/distribution.h"

#define SPANS_MAX 256

struct spans;

/*
 * Requests that arrived before `from_ns` are not recorded: there the first span begins. All times:
 * CLOCK_MONOTONIC.
 */
struct spans *spans_create(unsigned threads, int64_t from_ns);
void spans_destroy(struct spans *spans);

/*
 * A new span begins at `from_ns`, or where the latest one began if that is later. Returns its
 * number, from 1 on; that of the latest one when there are SPANS_MAX. Any thread.
 */
unsigned spans_cut(struct spans *spans, int64_t from_ns);
unsigned spans_count(const struct spans *spans);
int64_t spans_from_ns(const struct spans *spans, unsigned number);

/* Worker `thread`: a request took so long, from its arrival, to complete; or to be given up. */
void spans_record(struct spans *spans, unsigned thread, int64_t arrival_ns, int64_t response_ns);
void spans_record_failure(struct spans *spans, unsigned thread, int64_t arrival_ns,
                          int64_t response_ns);

/*
 * The reporter's side. Takes over what was recorded since the last call: response times that add up
 * to 2^64 ns (584 years) at most in one span and array.
 */
void spans_settle(struct spans *spans);
/* `count` requests that arrived then and have not completed. */
void spans_censor(struct spans *spans, int64_t arrival_ns, int64_t lower_bound_ns, uint64_t count);
/*
 * When all is settled: adds what the spans from `first` to before `end` hold to *to; requests that
 * were given up as lower bounds.
 */
void spans_add_to(const struct spans *spans, unsigned first, unsigned end, struct distribution *to);

#endif
