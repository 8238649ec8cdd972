/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an output is: something that gets the results of a run while it goes on, beside the text.
 * All calls come from one thread, the reporter's.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>

#include "result/summary.h"

/* How things stand. */
struct gauges {
    unsigned threads_running;
    uint64_t queue_length, concurrency;
};

/* All but destroy() may be NULL. */
struct output_ops {
    /* An interval has ended. If `takes_json`, `value` is the interval as it is in the JSON report;
     * it may be NULL for other outputs, as making it takes time. */
    void (*interval)(void *self, const struct interval *interval, const json_t *value);
    bool takes_json;
    /* A part of the run has ended, `at_ns` after its start. */
    void (*checkpoint)(void *self, const struct summary *part, int64_t at_ns);
    /* Recorded since the last call, warm-up and measured. Whoever has this has update() or look().
     */
    void (*collect)(void *self, const struct snapshot *recorded);
    /* After one or two calls of collect(), at least once a second. */
    void (*update)(void *self, struct gauges gauges);
    /* After collect(), at least twice a second, `at_ns` since the start of the run: sums and
     * counters will do, so that this costs little. */
    void (*look)(void *self, struct gauges gauges, int64_t at_ns);
    /* The run has ended; `total` is all that was measured. −1 after a logged message. */
    int (*finish)(void *self, const struct snapshot *total);
    void (*destroy)(void *self);
};

struct output {
    const struct output_ops *ops; /* NULL: no output */
    void *self;
};

#endif
