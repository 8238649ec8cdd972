/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `sysrate trend` writes: for people, for programs, and to look at. */
#ifndef TREND_PRINT_H
#define TREND_PRINT_H

#include <stdio.h>

#include "tools/trend/trend.h"

void trend_print_text(FILE *out, const struct trend *trend);
/* docs/trend.md has the fields. */
void trend_print_json(FILE *out, const struct trend *trend);
/* A page of charts that needs no network. */
void trend_print_page(FILE *out, const struct trend *trend);

/* What such a page shows below its title, and the style sheet that this needs beside colours. */
void trend_print_charts(FILE *out, const struct trend *trend);
extern const char trend_chart_style[];

#endif
