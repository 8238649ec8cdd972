/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named values that a workload counts of its own work: how often a condition was true, or the mean
 * of some values. Part of stats (stats.h), which decides when to record.
 *
 * The number of tallies is limited (registry.h). Cells are per thread, and only the owning thread
 * writes them. One thread, the reader, drains.
 */
#ifndef TALLIES_H
#define TALLIES_H

#include <stdint.h>

#include "stats/registry.h"

#define TALLIES REGISTRY_NAMES
#define TALLY_NAME_BYTES 48

struct tallies;

struct tallies *tallies_create(unsigned threads);
void tallies_destroy(struct tallies *t);

/* Returns the number of the tally with this name, which is created on first use. The number is
 * valid for the whole run. May be called by any thread. */
unsigned tallies_find(struct tallies *t, const char *name);
/* Adds `count` values, given by their sum and the sum of their squares. `thread` is the calling
 * thread. */
void tallies_add(struct tallies *t, unsigned thread, unsigned tally, uint64_t count, uint64_t sum,
                 uint64_t squares);

/* Sums over one span of time. */
struct tally_total {
    char name[TALLY_NAME_BYTES];
    uint64_t count, sum, squares;
};

struct tally_totals {
    unsigned count;
    struct tally_total tally[TALLIES];
};

/* Clears the sums. Names keep their numbers. */
void tally_totals_reset(struct tally_totals *t);
/* Adds totals of the same or of another process: tallies are matched by name. */
void tally_totals_add(struct tally_totals *dst, const struct tally_totals *src);
/* Returns NULL if no tally has this name. */
const struct tally_total *tally_totals_named(const struct tally_totals *t, const char *name);

/* Adds to *out everything recorded since the last call. For the reader only. */
void tallies_drain(struct tallies *t, struct tally_totals *out);

#endif
