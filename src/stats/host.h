/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as something to watch: CPU, load and disks, from /proc. */
#ifndef HOST_H
#define HOST_H

#include "stats/probe.h"

void host_source(struct probe_source *source);

#endif
