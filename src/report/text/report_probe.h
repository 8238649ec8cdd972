/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the text report about observations of the server and the machine. */
#ifndef REPORT_PROBE_H
#define REPORT_PROBE_H

#include <stdio.h>

#include "stats/probe.h"

/* Writes the observations in an interval that ended at `end` seconds. */
void report_probe_lines(FILE *out, double end, const struct probe_report *probes);

/* Writes the observations over the whole run, and how counts of the server compare with those of
 * this program. */
void report_probes(FILE *out, const struct probe_report *probes);

#endif
