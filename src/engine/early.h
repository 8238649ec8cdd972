/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How early a taker wakes for a request that is not due yet (hold.h).
 *
 * A processor that was idle takes some 20 to 60 µs to run the thread that a timer wakes. So takers
 * wake early and look at the clock for the rest. How early is learned: as much as brings every
 * second taker there in time, but no more than costs EARLY_SPIN_NS a request on average, and one
 * part in EARLY_SPIN_SHARE of one processor in all.
 */
#ifndef EARLY_H
#define EARLY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"

/* What looking at the clock may cost: for a request on average, and in all. */
#define EARLY_SPIN_NS (2 * NS_PER_US)
#define EARLY_SPIN_SHARE 100

/* All zero at first: takers that do not wake early. */
struct early {
    atomic_int_least64_t ns; /* as learned */
    atomic_int_least64_t mean_spin_ns;
    atomic_int_least64_t mean_gap_ns; /* from one wake-up to the next */
    atomic_int_least64_t last_ns;     /* when a taker woke last; 0: none did */
};

/* How long before its request is due a taker's timer ends. Any thread. */
int64_t early_ns(const struct early *early);

/* A taker woke at `now_ns` for a request that is due at `due_ns` (CLOCK_MONOTONIC). Any thread. */
void early_learn(struct early *early, int64_t now_ns, int64_t due_ns);

#endif
