/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/util.h"

/* Unit of /proc/diskstats, whatever the sector size of the disk is. */
#define SECTOR_BYTES 512

static const struct probe_series series[] = {
    {"cpu_busy_percent", "cpu%", "CPU, %", PROBE_REST, HOST_CPU_IDLE, HOST_CPU_TOTAL, .line = {1}},
    {"cpu_steal_percent", "steal%", "CPU, %", PROBE_SHARE, HOST_CPU_STEAL, HOST_CPU_TOTAL,
     .line = {1}},
    {"load_1m", "load", "load, mean of a minute", PROBE_LEVEL, HOST_LOAD, .line = {1}},
    {"disk_read_kib_per_s", "read KiB/s", "disks, KiB per second", PROBE_RATE, HOST_DISK_READ,
     .line = {1}, .unit = 1024},
    {"disk_written_kib_per_s", "written KiB/s", "disks, KiB per second", PROBE_RATE,
     HOST_DISK_WRITTEN, .line = {1}, .unit = 1024},
    {"disk_busy_ms_per_s", "disk ms/s", "busy time of the disks, ms per second", PROBE_RATE,
     HOST_DISK_BUSY, .line = {1}},
};

static const struct probe_work work[] = {
    {"cpu_us", HOST_CPU_USED, NS_PER_US},          {"client_cpu_us", HOST_CPU_CLIENT, NS_PER_US},
    {"context_switches", HOST_SWITCHES, 1},        {"disk_read_kib", HOST_DISK_READ, 1024},
    {"disk_written_kib", HOST_DISK_WRITTEN, 1024},
};
_Static_assert(ARRAY_SIZE(work) <= PROBE_WORKS, "reports have room");

const struct probe_table host_table = {
    .series = series, .count = ARRAY_SIZE(series), .work = work, .works = ARRAY_SIZE(work)};

static void read_cpu(double *value)
{
    struct cpu_times times;
    if (!cpu_times_read(&times))
        return;
    value[HOST_CPU_TOTAL] = (double)times.total_ns;
    value[HOST_CPU_IDLE] = (double)times.idle_ns;
    value[HOST_CPU_STEAL] = (double)times.steal_ns;
    value[HOST_CPU_USED] = (double)(times.total_ns - times.idle_ns - times.steal_ns);
    value[HOST_CPU_CLIENT] = (double)clock_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The line of interrupts may be longer than `line`; its parts contain only numbers. */
static void read_switches(double *value)
{
    char line[512];
    uint64_t switches;
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "ctxt %" SCNu64, &switches) == 1)
            value[HOST_SWITCHES] = (double)switches;
    fclose(file);
}

static void read_load(double *value)
{
    FILE *file = fopen("/proc/loadavg", "re");
    if (file == NULL)
        return;
    if (fscanf(file, "%lf", &value[HOST_LOAD]) != 1)
        value[HOST_LOAD] = NAN;
    fclose(file);
}

/* Returns true for whole disks only. The kernel counts input and output of a partition or a mapped
 * device also for its disk. */
static bool is_disk(const char *name)
{
    char path[128];
    if (strncmp(name, "loop", 4) == 0 || strncmp(name, "ram", 3) == 0 ||
        strncmp(name, "zram", 4) == 0)
        return false;
    snprintf(path, sizeof(path), "/sys/block/%s/device", name);
    FILE *folder = fopen(path, "re");
    if (folder == NULL)
        return false;
    fclose(folder);
    return true;
}

static void add_disk(const char *line, double *value)
{
    char name[64];
    uint64_t read, written, busy_ms;
    if (sscanf(line, " %*u %*u %63s %*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64 " %*u %*u %" SCNu64,
               name, &read, &written, &busy_ms) != 4 ||
        !is_disk(name))
        return;
    value[HOST_DISK_READ] += (double)read * SECTOR_BYTES;
    value[HOST_DISK_WRITTEN] += (double)written * SECTOR_BYTES;
    value[HOST_DISK_BUSY] += (double)busy_ms;
}

static void read_disks(double *value)
{
    char line[512];
    FILE *file = fopen("/proc/diskstats", "re");
    if (file == NULL)
        return;
    value[HOST_DISK_READ] = value[HOST_DISK_WRITTEN] = value[HOST_DISK_BUSY] = 0;
    while (fgets(line, sizeof(line), file) != NULL)
        add_disk(line, value);
    fclose(file);
}

static enum probe_status read_host(void *self, double *value, char *error)
{
    (void)self;
    (void)error;
    read_cpu(value);
    read_switches(value);
    read_load(value);
    read_disks(value);
    return PROBE_READ;
}

static void destroy(void *self)
{
    (void)self;
}

void host_source(struct probe_source *source)
{
    *source = (struct probe_source){.name = "machine",
                                    .where = "this machine",
                                    .table = host_table,
                                    .read = read_host,
                                    .destroy = destroy};
}
