/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes distributions in the file formats of HdrHistogram (hdrhistogram.org), implemented from its
 * public description: the interval log with histograms in encoding V2, compressed and in base64,
 * and the table of percentiles (.hgrm).
 *
 * These histograms have 3 significant digits, from 1 ns to 2^47 - 1 ns. Their buckets are at most
 * half as wide as the buckets of histogram.h. Each bucket of histogram.h is written as one value,
 * its middle limited to the exact minimum and maximum, so values keep their order.
 */
#ifndef HDR_LOG_H
#define HDR_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "stats/distribution.h"

/* Writes the lines before the first interval. `epoch_ns` is the start of the run in nanoseconds
 * since 1970. */
void hdr_log_header(FILE *out, int64_t epoch_ns);

/* Writes one interval of one kind of time. Times are since the start of the run. */
void hdr_log_line(FILE *out, const char *tag, int64_t from_ns, int64_t to_ns,
                  const struct distribution *d);

/* Returns the observed values as base64 text, to be freed by the caller. */
char *hdr_encode(const struct distribution *d);

/* Writes the table of percentiles in milliseconds. Observed values and lower bounds are
 * combined, as in the percentiles of the report. */
void hgrm_print(FILE *out, const struct distribution *d);

#endif
