/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quality figures of a workload as text. Both functions write nothing if there are none. */
#ifndef REPORT_QUALITY_H
#define REPORT_QUALITY_H

#include <stdio.h>

#include "stats/quality/qualities.h"

/* After report_effects(): writes the mean of each figure of the run and its 95 % interval. */
void report_quality(FILE *out, const struct quality_totals *qualities);
/* Writes a line with the mean of each figure in an interval that ended after `end` seconds. */
void report_quality_line(FILE *out, double end, const struct quality_totals *qualities);

#endif
