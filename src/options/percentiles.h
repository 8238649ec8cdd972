/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses and prints percentiles. The program stores them in millionths of a percent (PERCENT in
 * base/util.h). */
#ifndef PERCENTILES_H
#define PERCENTILES_H

#include <stddef.h>
#include <stdint.h>

/* most percentiles that a report may show */
#define MAX_PERCENTILES 16

/*
 * Parses a list such as "50,95,99.9". Returns the number of percentiles, or 0 for "0". Returns −1
 * if the list is malformed or has more than `max` members, or if a percentile is repeated, above
 * 100 or finer than a millionth.
 */
int percentiles_parse(const char *text, int64_t *percentile, int max);

/*
 * Check function for option rows: returns NULL if `text` is such a list, otherwise what is allowed.
 */
const char *percentiles_check(const char *text);

/* Writes "99.9" for 99 900 000 to `buf`, truncated to its size, and returns `buf`. */
const char *percentile_name(int64_t percentile, char *buf, size_t bytes);
/* Writes "p99.9", as reports show percentiles; `bytes` is at least 2. Otherwise as
 * percentile_name(). */
const char *percentile_label(int64_t percentile, char *buf, size_t bytes);

/* Parses a label such as "p99.9". Returns −1 if it is no percentile above 0. */
int64_t percentile_of_label(const char *label);

#endif
