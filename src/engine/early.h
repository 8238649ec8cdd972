/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns how early a worker should wake for a request that is not due yet (hold.h).
 *
 * A processor that was idle takes about 20 to 60 µs to run a thread that a timer wakes. So workers
 * set their timers early and spin for the remaining time. The lead is adjusted until every second
 * worker wakes in time, but spinning is limited to EARLY_SPIN_NS per request on average and to one
 * part in EARLY_SPIN_SHARE of one processor in total.
 */
#ifndef EARLY_H
#define EARLY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"

/* Limits of spinning: nanoseconds per request on average, and the reciprocal of the share of one
 * processor in total. */
#define EARLY_SPIN_NS (2 * NS_PER_US)
#define EARLY_SPIN_SHARE 100

/* All zero at first, which means that workers do not wake early. */
struct early {
    atomic_int_least64_t ns; /* the learned lead: how long before the arrival a timer ends */
    atomic_int_least64_t mean_spin_ns;
    atomic_int_least64_t mean_gap_ns; /* between two wake-ups of any workers */
    atomic_int_least64_t last_ns;     /* time of the last wake-up; 0 before the first one */
};

/* Returns how many nanoseconds before the arrival of its request a worker's timer should end. May
 * be called by any thread. */
int64_t early_ns(const struct early *early);

/* Learns from a worker that woke at `now_ns` for a request that is due at `due_ns` (both
 * CLOCK_MONOTONIC). May be called by any thread. */
void early_learn(struct early *early, int64_t now_ns, int64_t due_ns);

#endif
