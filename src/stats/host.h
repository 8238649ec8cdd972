/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe source (probe.h) for the machine that this program runs on: CPU, load and disks, read
 * from /proc. stats/machine/exporter.h has a source with the same values for other machines.
 */
#ifndef HOST_H
#define HOST_H

#include "stats/probe.h"

/* Values of a machine. Times are in nanoseconds, amounts in bytes. */
enum host_value {
    HOST_CPU_TOTAL,
    HOST_CPU_IDLE,
    HOST_CPU_STEAL,
    HOST_CPU_USED,   /* without what the hypervisor took */
    HOST_CPU_CLIENT, /* CPU time of this program */
    HOST_SWITCHES,
    HOST_LOAD,
    HOST_DISK_READ,
    HOST_DISK_WRITTEN,
    HOST_DISK_BUSY /* milliseconds */
};

extern const struct probe_table host_table;

void host_source(struct probe_source *source);

#endif
