/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether the machine has a processor to spare for a generator that spins. A separate thread
 * reads the processor times every 200 ms. A read takes about 30 µs, but milliseconds on a machine
 * with many processors and interrupts, which is too long for the generator's thread.
 *
 * There is room for spinning if all other programs leave at least three processors idle, and at
 * least one processor plus a tenth of all processors.
 */
#ifndef CPU_WATCH_H
#define CPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

struct cpu_watch_plan {
    unsigned cpus; /* number of processors that this process may use */
    bool (*read)(struct cpu_times *times);
    /* Returns the CPU time in nanoseconds that the generator and the standby worker have used since
     * the start. This time counts as idle, because the processors would be idle without the two. */
    int64_t (*own_ns)(void *arg);
    void *arg;
};

struct cpu_watch;

/*
 * Starts the thread, which calls plan->read() and plan->own_ns(); both may take any time. Returns
 * NULL if the thread cannot be started, or if the machine has too few processors for spinning.
 */
struct cpu_watch *cpu_watch_start(const struct cpu_watch_plan *plan);
/* Returns true if the machine had room for a spinning generator at the last reading. False before
 * the second reading, and if processor times cannot be read. May be called by any thread; never
 * waits. */
bool cpu_watch_has_room(const struct cpu_watch *watch);
/* Returns true once cpu_watch_has_room() is meaningful: after the second reading, or if processor
 * times cannot be read. May be called by any thread. */
bool cpu_watch_has_looked(const struct cpu_watch *watch);
/* Ends the thread, after its current reading, and frees the watch. NULL is allowed. */
void cpu_watch_stop(struct cpu_watch *watch);

#endif
