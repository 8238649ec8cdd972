/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Divides a run among several processes, its ranks. The command line of each rank describes the
 * whole run. All functions are pure. */
#ifndef CLUSTER_RANK_H
#define CLUSTER_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct rank {
    unsigned number, count; /* number < count; count ≤ 1 if the run is in one process */
    int64_t threads;        /* number of workers of all ranks, ≥ count */
    int64_t first_thread;   /* number of this rank's first worker */
};

static inline bool rank_is_alone(const struct rank *rank)
{
    return rank->count <= 1;
}

/*
 * Divides `total` items as evenly as possible; the first ranks get one more if there is a
 * remainder. rank_part() returns the number of items of a rank, and rank_first() that of all ranks
 * before it.
 */
int64_t rank_part(int64_t total, unsigned number, unsigned count);
int64_t rank_first(int64_t total, unsigned number, unsigned count);

/* Describes rank `number` of a run with `count` ranks and `threads` workers in total. */
struct rank rank_of(unsigned number, unsigned count, int64_t threads);
/* Returns the number of workers of this rank. */
int64_t rank_threads(const struct rank *rank);
/* Returns the share of all workers that this rank has, from 0 to 1. */
double rank_share(const struct rank *rank);

/* Returns this rank's part of `total` in proportion to its workers. The parts of all ranks add
 * up to `total`; a remainder goes to the first ranks. */
int64_t rank_weighted_part(const struct rank *rank, int64_t total);
/* Returns the sum of these parts of the ranks before this one. */
int64_t rank_weighted_first(const struct rank *rank, int64_t total);

/* Arrivals are distributed over `threads` slots; slot s belongs to rank s mod count. So each
 * rank has as many slots as workers. */
static inline unsigned rank_of_slot(const struct rank *rank, uint64_t slot)
{
    return (unsigned)(slot % rank->count);
}

/* Parses "I/N" with 0 ≤ I < N ≤ RANKS_MAX into number and count of *rank. Returns NULL, or what
 * is allowed. */
#define RANKS_MAX 100000
const char *rank_parse(struct rank *rank, const char *text);
/* Check function for option rows. */
const char *rank_check(const char *text);

#endif
