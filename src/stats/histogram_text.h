/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HISTOGRAM_TEXT_H
#define HISTOGRAM_TEXT_H

#include <stdint.h>
#include <stdio.h>

/*
 * Prints counts[0..n) as a bar chart. A line of headings is followed by one row for each count
 * above 0, with values[i], the bar and the count: "%12.3f |%-40.*s %lu". Prints nothing if all
 * counts are 0.
 */
void histogram_text_rows(FILE *out, const double *values, const uint64_t *counts, unsigned n);

#endif
