/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of outputs, which receive results of a run in addition to the text, while the run
 * goes on. All calls come from one thread, the reporter.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>

#include "result/summary.h"
#include "result/waits/wait_span.h"

/* Values at a moment of the run. */
struct gauges {
    unsigned threads_running;
    uint64_t queue_length, concurrency;
    uint64_t sessions; /* number of sessions in progress */
    uint64_t idle_wanted, idle_open; /* idle connections: asked for, and open */
    const struct wait_moment *waits; /* in calls of update(), with --wait-events; otherwise NULL */
};

/* All but destroy() may be NULL. */
struct output_ops {
    /* An interval has ended. If `takes_json`, `value` is the interval as it is in the JSON report;
     * it may be NULL for other outputs, as making it takes time. */
    void (*interval)(void *self, const struct interval *interval, const json_t *value);
    bool takes_json;
    /* A part of the run has ended, `at_ns` after its start. */
    void (*checkpoint)(void *self, const struct summary *part, int64_t at_ns);
    /* Passes what was recorded since the last call, in the warm-up as well. An output with
     * collect() must have update() or look() as well. */
    void (*collect)(void *self, const struct snapshot *recorded);
    /* After one or two calls of collect(), at least once a second. */
    void (*update)(void *self, struct gauges gauges);
    /* After collect(), at least twice a second; `at_ns` is in nanoseconds since the start of the
     * run. Only the sums and counters of collect() may be used by such outputs, so that
     * collecting is cheap. */
    void (*look)(void *self, struct gauges gauges, int64_t at_ns);
    /* The run has ended; `total` is everything that was measured. Returns 0, or −1 after a
     * logged message. */
    int (*finish)(void *self, const struct snapshot *total);
    void (*destroy)(void *self);
};

struct output {
    const struct output_ops *ops; /* NULL if there is no output */
    void *self;
};

#endif
