/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts arrays in ascending order. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_i64(int64_t *values, size_t count);

/* `values` must not contain NaN. */
void sort_doubles(double *values, size_t count);

#endif
