/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload counts of its own work, by name: how often something was so, or what the values
 * of something are on average. Part of stats, which says when to record.
 *
 * Tallies are few (registry.h). Cells are per thread and written by their owner only. One thread
 * drains.
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

/* The tally of that name, made when it is new. The number stays for the whole run. Any thread. */
unsigned tallies_find(struct tallies *t, const char *name);
/* `count` values more, of which sum and sum of squares are given. `thread` is the calling one. */
void tallies_add(struct tallies *t, unsigned thread, unsigned tally, uint64_t count, uint64_t sum,
                 uint64_t squares);

/* Sums of one span of time. */
struct tally_total {
    char name[TALLY_NAME_BYTES];
    uint64_t count, sum, squares;
};

struct tally_totals {
    unsigned count;
    struct tally_total tally[TALLIES];
};

/* Names keep their numbers. */
void tally_totals_reset(struct tally_totals *t);
/* Adds up by names; both may be of different processes. */
void tally_totals_add(struct tally_totals *dst, const struct tally_totals *src);
/* NULL: there is none of that name. */
const struct tally_total *tally_totals_named(const struct tally_totals *t, const char *name);

/* Adds to *out what was recorded since the last call. */
void tallies_drain(struct tallies *t, struct tally_totals *out);

#endif
