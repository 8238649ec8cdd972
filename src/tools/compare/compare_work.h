/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the work of servers and machines per completed request (--server-stats). */
#ifndef COMPARE_WORK_H
#define COMPARE_WORK_H

#include <jansson.h>
#include <stdio.h>

#include "tools/compare/compare.h"

/*
 * Returns an array with an object for each figure that all runs of both sides have: `source`,
 * `name`, `a` and `b` (means over the runs) and `change_percent`, null if `a` is 0. The caller owns
 * the array.
 */
json_t *compare_work(const struct compare *c);

/* Prints the figures side by side. If p99 is the same on both sides and a figure changed by 10 % or
 * more, also prints a sentence that names the figure with the largest change. */
void compare_work_print(FILE *out, const struct compare *c);

#endif
