/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was watched beside the run, in words. */
#ifndef REPORT_PROBE_H
#define REPORT_PROBE_H

#include <stdio.h>

#include "stats/probe.h"

/* The lines of what was watched in an interval that ended at `end` seconds. */
void report_probe_lines(FILE *out, double end, const struct probe_report *probes);

/* What was watched over the run, and where its counts and ours disagree. */
void report_probes(FILE *out, const struct probe_report *probes);

#endif
