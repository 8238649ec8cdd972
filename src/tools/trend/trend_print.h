/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the results of `sysrate trend` as text, JSON and a page. */
#ifndef TREND_PRINT_H
#define TREND_PRINT_H

#include <stdio.h>

#include "tools/trend/trend.h"

void trend_print_text(FILE *out, const struct trend *trend);
/* docs/trend.md describes the fields. */
void trend_print_json(FILE *out, const struct trend *trend);
/* Prints a page of charts that needs no network. */
void trend_print_page(FILE *out, const struct trend *trend);

/*
 * Prints the contents of such a page below its title: each history with its steps, its newest run
 * and a chart for each figure, as HTML with SVG. Points and numbers of runs are links to `address`
 * followed by the number of the run, unless `address` is NULL. trend_chart_style is the style
 * sheet, without colours.
 */
void trend_print_charts(FILE *out, const struct trend *trend, const char *address);
extern const char trend_chart_style[];

#endif
