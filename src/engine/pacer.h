/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the generator waits for the next arrival.
 *
 * - sleep: sleeps until the arrival, with 50 µs of timer slack. This is cheap, but late by the time
 *   that the kernel needs to wake a thread.
 * - spin: sleeps until shortly before the arrival if that saves at least 5 ms, then spins. One
 *   worker stands by while the generator spins (queue.h).
 * - auto: spins while cpu_watch.h reports a processor that no other thread needs, and sleeps
 *   otherwise.
 *
 * A sleep before spinning ends 150 µs plus a margin before the arrival. In the 150 µs, a worker can
 * wake up. The margin is the expected overrun of the sleep. It is learned: it grows by an eighth
 * after each sleep that overran it and shrinks by 1/1024 after each other sleep. It settles where
 * about one sleep in 130 overruns the margin.
 */
#ifndef PACER_H
#define PACER_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/cpu_watch.h"
#include "options/arrivals/arrival_plan.h"

/* How long the generator still spins after a sleep that used up the whole margin. A worker that is
 * woken at that moment is awake at the arrival. */
#define PACER_LEAD_NS (150 * NS_PER_US)

/*
 * A pacer belongs to the thread that calls pacer_init(), which sets the timer slack of this thread.
 */
struct pacer {
    enum arrival_wait wait;
    const struct cpu_watch *watch;
    sem_t *stop;   /* posted to end a sleep early */
    bool spinning; /* whether the generator spins at present */
    int64_t margin_ns;
};

/* `watch` is used by auto; if it is NULL, auto only sleeps. `watch` and `stop` must outlive the
 * pacer. */
void pacer_init(struct pacer *pacer, enum arrival_wait wait, const struct cpu_watch *watch,
                sem_t *stop);

/* Returns true once, after `stop` was posted. */
bool pacer_stopped(struct pacer *pacer);

/*
 * Sleeps until it is time to spin, or until `due_ns` if the generator does not spin. Returns the
 * present time, or −1 if `stop` was posted. `now_ns` is the time before the call.
 */
int64_t pacer_approach(struct pacer *pacer, int64_t now_ns, int64_t due_ns);

#endif
