/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named quality figures: a workload records values that say how good the answers of the server were
 * (for example the recall of a search), and reports show the mean of these values next to the
 * times. Nothing here knows what a figure means. Part of stats (stats.h), which decides when to
 * record.
 *
 * The number of figures is limited (registry.h). Each thread has a cell for each figure on a cache
 * line of its own. Only the owning thread writes a cell, without a lock. One thread, the reader,
 * drains. A cell has a sequence lock (base/sequence_lock.h), so that the reader never sees a count
 * without its sum. A cell that is being updated is drained the next time.
 */
#ifndef QUALITIES_H
#define QUALITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/registry.h"

#define QUALITIES REGISTRY_NAMES
#define QUALITY_NAME_BYTES 32

struct qualities;

struct qualities *qualities_create(unsigned threads);
void qualities_destroy(struct qualities *q);

/* Returns the number of the figure with this name, which is created on first use. The number is
 * valid for the whole run. May be called by any thread. */
unsigned qualities_find(struct qualities *q, const char *name);
/* Records one value, which must be finite. `thread` is the calling thread. */
void qualities_add(struct qualities *q, unsigned thread, unsigned figure, double value);

/* The values of one figure in one span of time. */
struct quality_total {
    char name[QUALITY_NAME_BYTES];
    uint64_t count;
    double mean;    /* 0 if there are no values */
    double squares; /* sum of the squared deviations from the mean */
};

struct quality_totals {
    unsigned count;
    struct quality_total quality[QUALITIES];
};

/* Removes all values. Names keep their numbers. */
void quality_totals_reset(struct quality_totals *t);
/* Adds totals of the same or of another process: figures are matched by name. */
void quality_totals_add(struct quality_totals *dst, const struct quality_totals *src);
/* Returns NULL if no figure has this name. */
const struct quality_total *quality_totals_named(const struct quality_totals *t, const char *name);
/* Returns the figure with this name, which is created on first use. */
struct quality_total *quality_totals_make(struct quality_totals *t, const char *name);

/*
 * Half the width of the 95 % interval of the mean, by Student's t distribution for independent
 * values. Returns false if there are fewer than two values.
 */
bool quality_half_width(const struct quality_total *t, double *half_width);

/* Adds to *out everything recorded since the last call. For the reader only. */
void qualities_drain(struct qualities *q, struct quality_totals *out);

#endif
