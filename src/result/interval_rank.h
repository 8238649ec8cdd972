/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of one rank in an interval, if a run has several ranks. Reports draw a line per rank
 * from them. All other figures of an interval are sums over the ranks.
 */
#ifndef INTERVAL_RANK_H
#define INTERVAL_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/snapshot.h"

struct interval_rank {
    unsigned number; /* number of the rank, from 0 on */
    bool known;      /* true if the rank has sent records of the interval */
    uint64_t completed;
    struct distribution response;
};

/* Returns an array of `count` empty elements, numbered from 0. */
struct interval_rank *interval_ranks_create(unsigned count);
void interval_ranks_destroy(struct interval_rank *ranks, unsigned count);

/* Adds records of a rank for the interval or a part of it. */
void interval_rank_add(struct interval_rank *rank, const struct snapshot *recorded);
/* Clears all elements for the next interval. */
void interval_ranks_reset(struct interval_rank *ranks, unsigned count);

#endif
