/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the generator waits for the next arrival.
 *
 * - sleep: an absolute sleep with 50 µs of timer slack: cheap, and late by what the kernel needs to
 *   wake a thread.
 * - spin: sleeps until a little before, if that saves 5 ms, and looks at the clock for the rest.
 *   One worker stands by meanwhile (queue.h).
 * - auto: spins only on a processor that nobody wants, as long as cpu_watch.h says that there is
 *   one.
 *
 * "A little" is 150 µs, in which a worker wakes up, and what the sleep may overrun. That is
 * learned: it grows by an eighth whenever the sleep overran it and shrinks by 1/1024 when it did
 * not, which settles where about one sleep in 130 overruns.
 */
#ifndef PACER_H
#define PACER_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/cpu_watch.h"
#include "options/arrivals/arrival_plan.h"

/* What is left to spin after a sleep that took the whole margin: a worker that is woken then is
 * awake at the arrival. */
#define PACER_LEAD_NS (150 * NS_PER_US)

/* Of the thread that calls pacer_init(), whose timer slack it sets. */
struct pacer {
    enum arrival_wait wait;
    const struct cpu_watch *watch;
    sem_t *stop;   /* posted to end a sleep early */
    bool spinning; /* allowed at present */
    int64_t margin_ns;
};

/* `watch` is for auto, which only sleeps without one (NULL). The pacer points to it and `stop`. */
void pacer_init(struct pacer *pacer, enum arrival_wait wait, const struct cpu_watch *watch,
                sem_t *stop);

/* Whether it has been told to stop; says so once. */
bool pacer_stopped(struct pacer *pacer);

/*
 * Sleeps until it is time to spin, or until `due_ns` where it must not spin. Returns the time now;
 * −1: told to stop.
 */
int64_t pacer_approach(struct pacer *pacer, int64_t now_ns, int64_t due_ns);

#endif
