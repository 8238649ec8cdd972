/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows what the requests above p99 waited for on both sides (--wait-events). */
#ifndef COMPARE_WAITS_H
#define COMPARE_WAITS_H

#include <jansson.h>
#include <stdio.h>

#include "tools/compare/compare.h"

/*
 * Returns an array with an object for each wait: `event`, and `a` and `b`, the shares of the time
 * above p99 in percent, as means over the runs. The array is empty if a run has too few samples to
 * know the shares. The caller owns the array.
 */
json_t *compare_waits(const struct compare *c);

/* Prints the shares side by side; nothing if there are none. */
void compare_waits_print(FILE *out, const struct compare *c);

#endif
