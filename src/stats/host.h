/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe source (probe.h) for the machine that this program runs on: CPU, load and disks, read
 * from /proc.
 */
#ifndef HOST_H
#define HOST_H

#include "stats/probe.h"

void host_source(struct probe_source *source);

#endif
