/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which part of a run a process executes. A run may be spread over several processes, its ranks;
 * the command line always describes the whole. Pure functions.
 */
#ifndef CLUSTER_RANK_H
#define CLUSTER_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct rank {
    unsigned number, count; /* number < count; count ≤ 1: the run is in one process */
    int64_t threads;        /* workers of all ranks, ≥ count */
    int64_t first_thread;   /* the number of this rank's first worker */
};

static inline bool rank_is_alone(const struct rank *rank)
{
    return rank->count <= 1;
}

/*
 * The part of `total` whole things that is the rank's: as even as can be, and the first ranks have
 * one more where it does not come out even. rank_first(): how many the ranks before it have.
 */
int64_t rank_part(int64_t total, unsigned number, unsigned count);
int64_t rank_first(int64_t total, unsigned number, unsigned count);

/* The rank of one of `count` whose workers are among `threads` in all. */
struct rank rank_of(unsigned number, unsigned count, int64_t threads);
/* Its workers. */
int64_t rank_threads(const struct rank *rank);
/* Of 1. */
double rank_share(const struct rank *rank);

/*
 * Its part of `total` by its share of the workers: the parts of all ranks add up to `total`, and
 * what is left over goes to the first ones.
 */
int64_t rank_weighted_part(const struct rank *rank, int64_t total);

/*
 * Arrivals are dealt to `threads` slots, as cards are to players: slot s belongs to rank s mod
 * count. So each rank has as many slots as workers.
 */
static inline unsigned rank_of_slot(const struct rank *rank, uint64_t slot)
{
    return (unsigned)(slot % rank->count);
}

/* "I/N": NULL when it is one, 0 ≤ I < N ≤ RANKS_MAX; else what is allowed. *rank gets number and
 * count. */
#define RANKS_MAX 100000
const char *rank_parse(struct rank *rank, const char *text);
/* The check of an option's row. */
const char *rank_check(const char *text);

#endif
