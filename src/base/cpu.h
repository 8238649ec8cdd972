/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processors do that this process may use, from /proc/stat. Linux counts in ticks of 10
 * ms, so look at spans of 100 ms and more. */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over these processors since boot, in nanoseconds. */
struct cpu_times {
    int64_t total_ns, idle_ns, steal_ns;
};

/* False where /proc/stat cannot be read; *times is then zero. */
bool cpu_times_read(struct cpu_times *times);

/* Processors that this process may use. */
unsigned cpu_count(void);

/* From one moment to another. */
struct cpu_usage {
    struct cpu_times times;
    int64_t process_ns;
    bool known;
};

struct cpu_shares {
    double client; /* of the machine, used by this process; < 0: unknown */
    double steal;  /* of the machine, taken away by the hypervisor; < 0: unknown */
};

void cpu_usage_begin(struct cpu_usage *usage);
/* What was used since; `without_ns` of the process's time does not count. */
struct cpu_shares cpu_usage_end(const struct cpu_usage *usage, int64_t without_ns);

/* Keeps the calling thread off that processor from now on, if it may run on another, and off no
 * other; −1: lets it run again where it might at first. */
void cpu_avoid(int cpu);

#endif
