/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waits of requests in a span of time, such as an interval or an outage. In contrast to
 * wait_shares.h, the requests need not have ended in this span: the time that all requests together
 * spent in the system is divided (docs/why.md).
 */
#ifndef WAIT_SPAN_H
#define WAIT_SPAN_H

#include <stdint.h>

#include "result/waits/wait_names.h"
#include "stats/waits.h"

/* Kinds of waits, for outputs that need the same columns in each run. */
enum wait_kind {
    WAIT_KIND_CPU,
    WAIT_KIND_LOCKS,
    WAIT_KIND_IO,
    WAIT_KIND_CLIENT, /* the session waited for the client, or the client did not run */
    WAIT_KIND_SILENT, /* the server did not answer, or the worker had no connection */
    WAIT_KIND_OTHER,
    WAIT_KINDS
};

/* The samples until a moment. The names belong to the sampler and may grow; those of the first
 * `labels` labels do not change. */
struct wait_moment {
    const struct wait_names *names;
    unsigned labels;
    struct wait_sums sums;
};

/* Shares, from 0 to 1. `late`, `queued`, `undivided` and `share` add up to 1, or are all 0 if no
 * request was in the system. */
struct wait_span {
    const struct wait_names *names;
    unsigned labels;
    uint64_t samples;
    /* The time of all requests together that is divided; may be 0. In spans of wait_span_since()
     * and wait_span_of() it is 1 if there are samples. */
    double time_ns;
    double late, queued; /* before the service: the generator was late; no worker was free */
    double undivided;    /* of the service, if there are no samples */
    double share[WAIT_LABELS];
};

/* Times of all requests together, in nanoseconds. */
struct wait_times {
    double late, queued, service;
};

/* Divides the time between two moments. */
void wait_span_between(struct wait_span *span, const struct wait_moment *from,
                       const struct wait_moment *to, const struct wait_times *times);
/* Divide only the service of the requests, by the samples between two moments, or by all samples
 * of `moment`. */
void wait_span_since(struct wait_span *span, const struct wait_moment *from,
                     const struct wait_moment *to);
void wait_span_of(struct wait_span *span, const struct wait_moment *moment);

/* Adds the same span of time of another rank, with the same names. Each share counts as much as the
 * time that was divided. */
void wait_span_merge(struct wait_span *dst, const struct wait_span *src);

/* Finds the labels with the largest shares, the largest first, and returns how many there are, at
 * most `most`. */
unsigned wait_span_top(const struct wait_span *span, unsigned *label, unsigned most);
enum wait_kind wait_span_kind(const struct wait_span *span, unsigned label);

#endif
