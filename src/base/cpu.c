/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

/* The columns of a line of /proc/stat, see proc(5). Guest time is part of user time already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

/* Fills `set` with the processors that this process may use, or with all if they cannot be read. */
static void usable_cpus(cpu_set_t *set)
{
    if (sched_getaffinity(0, sizeof(*set), set) != 0)
        memset(set, 0xff, sizeof(*set));
}

/* Adds the line of a processor ("cpuN ..."). Returns false for any other line. */
static bool add_line(struct cpu_times *times, const char *line, const cpu_set_t *set)
{
    int64_t ticks[COLUMNS];
    unsigned number;
    if (sscanf(line,
               "cpu%u %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64,
               &number, &ticks[USER], &ticks[NICE], &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT],
               &ticks[IRQ], &ticks[SOFTIRQ], &ticks[STEAL]) != COLUMNS + 1)
        return false;
    if (number >= CPU_SETSIZE || !CPU_ISSET(number, set))
        return true;
    const int64_t tick_ns = NS_PER_SEC / sysconf(_SC_CLK_TCK);
    for (int i = 0; i < COLUMNS; i++)
        times->total_ns += ticks[i] * tick_ns;
    times->idle_ns += (ticks[IDLE] + ticks[IOWAIT]) * tick_ns;
    times->steal_ns += ticks[STEAL] * tick_ns;
    return true;
}

bool cpu_times_read(struct cpu_times *times)
{
    char line[512];
    cpu_set_t set;
    *times = (struct cpu_times){0};
    usable_cpus(&set);
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return false;
    /* The first line is the sum over all processors. */
    bool more = fgets(line, sizeof(line), file) != NULL;
    while (more && fgets(line, sizeof(line), file) != NULL)
        more = add_line(times, line, &set);
    fclose(file);
    return times->total_ns > 0;
}

unsigned cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

void cpu_usage_begin(struct cpu_usage *usage)
{
    usage->known = cpu_times_read(&usage->times);
    usage->process_ns = clock_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
}

struct cpu_shares cpu_usage_end(const struct cpu_usage *usage, int64_t without_ns)
{
    struct cpu_times now;
    if (!usage->known || !cpu_times_read(&now) || now.total_ns <= usage->times.total_ns)
        return (struct cpu_shares){-1, -1};
    double total_ns = (double)(now.total_ns - usage->times.total_ns);
    int64_t used_ns = max_i64(0, clock_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - usage->process_ns - without_ns);
    return (struct cpu_shares){(double)used_ns / total_ns,
                               (double)(now.steal_ns - usage->times.steal_ns) / total_ns};
}

void cpu_avoid(int cpu)
{
    static _Thread_local cpu_set_t usual;
    static _Thread_local int avoided = -1;
    if (cpu == avoided || (avoided < 0 && sched_getaffinity(0, sizeof(usual), &usual) != 0))
        return;
    cpu_set_t others = usual;
    if (cpu >= 0)
        CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0)
        avoided = cpu;
}
