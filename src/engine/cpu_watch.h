/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches whether the machine has a processor to spare for a generator that spins. A thread of its
 * own looks at the processors every 200 ms: that takes some 30 µs, but milliseconds on a machine
 * with many processors and interrupts, and the generator must be on time.
 *
 * There is room for it while all others leave three processors idle, and one and a tenth of all.
 */
#ifndef CPU_WATCH_H
#define CPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

struct cpu_watch_plan {
    unsigned cpus; /* that this process may use */
    bool (*read)(struct cpu_times *times);
    /* CPU time that generator and standby have used so far: without them it would be idle. */
    int64_t (*own_ns)(void *arg);
    void *arg;
};

struct cpu_watch;

/*
 * Starts the thread. It calls read() and own_ns(), which may take as long as they like. NULL: it
 * cannot be started, or there are too few processors ever.
 */
struct cpu_watch *cpu_watch_start(const struct cpu_watch_plan *plan);
/* As of the last look; false until the second. Any thread; waits for
 * nothing. False where the processors cannot be looked at. */
bool cpu_watch_has_room(const struct cpu_watch *watch);
/* Whether that is known, or cannot be. Any thread. */
bool cpu_watch_has_looked(const struct cpu_watch *watch);
/* Ends the thread, after the look at which it may be, and frees the watch. NULL is harmless. */
void cpu_watch_stop(struct cpu_watch *watch);

#endif
