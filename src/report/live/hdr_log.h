/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions in the forms of HdrHistogram (hdrhistogram.org), written from its public
 * description: the interval log with histograms in the encoding V2, compressed and in base64, and
 * the table of percentiles (.hgrm).
 *
 * The histograms have 3 significant digits, from 1 ns to 2^47 − 1 ns. Their buckets are half as
 * wide as ours or less (histogram.h), so each of our values, the middle of its bucket within the
 * exact extremes, keeps its place.
 */
#ifndef HDR_LOG_H
#define HDR_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "stats/distribution.h"

/* The lines before the first interval; `epoch_ns`: when the run started, since 1970. */
void hdr_log_header(FILE *out, int64_t epoch_ns);

/* One interval of one kind of time; times since the start of the run. */
void hdr_log_line(FILE *out, const char *tag, int64_t from_ns, int64_t to_ns,
                  const struct distribution *d);

/* The base64 text of the observed values. The caller frees it. */
char *hdr_encode(const struct distribution *d);

/* The table, in milliseconds: observed values and lower bounds together, as in the report's
 * percentiles. */
void hgrm_print(FILE *out, const struct distribution *d);

#endif
