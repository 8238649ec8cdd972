/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response times by the span of time in which the requests arrived, for reports on the time before,
 * during and after an event. A span begins with a cut and ends with the next one. Cuts are made
 * during the run.
 *
 * Recording takes no lock. It needs one more atomic addition than a histogram, and rarely a
 * compare-and-swap loop for an extreme. Worker i uses array i mod STATS_ARRAYS of a span. A request
 * belongs to the span of its arrival time, and each recorded request is in exactly one span. All
 * workers know a cut when spans_cut() returns. A request that arrived after the cut but was
 * recorded before spans_cut() returned, within a microsecond or so, counts in the previous span.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stdint.h>

#include "stats/distribution.h"

#define SPANS_MAX 256

struct spans;

/* Creates the first span, which begins at `from_ns`. Requests that arrived before are not recorded.
 * All times are of CLOCK_MONOTONIC. */
struct spans *spans_create(unsigned threads, int64_t from_ns);
void spans_destroy(struct spans *spans);

/*
 * Begins a new span at `from_ns`, or where the latest span began if that is later. Returns the
 * number of the new span, from 1 on. If there are SPANS_MAX spans already, returns the number of
 * the latest one. May be called by any thread.
 */
unsigned spans_cut(struct spans *spans, int64_t from_ns);
unsigned spans_count(const struct spans *spans);
int64_t spans_from_ns(const struct spans *spans, unsigned number);

/* For worker `thread`: records that a request completed, or failed, `response_ns` after its
 * arrival. */
void spans_record(struct spans *spans, unsigned thread, int64_t arrival_ns, int64_t response_ns);
void spans_record_failure(struct spans *spans, unsigned thread, int64_t arrival_ns,
                          int64_t response_ns);

/* For the reporter: collects what was recorded since the last call. Response times of one span and
 * array may add up to at most 2^64 ns (584 years) between two calls. */
void spans_settle(struct spans *spans);
/* For the reporter: adds `count` requests that arrived at `arrival_ns` and did not complete, as
 * lower bounds of the response time. */
void spans_censor(struct spans *spans, int64_t arrival_ns, int64_t lower_bound_ns, uint64_t count);
/* Adds the response times of spans `first` to `end` − 1 to *to. Failed requests count as lower
 * bounds. Call it after the last spans_settle(). */
void spans_add_to(const struct spans *spans, unsigned first, unsigned end, struct distribution *to);

#endif
