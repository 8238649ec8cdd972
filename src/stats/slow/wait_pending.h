/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of one request, collected until the request ends (stats/waits.h). The lock of the
 * worker's slot guards them. */
#ifndef WAIT_PENDING_H
#define WAIT_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/slow/exemplars.h"
#include "stats/waits/wait_history.h"

/* Largest number of details of all labels together. The sampler numbers them and the labels. */
#define WAIT_DETAILS 128

#define WAIT_NO_GROUP WAIT_LABELS

/* A moment at which a request was served. All times are CLOCK_MONOTONIC. */
struct wait_sample {
    int64_t at_ns;
    int64_t half_ns; /* uncertainty of at_ns: half of the round trip */
    unsigned label, detail;
    unsigned group; /* another label, which several labels have in common; WAIT_NO_GROUP if none */
    double weight_ns;
};

struct wait_pending {
    int64_t start_ns; /* start of the request; 0 if there are no samples */
    uint64_t samples, near;
    double total;
    uint64_t labels; /* the set of labels that have samples */
    double weight[WAIT_LABELS];
    uint32_t count[WAIT_LABELS];
    double detail[WAIT_DETAILS];
};
_Static_assert(WAIT_LABELS == 64, "a set of labels is one word");

/* Adds a sample. `near` is true if the sample may belong to another request. */
void wait_pending_add(struct wait_pending *p, const struct wait_sample *s, bool near);
/* Copies the labels and details with the largest weights to `e`. */
void wait_pending_copy(const struct wait_pending *p, struct exemplar *e);

#endif
