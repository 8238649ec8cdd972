/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an output is: something that gets the results of a run while it goes on, beside the text.
 * All calls come from one thread, the reporter's.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>

#include "measure/summary.h"

/* How things stand. */
struct gauges {
    unsigned threads_running;
    uint64_t queue_length, concurrency;
};

/* All but the last may be NULL. */
struct output_ops {
    /* An interval has ended; `value` is the same as in the JSON report. */
    void (*interval)(void *self, const struct interval *interval, const json_t *value);
    /* Recorded since the last call, warm-up and measured. Whoever has this has update(), too. */
    void (*collect)(void *self, const struct snapshot *recorded);
    /* After one or two calls of collect(), at least once a second. */
    void (*update)(void *self, struct gauges gauges);
    /* The run has ended; `total` is all that was measured. −1 after a logged message. */
    int (*finish)(void *self, const struct snapshot *total);
    void (*destroy)(void *self);
};

struct output {
    const struct output_ops *ops; /* NULL: no output */
    void *self;
};

#endif
