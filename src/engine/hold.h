/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where takers wait for the arrival of a request that they have taken before it was due. Each
 * sleeps by a timer of its own, so a request costs one wake-up and not two, that of a generator and
 * that of a worker.
 *
 * A timer wakes them late, so they may wake a little early (early.h) and look at the clock for the
 * rest.
 */
#ifndef HOLD_H
#define HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct hold;

struct hold *hold_create(void);
/* No thread may use it any more. NULL is harmless. */
void hold_destroy(struct hold *hold);

/* Whether takers wake early; at first they do not. Any thread. */
void hold_allow_early(struct hold *hold, bool allowed);

/* Whether a taker that waits for `due_ns` is to do so no longer. */
typedef bool hold_recalled(const void *arg, int64_t due_ns);

/* Waits until `due_ns` (CLOCK_MONOTONIC), or until recalled. Returns whether it was not. Any
 * thread. */
bool hold_wait(struct hold *hold, int64_t due_ns, hold_recalled *recalled, const void *arg);

/* After `recalled` has changed: has all who wait ask it. Any thread. */
void hold_recall(struct hold *hold);

/* CPU time that takers have spent on looking at the clock. Any thread. */
int64_t hold_spin_ns(const struct hold *hold);

#endif
