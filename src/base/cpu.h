/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage of the processors that this process may run on, from /proc/stat. Linux counts in ticks
 * of 10 ms, so measure over at least 100 ms. */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stdint.h>

/* CPU times since boot, in nanoseconds, summed over the processors that this process may use. */
struct cpu_times {
    int64_t total_ns, idle_ns, steal_ns;
};

/* Reads the current times. Returns false and zeroes *times if /proc/stat cannot be read. */
bool cpu_times_read(struct cpu_times *times);

/* Returns the number of processors that this process may use. */
unsigned cpu_count(void);

/* Reading at the start of a period over which CPU usage is measured. */
struct cpu_usage {
    struct cpu_times times;
    int64_t process_ns;
    bool known;
};

struct cpu_shares {
    double client; /* share of the machine's CPU time used by this process; < 0 if unknown */
    double steal;  /* share of the machine's CPU time stolen by the hypervisor; < 0 if unknown */
};

void cpu_usage_begin(struct cpu_usage *usage);
/* Returns the usage since cpu_usage_begin(). `without_ns` of the process's CPU time are not
 * counted. */
struct cpu_shares cpu_usage_end(const struct cpu_usage *usage, int64_t without_ns);

/* From now on, schedules the calling thread on all its usual processors except `cpu`, if there
 * is another one. −1 removes the restriction. Only the last processor passed is avoided. */
void cpu_avoid(int cpu);

#endif
