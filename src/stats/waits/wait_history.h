/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a run in the order of time: which label had which weight in each tenth of a
 * second. A run of a day with 10 samples per second needs some 30 MB. Used by one thread at a time.
 */
#ifndef WAIT_HISTORY_H
#define WAIT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/util.h"

/* Largest number of labels. */
#define WAIT_LABELS 64

#define WAIT_SLOT_NS (NS_PER_SEC / 10)

/* Sums over samples. */
struct wait_sums {
    uint64_t samples;
    double weight_ns[WAIT_LABELS]; /* sums of the weights: the estimated times */
};

struct wait_history {
    struct wait_sums all; /* since the start */
    struct wait_entry *list;
    size_t count, room;
};

void wait_history_fini(struct wait_history *history);
/* Adds a sample that was taken at at_ns. */
void wait_history_add(struct wait_history *history, int64_t at_ns, unsigned label,
                      double weight_ns);
/* Adds up the samples from from_ns to to_ns, to within half of WAIT_SLOT_NS. */
void wait_history_between(const struct wait_history *history, int64_t from_ns, int64_t to_ns,
                          struct wait_sums *sums);

#endif
