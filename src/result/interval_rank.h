/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one rank had in an interval of a run on several: what a line of its own is drawn from. All
 * else of an interval is added up over the ranks and cannot be told apart any more.
 */
#ifndef INTERVAL_RANK_H
#define INTERVAL_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/snapshot.h"

struct interval_rank {
    unsigned number; /* of the rank, counted from 0 */
    bool known;      /* it has told something of the interval */
    uint64_t completed;
    struct distribution response;
};

/* So many empty ones, with numbers from 0. */
struct interval_rank *interval_ranks_create(unsigned count);
void interval_ranks_destroy(struct interval_rank *ranks, unsigned count);

/* Adds what the rank has recorded in the interval, or in a part of it. */
void interval_rank_add(struct interval_rank *rank, const struct snapshot *recorded);
/* Another interval begins. */
void interval_ranks_reset(struct interval_rank *ranks, unsigned count);

#endif
