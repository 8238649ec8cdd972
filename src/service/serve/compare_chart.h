/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The chart on the page of a comparison. */
#ifndef COMPARE_CHART_H
#define COMPARE_CHART_H

#include <stdio.h>

#include "tools/compare/compare.h"

/* The style sheet for the chart. */
extern const char compare_chart_style[];

/* Writes a chart as SVG: the change of each figure in percent, with its noise. Writes nothing if no
 * figure has a finite change. */
void compare_chart_print(FILE *out, const struct compare *c);

#endif
