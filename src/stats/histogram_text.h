/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HISTOGRAM_TEXT_H
#define HISTOGRAM_TEXT_H

#include <stdint.h>
#include <stdio.h>

/*
 * The picture of `counts[0..n)` with the value of each row below a line of headings:
 * "%12.3f |%-40.*s %lu", empty rows left out; nothing when all are empty.
 */
void histogram_text_rows(FILE *out, const double *values, const uint64_t *counts, unsigned n);

#endif
