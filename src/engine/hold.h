/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets workers wait for the arrival of a request that they took from the queue before it was due.
 * Each worker sleeps on a timer of its own. So a request costs one wake-up of a thread instead of
 * two (the generator, then a worker).
 *
 * Timers wake threads late. So workers may set their timers a little early (early.h) and spin for
 * the remaining time.
 */
#ifndef HOLD_H
#define HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct hold;

struct hold *hold_create(void);
/* Frees the object. No thread may use it any longer. NULL is allowed. */
void hold_destroy(struct hold *hold);

/* Sets whether workers may wake early; initially they may not. May be called by any thread. */
void hold_allow_early(struct hold *hold, bool allowed);

/* Returns true if a worker must stop waiting for its request, which is due at `due_ns`. */
typedef bool hold_recalled(const void *arg, int64_t due_ns);

/* Waits until `due_ns` (CLOCK_MONOTONIC) or until recalled() returns true. Returns true if the
 * request is due and was not recalled. May be called by any thread. */
bool hold_wait(struct hold *hold, int64_t due_ns, hold_recalled *recalled, const void *arg);

/* Makes all waiting workers call recalled() again; to be called after its answer has changed. May
 * be called by any thread. */
void hold_recall(struct hold *hold);

/* Returns the CPU time in nanoseconds that workers have spent spinning. May be called by any
 * thread. */
int64_t hold_spin_ns(const struct hold *hold);

#endif
