/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps that the ranks of a crew take before a run. All ranks take each step, in the order of
 * this file. A step returns 0, or −1 if the run is not possible: then one rank has logged the
 * reason, and the only remaining step is crew_leave(). With a single process each step returns 0 at
 * once.
 */
#ifndef CREW_STEPS_H
#define CREW_STEPS_H

#include <jansson.h>
#include <stdint.h>

#include "ranks/launch/crew.h"

/*
 * The ranks get to know each other, and rank 0 sends its seed to the others: *seed is then the same
 * in all ranks. Rank 0 logs a warning if the launcher has bound ranks to fewer processors than
 * their share of the run's `threads`.
 */
int crew_plan(struct crew *crew, uint64_t *seed, int64_t threads);

/*
 * Verifies that all ranks are about to make the same run. `card` describes the run as an object of
 * strings, or of objects of strings. If the card of a rank differs from that of rank 0, rank 0 logs
 * the rank and the members that differ.
 */
int crew_hello(struct crew *crew, const json_t *card);

/* The agreed start of a run. */
struct crew_start {
    int64_t start_ns; /* start time by the clock of this rank (CLOCK_MONOTONIC) */
    int64_t late_ns;  /* how long after the start this rank received the message; 0 if in time */
};

/* Waits until all ranks are ready, measures the offsets of their clocks (crew_measure()) and agrees
 * on a start time shortly ahead: *start. */
int crew_agree_on_start(struct crew *crew, struct crew_start *start);

/*
 * Rank 0 measures the clock of each rank with round trips, before the run or after it. Returns −1
 * if a rank does not answer, which is logged, or if the user has sent a signal. Meanwhile the other
 * ranks are in crew_agree_on_start(), or answer each CREW_PINGS message with crew_answer().
 */
int crew_measure(struct crew *crew, bool after);
void crew_answer(struct crew *crew, const struct transport_message *message);

/* A barrier: returns true when all ranks have called it, or have left after a success. Returns
 * false if a rank has failed or the user has sent a signal. */
bool crew_meet(struct crew *crew);

#endif
