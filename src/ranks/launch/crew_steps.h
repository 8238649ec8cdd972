/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a crew before its run. Each is taken by all ranks, in this order, and returns 0 or
 * −1: then the run cannot be, which one of them has logged, and what is left is crew_leave(). With
 * one process each is 0 at once.
 */
#ifndef CREW_STEPS_H
#define CREW_STEPS_H

#include <jansson.h>
#include <stdint.h>

#include "ranks/launch/crew.h"

/*
 * Who is there. Rank 0 tells the others its seed, which *seed is then for all. It warns of ranks
 * that the launcher has bound to fewer processors than the `threads` of the run give each of them
 * to do.
 */
int crew_plan(struct crew *crew, uint64_t *seed, int64_t threads);

/*
 * All are about to do the same: `card` says what, as an object of strings and of objects of
 * strings. Where one of a rank's is another than that of rank 0, the rank and what differs are
 * named.
 */
int crew_hello(struct crew *crew, const json_t *card);

/* The start of a run. */
struct crew_start {
    int64_t start_ns; /* by the clock of this rank: CLOCK_MONOTONIC */
    int64_t late_ns;  /* how long after that this rank has heard of it; 0: in time */
};

/*
 * Waits until all are ready, measures the offsets of their clocks (crew_measure()) and agrees on a
 * moment that is near: *start.
 */
int crew_agree_on_start(struct crew *crew, struct crew_start *start);

/* The round trips with each rank, before the run or after it. −1: a rank does not answer, which is
 * logged, or the user has sent a signal. By rank 0; the others are in crew_agree_on_start(), or
 * answer CREW_PINGS by crew_answer(). */
int crew_measure(struct crew *crew, bool after);
void crew_answer(struct crew *crew, const struct transport_message *message);

/*
 * All meet at a barrier: returns when all ranks have called it, or have left after a success.
 * false: one of them has failed, or the user has sent a signal.
 */
bool crew_meet(struct crew *crew);

#endif
