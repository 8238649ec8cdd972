/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of the history of runs, in which runs are links. */
#ifndef HISTORY_CHARTS_H
#define HISTORY_CHARTS_H

#include <stdio.h>

#include "tools/trend/trend.h"

/* The style sheet for the charts, without colours. */
extern const char history_chart_style[];

/*
 * Prints each history with its steps, its newest run and a chart for each figure, as HTML with SVG.
 * Points and numbers of runs are links to `address` followed by the number of the run.
 */
void history_print_charts(FILE *out, const struct trend *trend, const char *address);

#endif
