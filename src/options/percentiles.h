/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles as users write them, and how they are shown. In the program they are numbers in
 * millionths of a percent (PERCENT in base/util.h). */
#ifndef PERCENTILES_H
#define PERCENTILES_H

#include <stddef.h>
#include <stdint.h>

/* As many as a report may show. */
#define MAX_PERCENTILES 16

/*
 * Parses "50,95,99.9". Returns how many, 0 for "0", −1 when malformed, finer than a millionth,
 * above 100, repeated, or more than `max`.
 */
int percentiles_parse(const char *text, int64_t *percentile, int max);

/* The check of an option's row: NULL when `text` is such a list, else what is allowed. */
const char *percentiles_check(const char *text);

/* "99.9" for 99 900 000, written to `buf`, which is returned; cut off where it has no room. */
const char *percentile_name(int64_t percentile, char *buf, size_t bytes);
/* "p99.9" for it, as reports write it; `bytes` ≥ 2, else as percentile_name(). */
const char *percentile_label(int64_t percentile, char *buf, size_t bytes);

/* What "p99.9" means; −1: it is no percentile above 0. */
int64_t percentile_of_label(const char *label);

#endif
